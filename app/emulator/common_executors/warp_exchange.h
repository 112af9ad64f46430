#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/execution/execution_context.h"
#include "emulator/micro_operation.h"
#include "emulator/operation.h"
#include "emulator/warp_access.h"

// How the lanes of a warp exchange values, as far as the checks must know it too.
namespace tilescope {

// The mask that each lane names (.sync), of those that take part.
using MemberMasks = std::array<std::uint32_t, kWarpSize>;
// Of an instruction whose lanes name them (WarpUse::kNamed), before it executes.
[[nodiscard]] MemberMasks member_masks(Operation operation, const MicroOp& op,
                                       const std::byte* registers, const ExecutionContext& context);
// Those of `lanes` (not 0) that name the same mask as the first of them: lanes that come together
// may take part in groups of their own (tiles).
[[nodiscard]] std::uint32_t same_mask(const MemberMasks& masks, std::uint32_t lanes);

// Where a lane of shfl takes its value from (PTX ISA, "shfl.sync").
struct ShuffleSource {
  std::uint32_t lane = 0;  // the lane itself where the source lies outside its segment
  bool inside = false;     // the source lies in its segment: what shfl's predicate says
};

// `mode`: .up .down .bfly .idx; `b`: the distance or the lane; `c`: the clamp and the mask of
// segments.
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
