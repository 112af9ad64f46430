#include <bit>
#include <cmath>
#include <random>

#include "form.h"

namespace tilescope {
namespace {

using Cells = std::vector<std::uint64_t>;

Cells edges_of(const std::string& type) {
  if (type == "pred") return {0, 1};
  if (type == "f32") {
    return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0x3f000000, 0x7f800000,
            0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff,
            0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800001, 0x3f7fffff, 0x4f000000,
            0xcf000000, 0x4f800000, 0x5f000000, 0x40200000, 0xc0600000, 0x7e800000, 0x7f000000,
            0x20000001, 0x1ffffffe};  // their product rounds up to 2^-126
  }
  if (type == "f64") {
    return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
            0x4000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
            0x7ff0000000000001, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
            0x0010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3ff0000000000001,
            0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43e0000000000000,
            0xc3e0000000000000, 0x43f0000000000000, 0x4004000000000000, 0x47efffffe0000000,
            0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x380fffffffffffff};
  }
  Cells cells{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256};
  const unsigned bits = type == "b64" ? 64 : type == "b16" ? 16 : 32;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  for (const std::uint64_t value : {top, top - 1, top + 1, ~std::uint64_t{0}, ~std::uint64_t{1}})
    cells.push_back(value);
  if (bits == 16) {  // f16 and bf16
    for (const std::uint64_t value : std::initializer_list<std::uint64_t>{
             0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0400, 0x03ff, 0x7bff, 0x3f80, 0xbf80,
             0x7f80, 0xff80, 0x7fc0, 0x0080, 0x7f7f})
      cells.push_back(value);
  }
  if (bits == 32) {
    for (const std::uint64_t value :
         {0x3c003c00u, 0x7c00fc00u, 0x7e000001u, 0x3f80bf80u, 0x7f80ff80u, 0x7fc00001u, 0x80008000u,
          0x7fff7fffu, 0x7f7f7f7fu})
      cells.push_back(value);
  }
  return cells;
}

class Generator {
 public:
  std::uint64_t value(const std::string& type) {
    if (type == "pred") return random_() & 1u;
    if (type == "h2" || type == "bf2") return fragment_pair(type == "h2");
    if (type == "q4") return fragment_bytes();
    if (type == "f1" || type == "t1") return std::bit_cast<std::uint32_t>(small_tf32());
    if (type == "d1") return std::bit_cast<std::uint64_t>(unit_(random_) * 4 - 2);
    switch (random_() % 4) {
      case 0:
        return random_();
      case 1:
        return moderate(type);
      case 2:
        return random_() % 64;
      default:
        return random_() >> (random_() % 64);
    }
  }
  std::size_t index(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

 private:
  // Numbers near one, where sums cancel and rounding shows.
  std::uint64_t moderate(const std::string& type) {
    const double x = std::ldexp(unit_(random_) * 2 - 1, static_cast<int>(random_() % 24) - 12);
    if (type == "f64") return std::bit_cast<std::uint64_t>(x);
    if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    const std::uint64_t half = 0x3000u + random_() % 0x1800u + (random_() % 2 << 15);
    const std::uint64_t other = 0x3000u + random_() % 0x1800u + (random_() % 2 << 15);
    return type == "b16" ? half : half | (other << 16);
  }
  float small_tf32() {
    const auto x = static_cast<float>(unit_(random_) * 4 - 2);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u);
  }
  std::uint64_t fragment_pair(bool f16) {
    std::uint64_t pair = 0;
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t exponent = (f16 ? 13 : 125) + random_() % 4;
      const std::uint64_t fraction = random_() & (f16 ? 0x3ffu : 0x7fu);
      pair = (pair << 16) | ((random_() & 1u) << 15) | (exponent << (f16 ? 10 : 7)) | fraction;
    }
    return pair;
  }
  std::uint64_t fragment_bytes() {  // finite in e4m3 and in e5m2, of moderate size
    std::uint64_t bytes = 0;
    for (int i = 0; i < 4; ++i)
      bytes = (bytes << 8) | ((random_() & 1u) << 7) | (0x30u + random_() % 0x18u);
    return bytes;
  }

  std::mt19937_64 random_{20};
  std::uniform_real_distribution<double> unit_{0.0, 1.0};
};

}  // namespace

std::vector<Cells> inputs_for(const Form& form, std::size_t threads) {
  Generator generator;
  std::vector<Cells> inputs(form.operands.size());
  const bool edges = !form.operands.empty() && !form.operands[0].is_vector;
  Cells first_edges = edges ? edges_of(form.operands[0].type) : Cells{};
  for (std::size_t o = 0; o < form.operands.size(); ++o) {
    const Slot& slot = form.operands[o];
    if (!slot.immediate.empty()) continue;
    const Cells own = slot.is_vector ? Cells{} : edges_of(slot.type);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      for (unsigned e = 0; e < slot.count; ++e) {
        std::uint64_t value = generator.value(slot.type);
        if (edges && !own.empty()) {
          const std::size_t step = o == 0 ? thread : thread / first_edges.size();
          const std::size_t combinations = first_edges.size() * own.size();
          if (o < 2 && thread < combinations && (o == 1 || thread < first_edges.size() * 64))
            value = own[step % own.size()];
          else if (thread % 5 == 0)
            value = own[generator.index(own.size())];
        }
        inputs[o].push_back(value);
      }
    }
  }
  return inputs;
}

}  // namespace tilescope
