#include <algorithm>

#include "emulator/executors/families.h"
#include "emulator/executors/lanes.h"

// The bit-field instructions of PTX ISA "Integer Arithmetic Instructions".
namespace tilescope::TILESCOPE_ISA {
namespace {

// Position and length are taken modulo 256 for 32 bits, and whole for 64, where ptxas makes shifts
// that clamp of them (seen in its code and on an H200; the ISA wants modulo 256 for both).
template <class T>
struct Bfe {
  T operator()(T a, std::uint32_t position, std::uint32_t length) const {
    using U = std::make_unsigned_t<T>;
    constexpr int kBits = 8 * sizeof(T);
    if constexpr (kBits == 64) {
      const U field = length < 64 ? (U{1} << length) - 1 : ~U{0};
      if (length == 0 || (!std::is_signed_v<T> && position > 63)) return 0;
      const T shifted = static_cast<T>(a >> (position < 64 ? position : 63));
      const U value = static_cast<U>(shifted) & field;
      const bool sign = std::is_signed_v<T> && length <= 64 && (value >> (length - 1)) != 0;
      return static_cast<T>(sign ? value | ~field : value);
    }
    const int begin = static_cast<int>(position & 0xffu);
    const int count = static_cast<int>(length & 0xffu);
    const int last = begin + count - 1 < kBits - 1 ? begin + count - 1 : kBits - 1;
    const auto bits = static_cast<U>(a);
    const bool sign = std::is_signed_v<T> && count != 0 && ((bits >> last) & 1u) != 0;
    const U shifted = begin < kBits ? static_cast<U>(bits >> begin) : U{0};
    const int kept = count < kBits - begin ? count : kBits - begin;
    const U field = kept <= 0 ? U{0} : (kept >= kBits ? ~U{0} : static_cast<U>((U{1} << kept) - 1));
    const U fill = count >= kBits ? (begin < kBits ? ~field : ~U{0}) : static_cast<U>(~field);
    return static_cast<T>((shifted & field) | (sign ? fill : U{0}));
  }
};

struct Bfi {  // a into b
  template <class T>
  T operator()(T a, T b, std::uint32_t position, std::uint32_t length) const {
    constexpr int kBits = 8 * sizeof(T);
    constexpr std::uint32_t kMost = kBits;
    const bool whole = kBits == 64;
    const auto begin = static_cast<int>(whole ? std::min(position, kMost) : position & 0xffu);
    const auto count = static_cast<int>(whole ? std::min(length, kMost) : length & 0xffu);
    if (begin >= kBits || count == 0) return b;
    const int kept = count < kBits - begin ? count : kBits - begin;
    const T field = kept >= kBits ? ~T{0} : static_cast<T>(((T{1} << kept) - 1) << begin);
    return static_cast<T>((b & ~field) | ((a << begin) & field));
  }
};

template <class T>
void execute_bfi(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  RowOf<T>* d = row_at<T>(registers, op.row[0]);
  const RowOf<T>* a = row_at<T>(registers, op.row[1]);
  const RowOf<T>* b = row_at<T>(registers, op.row[2]);
  const Row32* position = row_at<std::uint32_t>(registers, op.row[3]);
  const Row32* length = row_at<std::uint32_t>(registers, op.row[4]);
  alignas(64) RowOf<T> result[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    result[l] = Bfi{}(static_cast<T>(a[l]), static_cast<T>(b[l]), position[l], length[l]);
  }
  blend_row(d, result, mask);
}

// bfind: the highest bit that is not the sign; all ones when there is none.
template <class T, bool ShiftAmount>
struct Bfind {
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const auto bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return 0xffffffffu;
    const auto highest = static_cast<std::uint32_t>(std::bit_width(bits) - 1);
    return ShiftAmount ? static_cast<std::uint32_t>(8 * sizeof(T) - 1) - highest : highest;
  }
};

struct Bmsk {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, bool clamp) const {
    const std::uint32_t begin = clamp ? a : a & 31u;
    const std::uint32_t count = clamp ? (b < 32u ? b : 32u) : b & 31u;
    if (begin >= 32u) return 0;
    const std::uint32_t field = count >= 32u ? ~0u : (1u << count) - 1u;
    return field << begin;
  }
};
template <bool Clamp>
struct BmskMode {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return Bmsk{}(a, b, Clamp); }
};

template <bool Signed, bool Clamp>
struct Szext {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t bits = Clamp ? (b < 32u ? b : 32u) : b & 31u;
    if (bits == 0) return 0;
    if (bits >= 32) return a;
    const std::uint32_t up = a << (32u - bits);
    return Signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32u - bits))
                  : up >> (32u - bits);
  }
};

struct Fns {  // the offset-th set bit of mask from base, upwards or downwards
  std::uint32_t operator()(std::uint32_t mask, std::uint32_t base, std::uint32_t offset) const {
    const auto count = static_cast<std::int32_t>(offset);
    if (offset == 0x80000000u) return 0;  // ptxas negates it, in vain
    if (base > 31u) return 0xffffffffu;
    if (count == 0) return ((mask >> base) & 1u) != 0 ? base : 0xffffffffu;
    std::int32_t left = count < 0 ? -count : count;
    const std::int32_t step = count < 0 ? -1 : 1;
    for (auto at = static_cast<std::int32_t>(base); at >= 0 && at < 32; at += step) {
      if (((mask >> at) & 1u) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
    }
    return 0xffffffffu;
  }
};

template <class T>
Executor of_type(const OperationKey& key) {
  using U = std::uint32_t;
  switch (key.operation) {
    case Operation::kBfe:
      return execute_ternary<Bfe<T>, T, T, U, U>;
    case Operation::kBfi:
      return execute_bfi<std::make_unsigned_t<T>>;
    case Operation::kBfind:
      return execute_unary<Bfind<T, false>, U, T>;
    case Operation::kBfindShift:
      return execute_unary<Bfind<T, true>, U, T>;
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_bit_field(const OperationKey& key) {
  using U = std::uint32_t;
  switch (key.operation) {
    case Operation::kFns:
      return execute_ternary<Fns, U, U, U, U>;
    case Operation::kBmsk:
      return key.clamp ? execute_binary<BmskMode<true>, U, U, U>
                       : execute_binary<BmskMode<false>, U, U, U>;
    case Operation::kSzext:
      if (is_signed(key.type)) {
        return key.clamp ? execute_binary<Szext<true, true>, U, U, U>
                         : execute_binary<Szext<true, false>, U, U, U>;
      }
      return key.clamp ? execute_binary<Szext<false, true>, U, U, U>
                       : execute_binary<Szext<false, false>, U, U, U>;
    default:
      break;
  }
  return for_integer_type<4>(key.type, [&]<class T>() { return of_type<T>(key); });
}

}  // namespace tilescope::TILESCOPE_ISA
