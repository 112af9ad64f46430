#include "emulator/block/block_runner.h"
#include "emulator/block/register_cells.h"

// Special registers: rows that hold the same value all through a block.
namespace tilescope {

std::uint32_t BlockRunner::value_of(SpecialValue special, const Warp& warp, unsigned lane,
                                    const Dim3& thread) const {
  const Dim3& grid = launch_.grid;
  const Dim3& block = launch_.block;
  const Dim3& cluster = code_.cluster;
  const std::uint32_t bit = 1u << lane;
  switch (special) {
    case SpecialValue::kTidX:
      return thread.x;
    case SpecialValue::kTidY:
      return thread.y;
    case SpecialValue::kTidZ:
      return thread.z;
    case SpecialValue::kNtidX:
      return block.x;
    case SpecialValue::kNtidY:
      return block.y;
    case SpecialValue::kNtidZ:
      return block.z;
    case SpecialValue::kCtaidX:
      return context_.block.x;
    case SpecialValue::kCtaidY:
      return context_.block.y;
    case SpecialValue::kCtaidZ:
      return context_.block.z;
    case SpecialValue::kNctaidX:
      return grid.x;
    case SpecialValue::kNctaidY:
      return grid.y;
    case SpecialValue::kNctaidZ:
      return grid.z;
    case SpecialValue::kClusterIdX:
      return context_.block.x / cluster.x;
    case SpecialValue::kClusterIdY:
      return context_.block.y / cluster.y;
    case SpecialValue::kClusterIdZ:
      return context_.block.z / cluster.z;
    case SpecialValue::kNclusterIdX:
      return grid.x / cluster.x;
    case SpecialValue::kNclusterIdY:
      return grid.y / cluster.y;
    case SpecialValue::kNclusterIdZ:
      return grid.z / cluster.z;
    case SpecialValue::kClusterCtaidX:
      return context_.block.x % cluster.x;
    case SpecialValue::kClusterCtaidY:
      return context_.block.y % cluster.y;
    case SpecialValue::kClusterCtaidZ:
      return context_.block.z % cluster.z;
    case SpecialValue::kClusterNctaidX:
      return cluster.x;
    case SpecialValue::kClusterNctaidY:
      return cluster.y;
    case SpecialValue::kClusterNctaidZ:
      return cluster.z;
    case SpecialValue::kClusterRank:
      return static_cast<std::uint32_t>(
          flatten({context_.block.x % cluster.x, context_.block.y % cluster.y,
                   context_.block.z % cluster.z},
                  cluster));
    case SpecialValue::kClusterSize:
      return static_cast<std::uint32_t>(cluster.count());
    case SpecialValue::kLaneid:
      return lane;
    case SpecialValue::kWarpid:
      return warp.index;
    case SpecialValue::kNwarpid:
      return static_cast<std::uint32_t>(warps_.size());
    case SpecialValue::kLanemaskEq:
      return bit;
    case SpecialValue::kLanemaskLe:
      return bit | (bit - 1);
    case SpecialValue::kLanemaskLt:
      return bit - 1;
    case SpecialValue::kLanemaskGe:
      return ~(bit - 1);
    case SpecialValue::kLanemaskGt:
      return ~(bit | (bit - 1));
    case SpecialValue::kDynamicSharedBytes:
      return launch_.dynamic_shared_bytes;
    case SpecialValue::kTotalSharedBytes:
      return static_cast<std::uint32_t>(context_.shared_bytes);
    case SpecialValue::kFrame:
      return code_.frame_start;
    case SpecialValue::kReservedShared:
      return reserved_shared_;
    case SpecialValue::kReservedSharedOfGroups:  // the first bytes are the system's
      return reserved_shared_ + kReservedSharedBytes / 2;
    case SpecialValue::kReservedSharedEnd:
      return reserved_shared_ + kReservedSharedBytes;
    case SpecialValue::kNsmid:
      return 1;
    case SpecialValue::kSmid:
    case SpecialValue::kGridid:
    case SpecialValue::kZero:
      return 0;
  }
  return 0;
}

void BlockRunner::fill_specials(Warp& warp) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Dim3 thread = unflatten(std::uint64_t{warp.index} * kWarpSize + lane, launch_.block);
    for (const SpecialRow& special : code_.specials) {
      put_cell(warp.registers, special.row, lane, special.wide,
               value_of(special.value, warp, lane, thread));
    }
  }
}

}  // namespace tilescope
