#pragma once
#include <optional>
#include <string>

#include "emulator/block/execution_context.h"

namespace tilescope {

// One lane's access, settled by itself: where its bytes lie. nullopt after reporting what is wrong.
struct LanePlace {
  std::byte* data = nullptr;
  std::uint64_t shown_address = 0;  // as WarpAccess shows it
  MemorySpace space = MemorySpace::kGlobal;
};
[[nodiscard]] std::optional<LanePlace> place_lane(const MicroOp& op, unsigned lane,
                                                  std::uint64_t address, MemorySpace space,
                                                  bool writes, ExecutionContext& context);

// Places every lane of the mask; lanes that fail are reported and left out of the returned mask.
// The sink is told of the rest, one access for each space they are in.
struct PlacedLanes {
  std::uint32_t mask = 0;
  std::array<std::byte*, kWarpSize> data{};
};
[[nodiscard]] PlacedLanes place_lanes(const MicroOp& op, std::uint32_t mask, MemorySpace space,
                                      AccessKind kind, const LaneArray& addresses,
                                      ExecutionContext& context);

// A matrix of wmma begins at a multiple of 16 bytes, and its rows (or columns) lie as far apart
// (CUDA C++ Programming Guide, "Warp Matrix Functions": the leading dimension; the guide asks for
// 32 bytes at the beginning, which no hardware has been seen to need). Reports the first lane where
// not.
void check_matrix(const MicroOp& op, unsigned lane, std::uint64_t address, std::uint64_t pitch_bits,
                  unsigned element_bits, ExecutionContext& context);

// Index of a lane's thread in its block.
[[nodiscard]] Dim3 thread_of(const ExecutionContext& context, unsigned lane);

void report(ExecutionContext& context, FindingKind kind, const MicroOp& op, unsigned lane,
            std::string message);

}  // namespace tilescope
