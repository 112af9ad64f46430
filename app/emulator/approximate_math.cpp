#include <cmath>

#include "emulator/common_families.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/lanes.h"

// The functions that PTX computes approximately (.approx, .full). The hardware's last bits are not
// documented; here the result is the correctly rounded one as far as libm gives it, which lies
// within the error that the PTX ISA states.
namespace tilescope {
namespace {

using portable::canonical;
using portable::execute_binary;
using portable::execute_unary;
using portable::flush;

template <bool Ftz>
float in(float x) {
  return Ftz ? flush(x) : x;
}
template <bool Ftz>
float out(double x) {
  const float narrow = canonical(static_cast<float>(x));
  return Ftz ? flush(narrow) : narrow;
}

template <bool Ftz>
struct Sin {
  float operator()(float x) const { return out<Ftz>(std::sin(static_cast<double>(in<Ftz>(x)))); }
};
template <bool Ftz>
struct Cos {
  float operator()(float x) const { return out<Ftz>(std::cos(static_cast<double>(in<Ftz>(x)))); }
};
template <bool Ftz>
struct Ex2 {
  float operator()(float x) const { return out<Ftz>(std::exp2(static_cast<double>(in<Ftz>(x)))); }
};
template <bool Ftz>
struct Lg2 {
  float operator()(float x) const { return out<Ftz>(std::log2(static_cast<double>(in<Ftz>(x)))); }
};
template <bool>
struct Tanh {
  float operator()(float x) const { return out<false>(std::tanh(static_cast<double>(x))); }
};
template <bool Ftz>
struct Rsqrt {
  float operator()(float x) const {
    return out<Ftz>(1.0 / std::sqrt(static_cast<double>(in<Ftz>(x))));
  }
};
template <bool Ftz>
struct Rcp {
  float operator()(float x) const { return out<Ftz>(1.0 / static_cast<double>(in<Ftz>(x))); }
};
template <bool Ftz>
struct Sqrt {
  float operator()(float x) const { return out<Ftz>(std::sqrt(static_cast<double>(in<Ftz>(x)))); }
};
// .approx: a * (1 / b); where |b| lies above 2^126 the reciprocal is 0 (PTX ISA, div).
template <bool Ftz>
struct DivApprox {
  float operator()(float x, float y) const {
    const float a = in<Ftz>(x);
    const float b = in<Ftz>(y);
    if (std::fabs(b) > 0x1p126f && std::fabs(b) < INFINITY)
      return canonical(a * std::copysign(0.0f, b));
    return out<Ftz>(static_cast<double>(a) / static_cast<double>(b));
  }
};
template <bool Ftz>
struct DivFull {
  float operator()(float x, float y) const {
    return out<Ftz>(static_cast<double>(in<Ftz>(x)) / static_cast<double>(in<Ftz>(y)));
  }
};

// f64: rcp.approx.ftz and rsqrt.approx.ftz give the upper half of the result, the lower is zero.
struct RcpWide {
  double operator()(double x) const {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0 / x) & 0xffffffff00000000u);
  }
};
struct RsqrtWide {
  double operator()(double x) const { return 1.0 / std::sqrt(x); }
};
struct RsqrtWideFtz {
  double operator()(double x) const {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0 / std::sqrt(x)) &
                                 0xffffffff00000000u);
  }
};

template <template <bool> class F>
Executor unary(const OperationKey& key) {
  return key.ftz ? execute_unary<F<true>, float, float> : execute_unary<F<false>, float, float>;
}

template <class T, Modifier Test>
bool passes(T x) {
  const int kind = std::fpclassify(x);
  switch (Test) {
    case Modifier::kFinite:
      return kind != FP_NAN && kind != FP_INFINITE;
    case Modifier::kInfinite:
      return kind == FP_INFINITE;
    case Modifier::kNumber:
      return kind != FP_NAN;
    case Modifier::kNotanumber:
      return kind == FP_NAN;
    case Modifier::kNormal:
      return kind == FP_NORMAL;
    default:
      return kind == FP_SUBNORMAL;
  }
}
template <class T, Modifier Test>
void execute_testp(const MicroOp& op, std::byte* registers, std::uint32_t mask, ExecutionContext&) {
  const portable::RowOf<T>* a = portable::row_at<T>(registers, op.row[1]);
  const std::uint32_t lanes =
      portable::collect_lanes([&](int l) { return passes<T, Test>(portable::from_row<T>(a[l])); });
  portable::set_predicate(registers, op.row[0], lanes, mask);
}
template <class T>
Executor testp(Modifier test) {
  switch (test) {
    case Modifier::kFinite:
      return execute_testp<T, Modifier::kFinite>;
    case Modifier::kInfinite:
      return execute_testp<T, Modifier::kInfinite>;
    case Modifier::kNumber:
      return execute_testp<T, Modifier::kNumber>;
    case Modifier::kNotanumber:
      return execute_testp<T, Modifier::kNotanumber>;
    case Modifier::kNormal:
      return execute_testp<T, Modifier::kNormal>;
    default:
      return execute_testp<T, Modifier::kSubnormal>;
  }
}

}  // namespace

// Asked after the exact families, so sqrt, rcp and div arrive here only as .approx or .full.
Executor find_approximate(const OperationKey& key) {
  if (key.operation == Operation::kTestp) {
    return key.type == DataType::kF64 ? testp<double>(key.comparison)
                                      : testp<float>(key.comparison);
  }
  if (key.type == DataType::kF64) {
    if (key.operation == Operation::kRcp && key.approximate)
      return execute_unary<RcpWide, double, double>;
    if (key.operation == Operation::kRsqrt) {
      return key.ftz ? execute_unary<RsqrtWideFtz, double, double>
                     : execute_unary<RsqrtWide, double, double>;
    }
    return nullptr;
  }
  if (key.type != DataType::kF32) return nullptr;
  switch (key.operation) {
    case Operation::kSin:
      return unary<Sin>(key);
    case Operation::kCos:
      return unary<Cos>(key);
    case Operation::kEx2:
      return unary<Ex2>(key);
    case Operation::kLg2:
      return unary<Lg2>(key);
    case Operation::kTanh:
      return unary<Tanh>(key);
    case Operation::kRsqrt:
      return unary<Rsqrt>(key);
    case Operation::kRcp:
      return key.approximate ? unary<Rcp>(key) : nullptr;
    case Operation::kSqrt:
      return key.approximate ? unary<Sqrt>(key) : nullptr;
    case Operation::kDiv:
      if (!key.approximate) return nullptr;
      if (key.comparison == Modifier::kFull) {
        return key.ftz ? execute_binary<DivFull<true>, float, float, float>
                       : execute_binary<DivFull<false>, float, float, float>;
      }
      return key.ftz ? execute_binary<DivApprox<true>, float, float, float>
                     : execute_binary<DivApprox<false>, float, float, float>;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
