#pragma once
#include <cstdint>

#include "emulator/formats/narrow_floats.h"
#include "ptx/data_type.h"

namespace tilescope {

// What a cvt of kConvertNarrow does, as MicroOp::immediate carries it.
struct NarrowConversion {
  enum class Shape : std::uint8_t {
    kOne,         // one element
    kTwoSources,  // two registers into a pair, the first one into its upper half
    kPair,        // a pair into a pair
  };
  DataType to = DataType::kF16;
  DataType from = DataType::kF32;
  NarrowRounding rounding = NarrowRounding::kNearestEven;
  Shape shape = Shape::kOne;
  bool relu = false;
  bool satfinite = false;

  [[nodiscard]] std::int64_t pack() const;
  [[nodiscard]] static NarrowConversion unpack(std::int64_t bits);
};

}  // namespace tilescope
