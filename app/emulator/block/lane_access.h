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
  ExecutionContext* owner = nullptr;  // of shared memory: the block that it belongs to
  // Precondition: shared memory.
  [[nodiscard]] std::uint64_t offset() const {
    return static_cast<std::uint64_t>(data - owner->shared);
  }
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

// Where a matrix of wmma lies in memory.
struct MatrixPlace {
  std::uint64_t address = 0;
  std::uint64_t pitch_bits = 0;  // from row to row, or column to column
  unsigned element_bits = 0;
  unsigned alignment = 16;  // bytes
};
// It begins at a multiple of its alignment, and its rows lie as far apart (PTX ISA, "wmma.load":
// that of a lane's fragment; the CUDA C++ Programming Guide asks of halves and floats 16 bytes for
// the leading dimension, which are the most that is checked here). Reports it for `lane`.
void check_matrix(const MicroOp& op, unsigned lane, const MatrixPlace& matrix,
                  ExecutionContext& context);

// Index of a lane's thread in its block.
[[nodiscard]] Dim3 thread_of(const ExecutionContext& context, unsigned lane);

void report(ExecutionContext& context, FindingKind kind, const MicroOp& op, unsigned lane,
            std::string message);

}  // namespace tilescope
