#include "emulator/common_executors/video.h"

#include <algorithm>

#include "emulator/common_executors/families.h"
#include "emulator/executors/lanes.h"
#include "emulator/formats/packed_bits.h"
#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

using What = VideoOperation::What;
using Then = VideoOperation::Then;

std::int64_t part_of(std::uint32_t word, VideoOperation::Part part, bool is_signed_part) {
  const unsigned shift = 64u - part.bits;
  const std::uint64_t high = std::uint64_t{word >> (part.bits * part.index % 32u)} << shift;
  return is_signed_part ? static_cast<std::int64_t>(high) >> shift
                        : static_cast<std::int64_t>(high >> shift);
}

bool holds(std::uint8_t comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

std::int64_t shifted(const VideoOperation& v, std::int64_t a, std::int64_t by_wide) {
  const auto by = static_cast<std::uint64_t>(by_wide);
  const unsigned count = static_cast<unsigned>(v.wrap ? by & 31u : std::min<std::uint64_t>(by, 32));
  if (v.what == What::kShr) return a >> count;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
}

std::int64_t combine(const VideoOperation& v, std::int64_t a, std::int64_t b) {
  switch (v.what) {
    case What::kAdd:
      return a + b;
    case What::kSub:
      return a - b;
    case What::kAbsdiff:
      return a > b ? a - b : b - a;
    case What::kMin:
      return std::min(a, b);
    case What::kMax:
      return std::max(a, b);
    case What::kSet:
      return holds(v.comparison, a, b) ? 1 : 0;
    default:
      return shifted(v, a, b);
  }
}

std::int64_t saturated(std::int64_t value, unsigned bits, bool is_signed_result) {
  const std::int64_t top = std::int64_t{1} << (bits - (is_signed_result ? 1u : 0u));
  return std::clamp(value, is_signed_result ? -top : std::int64_t{0}, top - 1);
}

std::uint32_t low_bits(unsigned bits) {
  return bits == 32 ? 0xffffffffu : (std::uint32_t{1} << bits) - 1;
}

std::uint32_t simd(const VideoOperation& v, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto bits = static_cast<std::uint8_t>(32 / v.lanes);
  std::uint32_t result = v.then == Then::kAdd ? c : 0;
  for (std::uint8_t lane = 0; lane < v.lanes; ++lane) {
    const VideoOperation::Part part{bits, lane};
    std::int64_t value = combine(v, part_of(a, part, v.signed_a), part_of(b, part, v.signed_b));
    if (v.saturate) value = saturated(value, bits, v.signed_result);
    if (v.then == Then::kAdd) {
      result += static_cast<std::uint32_t>(value);
    } else {
      result |= (static_cast<std::uint32_t>(value) & low_bits(bits)) << (bits * lane);
    }
  }
  return result;
}

// As ptxas has it (and so the H200): the factors' words count as signed whatever their types say,
// the types decide how the 64-bit sum is scaled and clamped.
std::uint32_t multiply_add(const VideoOperation& v, std::int64_t a, std::int64_t b,
                           std::uint32_t c_bits) {
  const bool is_signed_result = v.signed_a || v.signed_b;
  const auto word = [](std::int64_t x) {
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x))};
  };
  const std::uint64_t sum =
      static_cast<std::uint64_t>(word(a) * word(b)) +
      static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(c_bits)}) +
      (v.plus_one ? 1u : 0u);
  const std::int64_t scaled = is_signed_result ? static_cast<std::int64_t>(sum) >> v.scale
                                               : static_cast<std::int64_t>(sum >> v.scale);
  return static_cast<std::uint32_t>(v.saturate ? saturated(scaled, 32, is_signed_result) : scaled);
}

// The value before saturation of vshl, of which ptxas keeps 34 bits.
std::int64_t cut_to_34_bits(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 30) >> 30;
}

