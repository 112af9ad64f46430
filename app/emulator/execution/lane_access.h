#pragma once
#include <optional>
#include <string>

#include "emulator/execution/execution_context.h"

namespace tilescope {

// One lane's access, settled by itself: where its bytes lie. nullopt after
// telling the observers what is wrong with it.
struct LanePlace {
  std::byte* data = nullptr;
  std::uint64_t shown_address = 0;  // as WarpAccess shows it
  MemorySpace space = MemorySpace::kGlobal;
  ExecutionContext* owner = nullptr;  // of shared memory: the block that it belongs to
  // Precondition: shared memory.
  [[nodiscard]] std::uint64_t offset() const {
    return static_cast<std::uint64_t>(data - owner->shared);
  }
};
[[nodiscard]] std::optional<LanePlace> place_lane(const MicroOp& op, unsigned lane,
                                                  std::uint64_t address, MemorySpace space,
                                                  bool writes, ExecutionContext& context);

// Places every lane of the mask; lanes that cannot be placed are left out of the returned mask.
// The sink is told of the rest, one access for each space they are in.
struct PlacedLanes {
  std::uint32_t mask = 0;
  std::array<std::byte*, kWarpSize> data{};
};
[[nodiscard]] PlacedLanes place_lanes(const MicroOp& op, std::uint32_t mask, MemorySpace space,
                                      AccessKind kind, const LaneArray& addresses,
                                      ExecutionContext& context);

// The space that a generic address lies in; others are what they are. The address is then one in
// that space.
[[nodiscard]] MemorySpace resolve_space(MemorySpace space, std::uint64_t* address);

// Index of a lane's thread in its block.
[[nodiscard]] Dim3 thread_of(const ExecutionContext& context, unsigned lane);

void report(ExecutionContext& context, FindingKind kind, const MicroOp& op, unsigned lane,
            std::string message);

}  // namespace tilescope
