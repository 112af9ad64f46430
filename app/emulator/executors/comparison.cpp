#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"

// PTX ISA "Comparison and Selection Instructions". setp: row[0] and row[1] are the predicates for
// the result and its complement (an unused one is a scratch predicate), row[2], row[3] the
// operands, row[4] the predicate to combine with.
namespace tilescope::TILESCOPE_ISA {
namespace {

template <class T, bool Ftz>
TILESCOPE_INLINE auto operand(RowOf<T> raw) {
  const T value = from_row<T>(raw);
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return to_float(flush_half<T, Ftz>(value));
  } else if constexpr (Ftz && std::is_same_v<T, float>) {
    return flush(value);
  } else {
    return value;
  }
}

// The lanes for whose operands one of the relations of op.flags holds. a_of(lane), b_of(lane).
template <class A, class B>
TILESCOPE_INLINE std::uint32_t compare_lanes(const MicroOp& op, A a_of, B b_of) {
  using T = decltype(a_of(0));
  const std::uint32_t less = collect_lanes([&](int l) { return a_of(l) < b_of(l); });
  const std::uint32_t greater = collect_lanes([&](int l) { return a_of(l) > b_of(l); });
  std::uint32_t equal = ~(less | greater);
  std::uint32_t unordered = 0;
  if constexpr (std::is_floating_point_v<T>) {
    equal = collect_lanes([&](int l) { return a_of(l) == b_of(l); });
    unordered = ~(less | greater | equal);
  }
  const auto where = [&](std::uint8_t relation, std::uint32_t lanes) {
    return (op.flags & relation) != 0 ? lanes : 0u;
  };
  return where(kIfLess, less) | where(kIfEqual, equal) | where(kIfGreater, greater) |
         where(kIfUnordered, unordered);
}

template <class T, bool Ftz>
TILESCOPE_INLINE std::uint32_t compare_rows(const MicroOp& op, std::byte* registers) {
  const RowOf<T>* a = row_at<T>(registers, op.row[2]);
  const RowOf<T>* b = row_at<T>(registers, op.row[3]);
  return compare_lanes(
      op, [&](int l) { return operand<T, Ftz>(a[l]); },
      [&](int l) { return operand<T, Ftz>(b[l]); });
}
// Of packed halves, those at a bit.
template <class H, bool Ftz>
TILESCOPE_INLINE std::uint32_t compare_halves(const MicroOp& op, std::byte* registers, int shift) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[2]);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[3]);
  return compare_lanes(
      op, [&](int l) { return operand<H, Ftz>(a[l] >> shift); },
      [&](int l) { return operand<H, Ftz>(b[l] >> shift); });
}

TILESCOPE_INLINE std::uint32_t combine(const MicroOp& op, std::uint32_t lanes,
                                       std::uint32_t other) {
  if ((op.flags & kNegatesOther) != 0) other = ~other;
  switch (op.flags & kCombinations) {
    case kCombinesByAnd:
      return lanes & other;
    case kCombinesByOr:
      return lanes | other;
    case kCombinesByXor:
      return lanes ^ other;
    default:
      return lanes;
  }
}

template <class T, bool Ftz>
void execute_setp(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const std::uint32_t lanes = compare_rows<T, Ftz>(op, registers);
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  set_predicate(registers, op.row[0], combine(op, lanes, other), mask);
  set_predicate(registers, op.row[1], combine(op, ~lanes, other), mask);
}

// immediate: what a lane gets where the test holds (all ones or 1.0f).
template <class T, bool Ftz>
void execute_set(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const std::uint32_t lanes = compare_rows<T, Ftz>(op, registers);
  const std::uint32_t held = combine(op, lanes, predicate_at(registers, op.row[4]));
  const auto yes = static_cast<std::uint32_t>(op.immediate);
  alignas(64) Row32 result[kLanes];
  for (int l = 0; l < kLanes; ++l) result[l] = ((held >> l) & 1u) != 0 ? yes : 0u;
  blend_row(row_at<std::uint32_t>(registers, op.row[0]), result, mask);
}

