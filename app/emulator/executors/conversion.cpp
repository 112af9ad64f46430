#include "emulator/executors/conversion_functions.h"
#include "emulator/executors/families.h"

// The conversions that ordinary kernels are full of; the others: rare_conversion.cpp.
namespace tilescope::TILESCOPE_ISA {
namespace {

template <class D, class S>
Executor integer(const OperationKey& key) {
  if constexpr (sizeof(D) == 8)
    return execute_unary<IntegerToInteger<std::uint64_t, D, S, false>, std::uint64_t, S>;
  if (key.wide_result) return nullptr;
  return execute_unary<IntegerToInteger<std::uint32_t, D, S, false>, std::uint32_t, S>;
}

template <class D>
Executor to_integer(const OperationKey& key) {
  if (key.saturate) return nullptr;
  switch (key.source_type) {
    case DataType::kU8:
      return integer<D, std::uint8_t>(key);
    case DataType::kS8:
      return integer<D, std::int8_t>(key);
    case DataType::kU16:
      return integer<D, std::uint16_t>(key);
    case DataType::kS16:
      return integer<D, std::int16_t>(key);
    case DataType::kU32:
      return integer<D, std::uint32_t>(key);
    case DataType::kS32:
      return integer<D, std::int32_t>(key);
    case DataType::kU64:
      return integer<D, std::uint64_t>(key);
    case DataType::kS64:
      return integer<D, std::int64_t>(key);
    case DataType::kF32:
      if constexpr (sizeof(D) == 4) {
        if (key.ftz || key.wide_result) return nullptr;
        if (key.rounding == Modifier::kRzi)
          return execute_unary<FloatToInteger<std::uint32_t, D, float, Round::kZero, false>,
                               std::uint32_t, float>;
        if (key.rounding == Modifier::kRni)
          return execute_unary<FloatToInteger<std::uint32_t, D, float, Round::kNearest, false>,
                               std::uint32_t, float>;
      }
      return nullptr;
    default:
      return nullptr;
  }
}

Executor to_f32(const OperationKey& key) {
  if (key.rounding != Modifier::kRn || key.saturate || key.ftz) return nullptr;
  switch (key.source_type) {
    case DataType::kU32:
      return execute_unary<IntegerToFloat<float, std::uint32_t>, float, std::uint32_t>;
    case DataType::kS32:
      return execute_unary<IntegerToFloat<float, std::int32_t>, float, std::int32_t>;
    case DataType::kF16:
      return execute_unary<FloatToFloat<float, Half, false, false, false>, float, Half>;
    case DataType::kBf16:
      return execute_unary<FloatToFloat<float, Bfloat, false, false, false>, float, Bfloat>;
    case DataType::kF64:
      return execute_unary<FloatToFloat<float, double, false, false, false>, float, double>;
    default:
      return nullptr;
  }
}

template <class H, bool Pair>
Executor to_half_of(const OperationKey& key) {
  const bool plain = key.rounding == Modifier::kRn && !key.saturate && !key.ftz && !key.relu;
  if (!plain || key.source_type != DataType::kF32) return nullptr;
  if constexpr (Pair) {
    return execute_binary<PackPair<H, false, false>, std::uint32_t, float, float>;
  } else {
    return execute_unary<FloatToFloat<H, float, false, false, false>, H, float>;
  }
}

}  // namespace

Executor find_conversion(const OperationKey& key) {
  switch (key.type) {
    case DataType::kU32:
      return to_integer<std::uint32_t>(key);
    case DataType::kS32:
      return to_integer<std::int32_t>(key);
    case DataType::kU64:
      return to_integer<std::uint64_t>(key);
    case DataType::kS64:
      return to_integer<std::int64_t>(key);
    case DataType::kU16:
      return to_integer<std::uint16_t>(key);
    case DataType::kS16:
      return to_integer<std::int16_t>(key);
    case DataType::kF32:
      return to_f32(key);
    case DataType::kF16:
      return to_half_of<Half, false>(key);
    case DataType::kBf16:
      return to_half_of<Bfloat, false>(key);
    case DataType::kF16x2:
      return to_half_of<Half, true>(key);
    case DataType::kBf16x2:
      return to_half_of<Bfloat, true>(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
