#pragma once
#include <cstdint>

#include "emulator/operation.h"

namespace tilescope {

// Where a lane of shfl takes its value from (PTX ISA, "shfl.sync").
struct ShuffleSource {
  std::uint32_t lane = 0;  // the lane itself where the source lies outside its segment
  bool inside = false;     // the source lies in its segment: what shfl's predicate says
};

// `b`: the distance or the lane; `c`: the clamp and the mask of segments.
[[nodiscard]] inline ShuffleSource shuffle_source(Modifier mode, std::uint32_t lane,
                                                  std::uint32_t b, std::uint32_t c) {
  const std::uint32_t by = b & 0x1fu;
  const std::uint32_t clamp = c & 0x1fu;
  const std::uint32_t segment = (c >> 8) & 0x1fu;
  const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
  std::uint32_t from = (lane & segment) | (by & ~segment);
  if (mode == Modifier::kUp) from = lane - by;
  if (mode == Modifier::kDown) from = lane + by;
  if (mode == Modifier::kBfly) from = lane ^ by;
  const bool inside = mode == Modifier::kUp
                          ? static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(highest)
                          : from <= highest;
  return {inside ? from : lane, inside};
}

}  // namespace tilescope
