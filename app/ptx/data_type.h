#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

// PTX fundamental and packed types (PTX ISA, "Types").
enum class DataType : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kU8,
  kS8,
  kB16,
  kU16,
  kS16,
  kF16,
  kBf16,
  kB32,
  kU32,
  kS32,
  kF32,
  kF16x2,
  kBf16x2,
  kTf32,
  kU16x2,
  kS16x2,
  kE4m3x2,
  kE5m2x2,
  kB64,
  kU64,
  kS64,
  kF64,
  kF32x2,
  kB128,
  // elements of matrices and of packed conversions only
  kB1,
  kU4,
  kS4,
  kE4m3,
  kE5m2,
  kE2m3,
  kE3m2,
  kE2m1,
  kE2m3x2,
  kE3m2x2,
  kE2m1x2,
  kUe8m0x2,
};

// State spaces.
enum class MemorySpace : std::uint8_t {
  kNone,
  kGlobal,
  kShared,
  kLocal,
  kConstant,
  kParameter,
  kGeneric,
  kClusterShared  // of an access alone: the shared memory of another block of the cluster
};

[[nodiscard]] std::optional<DataType> parse_data_type(std::string_view name);  // "f32", no dot
[[nodiscard]] std::string_view name_of(DataType type);
[[nodiscard]] unsigned bytes_of(DataType type);  // a predicate has 0
[[nodiscard]] bool is_signed(DataType type);
[[nodiscard]] bool is_float(DataType type);  // f16 ... f64 and the packed forms

// The same width with no interpretation: kF32 -> kB32.
[[nodiscard]] DataType bits_of(DataType type);

}  // namespace tilescope
