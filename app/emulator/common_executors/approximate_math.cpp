#include <cmath>

#include "emulator/common_executors/families.h"
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
  // What rounds up to 2^-126 is flushed too (flush_result).
  return Ftz && std::fabs(x) < 0x1.ffffffp-127 ? std::copysign(0.0f, narrow) : narrow;
}

// The hardware's sine and cosine take turns: PTX's are made of a product with 1 / (2 pi), rounded
// towards zero, and of them (so ptxas writes it). Far from zero little of the angle is left, and
// beyond 2^24 turns nothing.
constexpr double kTurn = 6.283185307179586477;
float turns_of(float radians) {
  const double exact = static_cast<double>(radians) * static_cast<double>(0x1.45f306p-3f);
  const auto nearest = static_cast<float>(exact);
  const bool beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(exact);
  return beyond ? std::nextafter(nearest, 0.0f) : nearest;
}
template <bool Ftz>
struct SinTurns {
  float operator()(float turns) const {
    return out<Ftz>(std::sin(kTurn * std::remainder(static_cast<double>(in<Ftz>(turns)), 1.0)));
  }
};
template <bool Ftz>
struct CosTurns {
  float operator()(float turns) const {
    return out<Ftz>(std::cos(kTurn * std::remainder(static_cast<double>(in<Ftz>(turns)), 1.0)));
  }
};
template <bool Ftz>
struct Sin {
  float operator()(float x) const { return SinTurns<Ftz>{}(turns_of(in<Ftz>(x))); }
};
template <bool Ftz>
struct Cos {
  float operator()(float x) const { return CosTurns<Ftz>{}(turns_of(in<Ftz>(x))); }
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

// f64: rcp.approx.ftz and rsqrt.approx.ftz read the upper half of the operand and give the upper
// half of the result; the other halves are zero.
double upper_half(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u;
  const bool is_small = (bits & 0x7ff0000000000000u) == 0;
  return std::bit_cast<double>(is_small ? bits & 0x8000000000000000u : bits);
}
struct RcpWide {
  double operator()(double x) const { return upper_half(1.0 / upper_half(x)); }
};
struct RsqrtWide {
  double operator()(double x) const { return 1.0 / std::sqrt(x); }
};
struct RsqrtWideFtz {
  double operator()(double x) const { return upper_half(1.0 / std::sqrt(upper_half(x))); }
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
      return kind == FP_NORMAL || kind == FP_ZERO;
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
    case Operation::kSinTurns:
      return unary<SinTurns>(key);
    case Operation::kCosTurns:
      return unary<CosTurns>(key);
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
