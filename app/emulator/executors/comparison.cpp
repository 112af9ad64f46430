#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"

// PTX ISA "Comparison and Selection Instructions". setp: row[0] and row[1] are the predicates for
// the result and its complement (an unused one is a scratch predicate), row[2], row[3] the
// operands, row[4] the predicate to combine with; flags bit 0 negates that.
namespace tilescope::TILESCOPE_ISA {
namespace {

enum class Test { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

template <Test Kind, class T>
TILESCOPE_INLINE bool holds(T a, T b) {
  if constexpr (Kind == Test::kEq) return a == b;
  if constexpr (Kind == Test::kNe) return (a < b) | (a > b);  // false when unordered
  if constexpr (Kind == Test::kLt) return a < b;
  if constexpr (Kind == Test::kLe) return a <= b;
  if constexpr (Kind == Test::kGt) return a > b;
  if constexpr (Kind == Test::kGe) return a >= b;
  if constexpr (Kind == Test::kEqu) return !((a < b) | (a > b));
  if constexpr (Kind == Test::kNeu) return a != b;
  if constexpr (Kind == Test::kLtu) return !(a >= b);
  if constexpr (Kind == Test::kLeu) return !(a > b);
  if constexpr (Kind == Test::kGtu) return !(a <= b);
  if constexpr (Kind == Test::kGeu) return !(a < b);
  if constexpr (Kind == Test::kNum) return (a == a) & (b == b);
  if constexpr (Kind == Test::kNan) return (a != a) | (b != b);
}

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

template <Test Kind, class T, bool Ftz>
TILESCOPE_INLINE std::uint32_t compare_rows(const RowOf<T>* a, const RowOf<T>* b) {
  return collect_lanes(
      [&](int l) { return holds<Kind>(operand<T, Ftz>(a[l]), operand<T, Ftz>(b[l])); });
}

// flags: bit 0 negates the combining predicate; bits 1, 2: 0 none, 1 and, 2 or, 3 xor.
TILESCOPE_INLINE std::uint32_t combine(const MicroOp& op, std::uint32_t lanes,
                                       std::uint32_t other) {
  if ((op.flags & 1u) != 0) other = ~other;
  switch (op.flags >> 1) {
    case 1:
      return lanes & other;
    case 2:
      return lanes | other;
    case 3:
      return lanes ^ other;
    default:
      return lanes;
  }
}

template <Test Kind, class T, bool Ftz>
void execute_setp(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const std::uint32_t lanes =
      compare_rows<Kind, T, Ftz>(row_at<T>(registers, op.row[2]), row_at<T>(registers, op.row[3]));
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  set_predicate(registers, op.row[0], combine(op, lanes, other), mask);
  set_predicate(registers, op.row[1], combine(op, ~lanes, other), mask);
}

// immediate: what a lane gets where the test holds (all ones or 1.0f).
template <Test Kind, class T, bool Ftz>
void execute_set(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const std::uint32_t lanes =
      compare_rows<Kind, T, Ftz>(row_at<T>(registers, op.row[2]), row_at<T>(registers, op.row[3]));
  const std::uint32_t held = combine(op, lanes, predicate_at(registers, op.row[4]));
  const auto yes = static_cast<std::uint32_t>(op.immediate);
  alignas(64) Row32 result[kLanes];
  for (int l = 0; l < kLanes; ++l) result[l] = ((held >> l) & 1u) != 0 ? yes : 0u;
  blend_row(row_at<std::uint32_t>(registers, op.row[0]), result, mask);
}

// Packed halves: setp.f16x2 has one predicate for each half; set.f16x2 one result half each.
template <Test Kind, class H, bool Ftz>
TILESCOPE_INLINE std::uint32_t compare_halves(const Row32* a, const Row32* b, int shift) {
  return collect_lanes([&](int l) {
    return holds<Kind>(operand<H, Ftz>(a[l] >> shift), operand<H, Ftz>(b[l] >> shift));
  });
}
template <Test Kind, class H, bool Ftz>
void execute_setp_pair(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext&) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[2]);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[3]);
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  set_predicate(registers, op.row[0], combine(op, compare_halves<Kind, H, Ftz>(a, b, 0), other),
                mask);
  set_predicate(registers, op.row[1], combine(op, compare_halves<Kind, H, Ftz>(a, b, 16), other),
                mask);
}
template <Test Kind, class H, bool Ftz>
void execute_set_pair(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext&) {
  const Row32* a = row_at<std::uint32_t>(registers, op.row[2]);
  const Row32* b = row_at<std::uint32_t>(registers, op.row[3]);
  const std::uint32_t other = predicate_at(registers, op.row[4]);
  const std::uint32_t first = combine(op, compare_halves<Kind, H, Ftz>(a, b, 0), other);
  const std::uint32_t second = combine(op, compare_halves<Kind, H, Ftz>(a, b, 16), other);
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

template <bool Pair, bool Set, class T, bool Ftz, Test Kind>
Executor one_test() {
  if constexpr (Pair) {
    return Set ? execute_set_pair<Kind, T, Ftz> : execute_setp_pair<Kind, T, Ftz>;
  } else {
    return Set ? execute_set<Kind, T, Ftz> : execute_setp<Kind, T, Ftz>;
  }
}

template <bool Set, class T, bool Ftz = false, bool Pair = false>
Executor of_type(Modifier comparison) {
  constexpr bool kFloating = std::is_floating_point_v<T> || !std::is_integral_v<T>;
  switch (comparison) {
    case Modifier::kEq:
      return one_test<Pair, Set, T, Ftz, Test::kEq>();
    case Modifier::kNe:
      return one_test<Pair, Set, T, Ftz, Test::kNe>();
    case Modifier::kLo:
    case Modifier::kLt:
      return one_test<Pair, Set, T, Ftz, Test::kLt>();
    case Modifier::kLs:
    case Modifier::kLe:
      return one_test<Pair, Set, T, Ftz, Test::kLe>();
    case Modifier::kHi:
    case Modifier::kGt:
      return one_test<Pair, Set, T, Ftz, Test::kGt>();
    case Modifier::kHs:
    case Modifier::kGe:
      return one_test<Pair, Set, T, Ftz, Test::kGe>();
    default:
      break;
  }
  if constexpr (kFloating) {
    switch (comparison) {
      case Modifier::kEqu:
        return one_test<Pair, Set, T, Ftz, Test::kEqu>();
      case Modifier::kNeu:
        return one_test<Pair, Set, T, Ftz, Test::kNeu>();
      case Modifier::kLtu:
        return one_test<Pair, Set, T, Ftz, Test::kLtu>();
      case Modifier::kLeu:
        return one_test<Pair, Set, T, Ftz, Test::kLeu>();
      case Modifier::kGtu:
        return one_test<Pair, Set, T, Ftz, Test::kGtu>();
      case Modifier::kGeu:
        return one_test<Pair, Set, T, Ftz, Test::kGeu>();
      case Modifier::kNum:
        return one_test<Pair, Set, T, Ftz, Test::kNum>();
      case Modifier::kNanTest:
        return one_test<Pair, Set, T, Ftz, Test::kNan>();
      default:
        break;
    }
  }
  return nullptr;
}

template <bool Set>
Executor comparison_of(const OperationKey& key) {
  switch (key.source_type) {
    case DataType::kB16:
    case DataType::kU16:
      return of_type<Set, std::uint16_t>(key.comparison);
    case DataType::kS16:
      return of_type<Set, std::int16_t>(key.comparison);
    case DataType::kB32:
    case DataType::kU32:
      return of_type<Set, std::uint32_t>(key.comparison);
    case DataType::kS32:
      return of_type<Set, std::int32_t>(key.comparison);
    case DataType::kB64:
    case DataType::kU64:
      return of_type<Set, std::uint64_t>(key.comparison);
    case DataType::kS64:
      return of_type<Set, std::int64_t>(key.comparison);
    case DataType::kF32:
      return key.ftz ? of_type<Set, float, true>(key.comparison)
                     : of_type<Set, float>(key.comparison);
    case DataType::kF64:
      return of_type<Set, double>(key.comparison);
    case DataType::kF16:
      return key.ftz ? of_type<Set, Half, true>(key.comparison)
                     : of_type<Set, Half>(key.comparison);
    case DataType::kBf16:
      return of_type<Set, Bfloat>(key.comparison);
    case DataType::kF16x2:
      return key.ftz ? of_type<Set, Half, true, true>(key.comparison)
                     : of_type<Set, Half, false, true>(key.comparison);
    case DataType::kBf16x2:
      return of_type<Set, Bfloat, false, true>(key.comparison);
    default:
      return nullptr;
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
