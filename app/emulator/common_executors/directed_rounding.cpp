#include <cfenv>
#include <cmath>

#include "emulator/common_executors/families.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/lanes.h"
#include "emulator/lanes_in.h"

// .rz, .rm and .rp of f32 and f64 arithmetic and of conversions, with the machine's own rounding
// modes. Operands and results go through volatile objects, so that no operation moves out of the
// scope in which its mode is set.
namespace tilescope {
namespace {

using portable::canonical;
using portable::flush;
using portable::from_row;
using portable::row_at;
using portable::RowOf;
using portable::to_row;

class RoundingScope {
 public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

constexpr int mode_of(Modifier rounding) {
  return rounding == Modifier::kRz   ? FE_TOWARDZERO
         : rounding == Modifier::kRm ? FE_DOWNWARD
                                     : FE_UPWARD;
}

// Each of operands and of a scale: the result is that many times as large (flush_result).
struct Add {
  template <class T>
  static T of(T a, T b, T, T scale) {
    return (a + b) * scale;
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b, T, T scale) {
    return (a - b) * scale;
  }
};
struct Mul {
  template <class T>
  static T of(T a, T b, T, T scale) {
    return a * scale * b;
  }
};
struct Div {
  template <class T>
  static T of(T a, T b, T, T scale) {
    return a * scale / b;
  }
};
struct Fma {
  template <class T>
  static T of(T a, T b, T c, T scale) {
    return std::fma(a * scale, b, c * scale);
  }
};
struct Sqrt {
  template <class T>
  static T of(T a, T, T, T scale) {
    return std::sqrt(a * scale);  // never small
  }
};
struct Rcp {
  template <class T>
  static T of(T a, T, T, T scale) {
    return scale / a;
  }
};

template <bool Ftz, class T>
T input(T x) {
  if constexpr (Ftz && sizeof(T) == 4) return flush(x);
  return x;
}

template <class F, class T, Modifier Rounding, bool Ftz, bool Sat, int Operands>
void execute_directed(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                      ExecutionContext&) {
  RowOf<T>* d = row_at<T>(registers, op.row[0]);
  const RowOf<T>* a = row_at<T>(registers, op.row[1]);
  const RowOf<T>* b = row_at<T>(registers, op.row[Operands > 1 ? 2 : 1]);
  const RowOf<T>* c = row_at<T>(registers, op.row[Operands > 2 ? 3 : 1]);
  for (const unsigned l : lanes_in(mask)) {
    volatile T x = input<Ftz>(from_row<T>(a[l]));
    volatile T y = input<Ftz>(from_row<T>(b[l]));
    volatile T z = input<Ftz>(from_row<T>(c[l]));
    volatile T one = 1;
    volatile T scale = static_cast<T>(0x1p64);
    volatile T result;
    volatile T scaled = 0;
    {
      const RoundingScope scope(mode_of(Rounding));
      result = F::template of<T>(x, y, z, one);
      if (Ftz) scaled = F::template of<T>(x, y, z, scale);
    }
    T value = canonical(static_cast<T>(result));
    if (Sat) value = portable::saturate(value);
    if constexpr (Ftz && sizeof(T) == 4) value = portable::flush_result(value, scaled);
    d[l] = to_row<T>(value);
  }
}

template <class F, class T, Modifier Rounding, int Operands>
Executor with_flags(const OperationKey& key) {
  if constexpr (sizeof(T) == 8) {
    return key.ftz || key.saturate ? nullptr
                                   : execute_directed<F, T, Rounding, false, false, Operands>;
  } else {
    if (key.ftz) {
      return key.saturate ? execute_directed<F, T, Rounding, true, true, Operands>
                          : execute_directed<F, T, Rounding, true, false, Operands>;
    }
    return key.saturate ? execute_directed<F, T, Rounding, false, true, Operands>
                        : execute_directed<F, T, Rounding, false, false, Operands>;
  }
}
template <class F, class T, int Operands>
Executor with_rounding(const OperationKey& key) {
  switch (key.rounding) {
    case Modifier::kRz:
      return with_flags<F, T, Modifier::kRz, Operands>(key);
    case Modifier::kRm:
      return with_flags<F, T, Modifier::kRm, Operands>(key);
    case Modifier::kRp:
      return with_flags<F, T, Modifier::kRp, Operands>(key);
    default:
      return nullptr;
  }
}

template <class T>
Executor arithmetic(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kAdd:
      return with_rounding<Add, T, 2>(key);
    case Operation::kSub:
      return with_rounding<Sub, T, 2>(key);
    case Operation::kMul:
      return with_rounding<Mul, T, 2>(key);
    case Operation::kDiv:
      return key.approximate ? nullptr : with_rounding<Div, T, 2>(key);
    case Operation::kFma:
      return with_rounding<Fma, T, 3>(key);
    case Operation::kSqrt:
      return key.approximate ? nullptr : with_rounding<Sqrt, T, 1>(key);
    case Operation::kRcp:
      return key.approximate ? nullptr : with_rounding<Rcp, T, 1>(key);
    default:
      return nullptr;
  }
}

template <class D, class S, Modifier Rounding, bool Ftz, bool Sat>
void execute_convert(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                     ExecutionContext&) {
  RowOf<D>* d = row_at<D>(registers, op.row[0]);
  const RowOf<S>* a = row_at<S>(registers, op.row[1]);
  for (const unsigned l : lanes_in(mask)) {
    volatile S x = from_row<S>(a[l]);
    volatile D result;
    {
      const RoundingScope scope(mode_of(Rounding));
      result = static_cast<D>(x);
    }
    D value = static_cast<D>(result);
    if constexpr (std::is_same_v<D, float> && std::is_same_v<S, double>) {
      const double wide = x;
      if (wide != wide) value = portable::narrow_nan_to_float(wide);
    }
    if (Sat) value = portable::saturate(value);
    d[l] = to_row<D>(input<Ftz>(value));
  }
}
template <class D, class S, bool Ftz, bool Sat>
Executor conversion_with(const OperationKey& key) {
  switch (key.rounding) {
    case Modifier::kRz:
      return execute_convert<D, S, Modifier::kRz, Ftz, Sat>;
    case Modifier::kRm:
      return execute_convert<D, S, Modifier::kRm, Ftz, Sat>;
    case Modifier::kRp:
      return execute_convert<D, S, Modifier::kRp, Ftz, Sat>;
    default:
      return nullptr;
  }
}
template <class D, class S>
Executor conversion_from(const OperationKey& key) {
  if constexpr (std::is_same_v<S, double>) {
    if (key.ftz)
      return key.saturate ? conversion_with<D, S, true, true>(key)
                          : conversion_with<D, S, true, false>(key);
    if (key.saturate) return conversion_with<D, S, false, true>(key);
  }
  return key.saturate || key.ftz ? nullptr : conversion_with<D, S, false, false>(key);
}
template <class D>
Executor conversion(const OperationKey& key) {
  switch (key.source_type) {
    case DataType::kU8:
      return conversion_from<D, std::uint8_t>(key);
    case DataType::kS8:
      return conversion_from<D, std::int8_t>(key);
    case DataType::kU16:
      return conversion_from<D, std::uint16_t>(key);
    case DataType::kS16:
      return conversion_from<D, std::int16_t>(key);
    case DataType::kU32:
      return conversion_from<D, std::uint32_t>(key);
    case DataType::kS32:
      return conversion_from<D, std::int32_t>(key);
    case DataType::kU64:
      return conversion_from<D, std::uint64_t>(key);
    case DataType::kS64:
      return conversion_from<D, std::int64_t>(key);
    case DataType::kF64:
      if constexpr (sizeof(D) == 4) return conversion_from<D, double>(key);
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_directed(const OperationKey& key) {
  if (key.operation == Operation::kConvert) {
    if (key.type == DataType::kF32) return conversion<float>(key);
    return key.type == DataType::kF64 ? conversion<double>(key) : nullptr;
  }
  if (key.type == DataType::kF32) return arithmetic<float>(key);
  if (key.type == DataType::kF64) return arithmetic<double>(key);
  return nullptr;
}

}  // namespace tilescope
