#include "emulator/checks/named_barrier_check.h"

#include <fmt/format.h>

#include <bit>

namespace tilescope {

void NamedBarrierCheck::on_block_begin(std::vector<Warp>&) {
  for (; used_ != 0; used_ &= used_ - 1) {
    const auto id = static_cast<std::size_t>(std::countr_zero(used_));
    now_[id] = last_[id] = {};
  }
}

void NamedBarrierCheck::on_arrive(const BarrierArrival& arrival) {
  const std::uint32_t id = arrival.counted.id;
  const std::uint32_t instruction = arrival.block.last.instruction;
  if (instruction >= AccessStamp::kMostInstructions || arrival.named >= Barriers::kNamed) return;
  const std::uint32_t warp = arrival.warp.index;
  const std::uint32_t thread =
      warp * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(arrival.lanes));
  AccessStamp stamp;
  stamp.thread = thread & 0x3ffu;
  stamp.instruction = instruction & (AccessStamp::kMostInstructions - 1);
  stamp.tick = block_.order.now(warp) - 1;  // the arrival has made it rise
  used_ |= 1u << id;
  now_[id].warps |= 1u << warp;
  now_[id].some_only_arrive |= arrival.block.barrier == BarrierKind::kArrive;
  now_[id].arrivals[warp] = stamp;
  const Meeting& last = last_[id];
  if ((last.warps >> warp & 1u) != 0 || last.some_only_arrive || now_[id].some_only_arrive) return;
  for (std::uint32_t left = last.warps; left != 0; left &= left - 1) {
    const AccessStamp& other = last.arrivals[static_cast<std::size_t>(std::countr_zero(left))];
    if (block_.order.ordered(other, thread)) continue;
    if (!block_.reports.is_new(FindingKind::kBarrier, instruction)) return;
    block_.reports.add(
        FindingKind::kBarrier, instruction, thread,
        fmt::format("comes to barrier {}, at which another group of warps meets, that of {} (line "
                    "{}), with nothing to put the one meeting after the other: an arrival of one "
                    "group may count for the other; give each group a barrier of its own",
                    arrival.named, block_.reports.thread_text(other.thread),
                    block_.notes.of[other.instruction].line),
        &other);
    return;
  }
}

void NamedBarrierCheck::on_release(std::uint32_t barrier, bool whole) {
  if (barrier < Barriers::kNamed && (used_ >> barrier & 1u) != 0) {
    last_[barrier] = now_[barrier];
    now_[barrier] = {};
  }
  if (!whole) return;
  // What was before a barrier of the whole block is over.
  for (std::uint32_t left = used_; left != 0; left &= left - 1)
    last_[static_cast<std::size_t>(std::countr_zero(left))] = {};
}

}  // namespace tilescope
