#include "emulator/common_executors/families.h"
#include "emulator/executors/conversion_functions.h"

// Every conversion of PTX's cvt that executors/conversion.cpp leaves out: these are rare enough for
// one build.
namespace tilescope {
namespace portable {
namespace {

template <class D, class S, bool Sat>
Executor integer_to_integer(const OperationKey& key) {
  if constexpr (sizeof(D) == 8) {
    return execute_unary<IntegerToInteger<std::uint64_t, D, S, Sat>, std::uint64_t, S>;
  } else {
    if (key.wide_result)
      return execute_unary<IntegerToInteger<std::uint64_t, D, S, Sat>, std::uint64_t, S>;
    return execute_unary<IntegerToInteger<std::uint32_t, D, S, Sat>, std::uint32_t, S>;
  }
}

template <class D, class S, Round Mode>
Executor float_to_integer(const OperationKey& key) {
  if constexpr (sizeof(D) == 8) {
    return key.ftz
               ? execute_unary<FloatToInteger<std::uint64_t, D, S, Mode, true>, std::uint64_t, S>
               : execute_unary<FloatToInteger<std::uint64_t, D, S, Mode, false>, std::uint64_t, S>;
  } else {
    if (key.wide_result)
      return execute_unary<FloatToInteger<std::uint64_t, D, S, Mode, false>, std::uint64_t, S>;
    return key.ftz
               ? execute_unary<FloatToInteger<std::uint32_t, D, S, Mode, true>, std::uint32_t, S>
               : execute_unary<FloatToInteger<std::uint32_t, D, S, Mode, false>, std::uint32_t, S>;
  }
}

template <class T, Round Mode>
Executor round_same(const OperationKey& key) {
  if (key.ftz && std::is_same_v<T, float>) {
    return key.saturate ? execute_unary<RoundSame<T, Mode, true, true>, T, T>
                        : execute_unary<RoundSame<T, Mode, true, false>, T, T>;
  }
  return key.saturate ? execute_unary<RoundSame<T, Mode, false, true>, T, T>
                      : execute_unary<RoundSame<T, Mode, false, false>, T, T>;
}

template <class D, class S>
Executor float_to_float(const OperationKey& key) {
  switch (key.rounding) {
    case Modifier::kRni:
    case Modifier::kRzi:
    case Modifier::kRmi:
    case Modifier::kRpi:
      if constexpr (std::is_same_v<D, S>) {
        if (key.rounding == Modifier::kRni) return round_same<D, Round::kNearest>(key);
        if (key.rounding == Modifier::kRzi) return round_same<D, Round::kZero>(key);
        if (key.rounding == Modifier::kRmi) return round_same<D, Round::kDown>(key);
        return round_same<D, Round::kUp>(key);
      }
      return nullptr;
    case Modifier::kRz:
      if constexpr (kIsHalf<D> && std::is_same_v<S, float>)
        return key.relu ? execute_unary<TowardsZero<D, true>, D, S>
                        : execute_unary<TowardsZero<D>, D, S>;
      return nullptr;
    case Modifier::kRn:
      break;
    default:
      return nullptr;
  }
  if (key.ftz) {
    return key.saturate ? execute_unary<FloatToFloat<D, S, true, true, false>, D, S>
                        : execute_unary<FloatToFloat<D, S, true, false, false>, D, S>;
  }
  if (key.relu) return execute_unary<FloatToFloat<D, S, false, false, true>, D, S>;
  return key.saturate ? execute_unary<FloatToFloat<D, S, false, true, false>, D, S>
                      : execute_unary<FloatToFloat<D, S, false, false, false>, D, S>;
}

template <class D, class S>
Executor convert(const OperationKey& key) {
  constexpr bool kFromInteger = std::is_integral_v<S>;
  constexpr bool kToInteger = std::is_integral_v<D>;
  if constexpr (kFromInteger && kToInteger) {
    return key.saturate ? integer_to_integer<D, S, true>(key)
                        : integer_to_integer<D, S, false>(key);
  } else if constexpr (kFromInteger) {
    return key.rounding == Modifier::kRn && !key.saturate
               ? execute_unary<IntegerToFloat<D, S>, D, S>
               : nullptr;
  } else if constexpr (kToInteger) {
    switch (key.rounding) {
      case Modifier::kRni:
        return float_to_integer<D, S, Round::kNearest>(key);
      case Modifier::kRzi:
        return float_to_integer<D, S, Round::kZero>(key);
      case Modifier::kRmi:
        return float_to_integer<D, S, Round::kDown>(key);
      case Modifier::kRpi:
        return float_to_integer<D, S, Round::kUp>(key);
      default:
        return nullptr;
    }
  } else {
    return float_to_float<D, S>(key);
  }
}

template <class D>
Executor from(const OperationKey& key) {
  switch (key.source_type) {
    case DataType::kB8:
    case DataType::kU8:
      return convert<D, std::uint8_t>(key);
    case DataType::kS8:
      return convert<D, std::int8_t>(key);
    case DataType::kB16:
    case DataType::kU16:
      return convert<D, std::uint16_t>(key);
    case DataType::kS16:
      return convert<D, std::int16_t>(key);
    case DataType::kB32:
    case DataType::kU32:
      return convert<D, std::uint32_t>(key);
    case DataType::kS32:
      return convert<D, std::int32_t>(key);
    case DataType::kB64:
    case DataType::kU64:
      return convert<D, std::uint64_t>(key);
    case DataType::kS64:
      return convert<D, std::int64_t>(key);
    case DataType::kF16:
      return convert<D, Half>(key);
    case DataType::kBf16:
      return convert<D, Bfloat>(key);
    case DataType::kF32:
      return convert<D, float>(key);
    case DataType::kF64:
      return convert<D, double>(key);
    default:
      return nullptr;
  }
}

template <class H>
Executor pair(const OperationKey& key) {
  using U = std::uint32_t;
  if (key.source_type != DataType::kF32) return nullptr;
  if (key.rounding == Modifier::kRz) {
    return key.relu ? execute_binary<PackPair<H, true, true>, U, float, float>
                    : execute_binary<PackPair<H, true, false>, U, float, float>;
  }
  if (key.rounding != Modifier::kRn) return nullptr;
  return key.relu ? execute_binary<PackPair<H, false, true>, U, float, float>
                  : execute_binary<PackPair<H, false, false>, U, float, float>;
}

}  // namespace
}  // namespace portable

Executor find_rare_conversion(const OperationKey& key) {
  using namespace portable;
  if (key.operation != Operation::kConvert) return nullptr;
  switch (key.type) {
    case DataType::kB8:
    case DataType::kU8:
      return from<std::uint8_t>(key);
    case DataType::kS8:
      return from<std::int8_t>(key);
    case DataType::kB16:
    case DataType::kU16:
      return from<std::uint16_t>(key);
    case DataType::kS16:
      return from<std::int16_t>(key);
    case DataType::kB32:
    case DataType::kU32:
      return from<std::uint32_t>(key);
    case DataType::kS32:
      return from<std::int32_t>(key);
    case DataType::kB64:
    case DataType::kU64:
      return from<std::uint64_t>(key);
    case DataType::kS64:
      return from<std::int64_t>(key);
    case DataType::kF16:
      return from<Half>(key);
    case DataType::kBf16:
      return from<Bfloat>(key);
    case DataType::kF32:
      return from<float>(key);
    case DataType::kF64:
      return from<double>(key);
    case DataType::kF16x2:
      return pair<Half>(key);
    case DataType::kBf16x2:
      return pair<Bfloat>(key);
    case DataType::kTf32:
      if (key.source_type != DataType::kF32) return nullptr;
      if (key.rounding != Modifier::kRna) return execute_unary<ToTf32Even, std::uint32_t, float>;
      return key.saturate ? execute_unary<ToTf32<true>, std::uint32_t, float>
                          : execute_unary<ToTf32<false>, std::uint32_t, float>;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
