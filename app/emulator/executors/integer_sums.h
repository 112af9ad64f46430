#pragma once
#include <cstdint>

#include "emulator/executors/lanes.h"

namespace tilescope::TILESCOPE_ISA {

// A sum of products of whole numbers, exact in double, as s32: clamped (.satfinite), or its low
// bits.
TILESCOPE_INLINE std::uint32_t to_int32(double value, bool clamps) {
  if (!clamps) return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  const double low = value < -2147483648.0 ? -2147483648.0 : value;
  return static_cast<std::uint32_t>(
      static_cast<std::int32_t>(low > 2147483647.0 ? 2147483647.0 : low));
}

}  // namespace tilescope::TILESCOPE_ISA
