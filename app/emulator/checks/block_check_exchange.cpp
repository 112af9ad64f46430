#include <bit>
#include <cstring>

#include "emulator/checks/block_check.h"
#include "emulator/code.h"
#include "emulator/common_executors/shuffle_source.h"

// What the checks make of shfl.sync, vote.sync and their like.
namespace tilescope {
namespace {

std::uint32_t members_row(const InstructionNote& note, const MicroOp& op,
                          const ExecutionContext& context) {
  switch (note.members) {
    case InstructionNote::Members::kRow2:
      return op.row[2];
    case InstructionNote::Members::kRow3:
      return op.row[3];
    default:
      return further_row(op, context, 0);
  }
}

}  // namespace

// Lanes that come together may name groups of their own (tiles): each has its mask.
void BlockCheck::meet_members(const InstructionNote& note, const MicroOp& op, std::uint32_t lanes,
                              const Warp& warp) {
  std::array<std::uint32_t, kWarpSize> masks;
  std::memcpy(masks.data(), registers_ + members_row(note, op, context_), sizeof masks);
  for (std::uint32_t left = lanes; left != 0;) {
    const std::uint32_t members = masks[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint32_t group = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      group |= masks[lane] == members ? 1u << lane : 0u;
    group &= left;
    left &= ~group;
    if ((group & ~members) != 0) report_unnamed(op.instruction, warp, group & ~members, members);
    std::uint32_t missing = members & warp.alive & ~lanes;
    if (missing != 0) missing &= ~warp.leaving_lanes(context_.code->blocks);
    meeting_.come(warp.index, op.instruction, group, missing);
    order_.warp_sync(warp.index, group & members, warp.alive);
  }
  if (note.members == InstructionNote::Members::kFurther) follow_shuffle(op, lanes, warp, masks);
}

// PTX ISA, "shfl.sync": what a lane takes from one that is not active or not in its mask is
// undefined. A lane that is named and has not come yet is waited for.
void BlockCheck::follow_shuffle(const MicroOp& op, std::uint32_t lanes, const Warp& warp,
                                const std::array<std::uint32_t, kWarpSize>& masks) {
  std::uint32_t named = kFullMask;  // by all
  for (std::uint32_t left = lanes; left != 0; left &= left - 1)
    named &= masks[static_cast<std::size_t>(std::countr_zero(left))];
  if ((lanes & named) == kFullMask && !undefined_.any()) [[likely]]
    return;
  const InstructionNote& note = notes_.of[op.instruction];
  const std::uint32_t gone = ~warp.alive | warp.leaving_lanes(context_.code->blocks);
  std::array<std::uint32_t, kWarpSize> by;
  std::array<std::uint32_t, kWarpSize> clamp;
  std::memcpy(by.data(), registers_ + op.row[3], sizeof by);
  std::memcpy(clamp.data(), registers_ + op.row[4], sizeof clamp);
  std::array<std::uint32_t, kWarpSize> source{};
  LaneOrigins strange;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint32_t from = shuffle_source(note.shuffle, lane, by[lane], clamp[lane]).lane & 31u;
    source[lane] = from;
    const bool is_named = ((masks[lane] >> from) & 1u) != 0;
    const bool is_gone = ((gone & ~lanes) >> from & 1u) != 0;
    if (from == lane || (is_named && !is_gone)) return;
    const std::uint32_t thread = warp.index * 32 + lane;
    sources_.try_emplace({op.instruction, thread},
                         UndefinedSource{TakenValue{op.instruction, thread, from, masks[lane]}});
    strange.put(lane, undefined_.origin(op.instruction));
  });
  if (strange.lanes != 0 || undefined_.any()) undefined_.shuffle(executing(), source, strange);
}

}  // namespace tilescope
