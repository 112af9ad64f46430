#include <cstring>

#include "emulator/block/block_runner.h"

// Special registers: rows that hold the same value all through a block.
namespace tilescope {

void BlockRunner::fill_specials(Warp& warp) {
  const auto put = [&](const SpecialRow& special, unsigned lane, std::uint32_t value) {
    std::byte* cell = warp.registers + special.row + std::size_t{lane} * (special.wide ? 8 : 4);
    const std::uint64_t wide = value;
    std::memcpy(cell, &wide, special.wide ? 8 : 4);
  };
  const Dim3& grid = launch_.grid;
  const Dim3& block = launch_.block;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const Dim3 thread = unflatten(std::uint64_t{warp.index} * kWarpSize + lane, block);
    const std::uint32_t bit = 1u << lane;
    for (const SpecialRow& special : code_.specials) {
      std::uint32_t value = 0;
      switch (special.value) {
        case SpecialValue::kTidX:
          value = thread.x;
          break;
        case SpecialValue::kTidY:
          value = thread.y;
          break;
        case SpecialValue::kTidZ:
          value = thread.z;
          break;
        case SpecialValue::kNtidX:
          value = block.x;
          break;
        case SpecialValue::kNtidY:
          value = block.y;
          break;
        case SpecialValue::kNtidZ:
          value = block.z;
          break;
        case SpecialValue::kCtaidX:
          value = context_.block.x;
          break;
        case SpecialValue::kCtaidY:
          value = context_.block.y;
          break;
        case SpecialValue::kCtaidZ:
          value = context_.block.z;
          break;
        case SpecialValue::kNctaidX:
          value = grid.x;
          break;
        case SpecialValue::kNctaidY:
          value = grid.y;
          break;
        case SpecialValue::kNctaidZ:
          value = grid.z;
          break;
        case SpecialValue::kLaneid:
          value = lane;
          break;
        case SpecialValue::kWarpid:
          value = warp.index;
          break;
        case SpecialValue::kNwarpid:
          value = static_cast<std::uint32_t>(warps_.size());
          break;
        case SpecialValue::kLanemaskEq:
          value = bit;
          break;
        case SpecialValue::kLanemaskLe:
          value = bit | (bit - 1);
          break;
        case SpecialValue::kLanemaskLt:
          value = bit - 1;
          break;
        case SpecialValue::kLanemaskGe:
          value = ~(bit - 1);
          break;
        case SpecialValue::kLanemaskGt:
          value = ~(bit | (bit - 1));
          break;
        case SpecialValue::kDynamicSharedBytes:
          value = launch_.dynamic_shared_bytes;
          break;
        case SpecialValue::kTotalSharedBytes:
          value = static_cast<std::uint32_t>(context_.shared_bytes);
          break;
        case SpecialValue::kFrame:
          value = code_.frame_start;
          break;
        case SpecialValue::kReservedShared:
          value = reserved_shared_;
          break;
        case SpecialValue::kReservedSharedOfGroups:  // the first bytes are the system's
          value = reserved_shared_ + kReservedSharedBytes / 2;
          break;
        case SpecialValue::kReservedSharedEnd:
          value = reserved_shared_ + kReservedSharedBytes;
          break;
        case SpecialValue::kNsmid:
        case SpecialValue::kOne:
          value = 1;
          break;
        case SpecialValue::kSmid:
        case SpecialValue::kGridid:
        case SpecialValue::kZero:
          break;
      }
      put(special, lane, value);
    }
  }
}

}  // namespace tilescope
