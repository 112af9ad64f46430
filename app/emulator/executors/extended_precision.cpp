#include "emulator/executors/families.h"
#include "emulator/executors/lanes.h"

// PTX ISA "Extended-Precision Integer Arithmetic Instructions".
namespace tilescope::TILESCOPE_ISA {
namespace {

__extension__ using Wide128 = unsigned __int128;
__extension__ using SignedWide128 = __int128;

template <class T>
TILESCOPE_INLINE std::make_unsigned_t<T> upper_half(T a, T b) {
  using Wide =
      std::conditional_t<sizeof(T) == 4,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                         std::conditional_t<std::is_signed_v<T>, SignedWide128, Wide128>>;
  return static_cast<std::make_unsigned_t<T>>((static_cast<Wide>(a) * static_cast<Wide>(b)) >>
                                              (8 * sizeof(T)));
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: row[4] is the condition code, a predicate of carries.
// A subtraction adds the complement, so that its carry flag says that nothing was borrowed. The ISA
// calls the flag a borrow; ptxas and NVRTC's own division of __int128, which ends a chain of
// subc.cc with addc, take it for the carry that it is in the machine.
template <class T, bool Subtract, bool CarryIn, bool CarryOut>
void execute_carry(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  RowOf<T>* d = row_at<T>(registers, op.row[0]);
  const RowOf<T>* a = row_at<T>(registers, op.row[1]);
  const RowOf<T>* b = row_at<T>(registers, op.row[2]);
  const std::uint32_t carries = predicate_at(registers, op.row[4]);
  std::uint32_t out = 0;
  for (int l = 0; l < kLanes; ++l) {
    if (((mask >> l) & 1u) == 0) continue;
    const bool flag = ((carries >> l) & 1u) != 0;
    const T in = CarryIn ? static_cast<T>(flag != Subtract) : T{0};
    const T first = Subtract ? a[l] - b[l] : a[l] + b[l];
    const T result = Subtract ? first - in : first + in;
    const bool carry = Subtract ? a[l] >= b[l] && first >= in : first < a[l] || result < first;
    d[l] = result;
    out |= std::uint32_t{carry} << l;
  }
  if (CarryOut) set_predicate(registers, op.row[4], out, mask);
}

template <class T, bool High, bool CarryIn, bool CarryOut>
void execute_mad_carry(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                       ExecutionContext&) {
  using U = std::make_unsigned_t<T>;
  RowOf<T>* d = row_at<T>(registers, op.row[0]);
  const RowOf<T>* a = row_at<T>(registers, op.row[1]);
  const RowOf<T>* b = row_at<T>(registers, op.row[2]);
  const RowOf<T>* c = row_at<T>(registers, op.row[3]);
  const std::uint32_t carries = predicate_at(registers, op.row[4]);
  std::uint32_t out = 0;
  for (int l = 0; l < kLanes; ++l) {
    if (((mask >> l) & 1u) == 0) continue;
    const T x = from_row<T>(a[l]);
    const T y = from_row<T>(b[l]);
    const auto product = High ? upper_half(x, y) : static_cast<U>(x) * static_cast<U>(y);
    const U in = CarryIn ? static_cast<U>((carries >> l) & 1u) : U{0};
    const U first = product + static_cast<U>(c[l]);
    const U result = first + in;
    d[l] = result;
    out |= std::uint32_t{first < product || result < first} << l;
  }
  if (CarryOut) set_predicate(registers, op.row[4], out, mask);
}

template <class T, bool Subtract>
Executor carry_of(const OperationKey& key) {
  if (key.carry_in) {
    return key.carry_out ? execute_carry<T, Subtract, true, true>
                         : execute_carry<T, Subtract, true, false>;
  }
  return execute_carry<T, Subtract, false, true>;
}

template <class T, bool High>
Executor mad_carry_of(const OperationKey& key) {
  if (key.carry_in) {
    return key.carry_out ? execute_mad_carry<T, High, true, true>
                         : execute_mad_carry<T, High, true, false>;
  }
  return execute_mad_carry<T, High, false, true>;
}

template <class T>
Executor of_type(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kAddCarry:
      return carry_of<std::make_unsigned_t<T>, false>(key);
    case Operation::kSubCarry:
      return carry_of<std::make_unsigned_t<T>, true>(key);
    case Operation::kMadCarry:
      return mad_carry_of<T, false>(key);
    case Operation::kMadHiCarry:
      return mad_carry_of<T, true>(key);
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_extended_precision(const OperationKey& key) {
  return for_integer_type<4>(key.type, [&]<class T>() { return of_type<T>(key); });
}

}  // namespace tilescope::TILESCOPE_ISA