// Packed halves: setp.f16x2 has one predicate for each half; set.f16x2 one result half each.
template <class H, bool Ftz>
void execute_setp_pair(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext&) {
  const std::uint32_t first = compare_halves<H, Ftz>(op, registers, 0);
  const std::uint32_t second = compare_halves<H, Ftz>(op, registers, 16);
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  set_predicate(registers, op.row[0], combine(op, first, other), mask);
  set_predicate(registers, op.row[1], combine(op, second, other), mask);
}
template <class H, bool Ftz>
void execute_set_pair(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext&) {
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  const std::uint32_t first = combine(op, compare_halves<H, Ftz>(op, registers, 0), other);
  const std::uint32_t second = combine(op, compare_halves<H, Ftz>(op, registers, 16), other);
  const auto yes = static_cast<std::uint32_t>(op.immediate);  // one half's value
  alignas(64) Row32 result[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    result[l] =
        (((first >> l) & 1u) != 0 ? yes : 0u) | (((second >> l) & 1u) != 0 ? yes << 16 : 0u);
  }
  blend_row(row_at<std::uint32_t>(registers, op.row[0]), result, mask);
}

template <class T>
void execute_selp(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  RowOf<T>* d = row_at<T>(registers, op.row[0]);
  const RowOf<T>* a = row_at<T>(registers, op.row[1]);
  const RowOf<T>* b = row_at<T>(registers, op.row[2]);
  std::uint32_t chosen = predicate_at(registers, op.row[3]);
  if ((op.flags & 1u) != 0) chosen = ~chosen;
  if (mask == kFullMask) [[likely]] {
    TILESCOPE_LANES
    for (int l = 0; l < kLanes; ++l) d[l] = ((chosen >> l) & 1u) != 0 ? a[l] : b[l];
    return;
  }
  TILESCOPE_LANES
  for (int l = 0; l < kLanes; ++l) {
    const RowOf<T> value = ((chosen >> l) & 1u) != 0 ? a[l] : b[l];
    d[l] = ((mask >> l) & 1u) != 0 ? value : d[l];
  }
}

template <class T, class C, bool Ftz>
struct Slct {
  T operator()(T a, T b, C c) const {
    if constexpr (std::is_same_v<C, float>) {
      return (Ftz ? flush(c) : c) >= 0.0f ? a : b;  // -0 counts as +0, NaN chooses b
    } else {
      return c >= 0 ? a : b;
    }
  }
};

template <bool Set, class T, bool Ftz = false>
Executor of_type() {
  return Set ? execute_set<T, Ftz> : execute_setp<T, Ftz>;
}
template <bool Set, class H, bool Ftz = false>
Executor of_pair() {
  return Set ? execute_set_pair<H, Ftz> : execute_setp_pair<H, Ftz>;
}

template <bool Set>
Executor comparison_of(const OperationKey& key) {
  switch (key.source_type) {
    case DataType::kF32:
      return key.ftz ? of_type<Set, float, true>() : of_type<Set, float>();
    case DataType::kF64:
      return of_type<Set, double>();
    case DataType::kF16:
      return key.ftz ? of_type<Set, Half, true>() : of_type<Set, Half>();
    case DataType::kBf16:
      return of_type<Set, Bfloat>();
    case DataType::kF16x2:
      return key.ftz ? of_pair<Set, Half, true>() : of_pair<Set, Half>();
    case DataType::kBf16x2:
      return of_pair<Set, Bfloat>();
    default:
      return for_integer_type<2>(key.source_type, []<class T>() { return of_type<Set, T>(); });
  }
}

template <class T>
Executor slct_of(const OperationKey& key) {
  if (key.source_type == DataType::kS32)
    return execute_ternary<Slct<T, std::int32_t, false>, T, T, T, std::int32_t>;
  if (key.source_type != DataType::kF32) return nullptr;
  return key.ftz ? execute_ternary<Slct<T, float, true>, T, T, T, float>
                 : execute_ternary<Slct<T, float, false>, T, T, T, float>;
}

}  // namespace

Executor find_comparison(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kSetp:
      return comparison_of<false>(key);
    case Operation::kSet:
      return comparison_of<true>(key);
    case Operation::kSelp:
      return bytes_of(key.type) == 8 ? execute_selp<std::uint64_t> : execute_selp<std::uint32_t>;
    case Operation::kSlct:
      return bytes_of(key.type) == 8 ? slct_of<std::uint64_t>(key) : slct_of<std::uint32_t>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