// What .sat makes of a scalar result. ptxas has no upper bound for unsigned words but for vshl's;
// and vshl, from whose 34 bits the sign may come out wrong, keeps what it then takes for a number.
std::int64_t saturated_word(const VideoOperation& v, std::int64_t value) {
  if (v.d.bits != 32) return saturated(value, v.d.bits, v.signed_result);
  if (v.what == What::kShl) value = cut_to_34_bits(value);
  if (v.signed_result || v.what == What::kShl) return saturated(value, 32, v.signed_result);
  return value < 0 ? 0 : value;
}

// min or max with c: over 64 bits, the sum or difference cut to a word first (ptxas, H200).
std::uint32_t second_extreme(const VideoOperation& v, std::int64_t value, std::uint32_t c,
                             bool larger) {
  const bool is_sum = v.what == What::kAdd || v.what == What::kSub;
  if (is_sum) value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  const std::int64_t other =
      v.signed_result ? std::int64_t{static_cast<std::int32_t>(c)} : std::int64_t{c};
  const bool is_less = v.signed_result
                           ? value < other
                           : static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(other);
  return is_less != larger ? static_cast<std::uint32_t>(value) : c;
}

void execute_video(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const VideoOperation v = VideoOperation::unpack(op.immediate);
  using portable::row_at;
  portable::Row32* d = row_at<std::uint32_t>(registers, op.row[0]);
  const portable::Row32* a = row_at<std::uint32_t>(registers, op.row[1]);
  const portable::Row32* b = row_at<std::uint32_t>(registers, op.row[2]);
  const portable::Row32* c = row_at<std::uint32_t>(registers, op.row[3]);
  for (const unsigned l : lanes_in(mask)) {
    d[l] = compute(v, a[l], b[l], c[l]);
  }
}

}  // namespace

std::uint32_t compute(const VideoOperation& v, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (v.lanes != 1) return simd(v, a, b, c);
  const std::int64_t x = part_of(a, v.a, v.signed_a);
  const std::int64_t y = part_of(b, v.b, v.signed_b);
  if (v.what == What::kMad) return multiply_add(v, x, y, c);
  std::int64_t value = combine(v, x, y);
  if (v.saturate) value = saturated_word(v, value);
  const auto word = static_cast<std::uint32_t>(value);
  const auto second = [&](bool larger) { return second_extreme(v, value, c, larger); };
  switch (v.then) {
    case Then::kAdd:
      return word + c;
    case Then::kMin:
      return second(false);
    case Then::kMax:
      return second(true);
    case Then::kMerge: {
      const unsigned shift = v.d.bits * v.d.index % 32u;
      const std::uint32_t field = low_bits(v.d.bits) << shift;
      return (c & ~field) | ((word << shift) & field);
    }
    default:
      return word;
  }
}

std::int64_t VideoOperation::pack() const {
  BitWriter to;
  to.put(static_cast<std::uint64_t>(what), 4);
  to.put(lanes, 3);
  for (const bool flag : {signed_result, signed_a, signed_b, saturate, wrap, plus_one})
    to.put(flag ? 1 : 0, 1);
  to.put(scale, 4);
  to.put(static_cast<std::uint64_t>(then), 3);
  for (const Part& part : {a, b, d}) {
    to.put(part.bits, 6);
    to.put(part.index, 2);
  }
  to.put(comparison, 3);
  return to.word();
}

VideoOperation VideoOperation::unpack(std::int64_t bits) {
  BitReader from(bits);
  VideoOperation v;
  v.what = static_cast<What>(from.take(4));
  v.lanes = from.take<std::uint8_t>(3);
  for (bool* flag : {&v.signed_result, &v.signed_a, &v.signed_b, &v.saturate, &v.wrap, &v.plus_one})
    *flag = from.take(1) != 0;
  v.scale = from.take<std::uint8_t>(4);
  v.then = static_cast<Then>(from.take(3));
  for (Part* part : {&v.a, &v.b, &v.d}) {
    part->bits = from.take<std::uint8_t>(6);
    part->index = from.take<std::uint8_t>(2);
  }
  v.comparison = from.take<std::uint8_t>(3);
  return v;
}

Executor find_video(const OperationKey& key) {
  return key.operation == Operation::kVideo ? execute_video : nullptr;
}

}  // namespace tilescope
