#include "emulator/block/block_runner.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

// Where the lanes go at the end of a basic block.
namespace tilescope {

// Where the split goes on; kNoBlock: it waits or is gone.
std::uint32_t BlockRunner::end_block(const CodeBlock& block, Warp& warp, std::uint32_t split,
                                     std::uint32_t taken) {
  Split& current = warp.splits[split];
  switch (block.kind) {
    case EndKind::kFall:
      current.block = block.next;
      return split;
    case EndKind::kBranch:
      if (taken == current.mask) {
        current.block = block.target;
      } else if (taken == 0) {
        current.block = block.next;
      } else {
        divergences_[block.last.instruction] += block.has_instruction ? 1 : 0;
        return warp.diverge(split, taken, block.target, block.next, block.reconvergence);
      }
      return split;
    case EndKind::kIndexed:
      return branch_indexed(block, warp, split);
    case EndKind::kCall:
      return call(block, warp, split);
    case EndKind::kCallAddress:
      return call_address(block, warp, split);
    case EndKind::kReturn:
    case EndKind::kExit: {
      current.block = block.next;
      const bool some_stay = taken != current.mask;
      if (taken != 0) {
        const std::uint32_t before = warp.alive;
        if (block.kind == EndKind::kExit) {
          warp.leave(split, taken);
        } else {
          warp.come_back(split, taken);
        }
        if (warp.alive != before) exited(warp, before);
      }
      return some_stay ? split : kNoBlock;
    }
    case EndKind::kBarrier:
      current.block = block.next;
      current.at = static_cast<std::uint32_t>(&block - code_.blocks.data());
      return taken == 0 ? split : arrive(block, warp, split);
    case EndKind::kYield:
      current.block = block.next;
      return yield(block, warp, split);
    case EndKind::kGiveWay:
      current.block = block.next;
      return taken == 0 || warp.give_way(split) ? split : kNoBlock;
    case EndKind::kPause:
      current.block = block.next;
      pause(warp);
      return split;
    case EndKind::kStop:
      stop_lanes(block, warp, split);
      return kNoBlock;
  }
  return kNoBlock;
}

std::uint32_t BlockRunner::yield(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  if (block.last.flags != 0) {  // an mbarrier's test
    const bool sleeps = block.target != kNoBlock;
    if (sleeps) warp.splits[split].block = code_.blocks[block.target].next;
    if ((mask & ~predicate_at(warp.registers, block.last.row[0])) == 0) {
      warp.failed_waits = 0;
      context_.peer_access.reset();  // who completed the phase may have said that it is done
      return split;
    }
    waited_in_vain_ = true;
    warp.splits[split].at = static_cast<std::uint32_t>(&block - code_.blocks.data());
    // Lanes of this warp that wait for these may be the ones that must arrive.
    constexpr std::uint32_t kPatience = 64;
    if (++warp.failed_waits % kPatience == 0) {
      warp.release_waiting(split);
    } else if (sleeps) {
      warp.splits[split].block = block.target;
    }
  } else {
    slept_ = true;
  }
  quantum_ = -1;
  return split;
}

// The rest of the turn comes after the others' turns.
void BlockRunner::pause(Warp& warp) {
  if (quantum_ < 0 || turns_ == Turns::kOther) return;
  warp.pause.quantum = quantum_;
  quantum_ = -1;
}

// Lanes with one index go one way; every way is a divergence of its own.
std::uint32_t BlockRunner::branch_indexed(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  const auto first = static_cast<unsigned>(std::countr_zero(mask));
  const auto target_of = [&](unsigned lane) {
    const std::uint32_t index = word_at(warp.registers, block.last.row[0], lane);
    return index < block.target_count ? code_.targets[block.first_target + index] : kNoBlock;
  };
  const std::uint32_t target = target_of(first);
  if (target == kNoBlock) {
    report_at({&warp, block.last.instruction, mask}, FindingKind::kUnsupported,
              "an indexed branch leaves its list of targets");
    complete_ = false;
    leave(warp, split, 1u << first);
    return warp.splits[split].mask != 0 ? split : kNoBlock;
  }
  const std::uint32_t same = lanes_with(target, mask, target_of);
  if (same == mask) {
    warp.splits[split].block = target;
    return split;
  }
  // The others choose again, in a copy of the branch.
  divergences_[block.last.instruction] += block.has_instruction ? 1 : 0;
  return warp.diverge(split, same, target, block.target, block.reconvergence);
}

// Lanes that were there before have left the kernel.
void BlockRunner::exited(Warp& warp, std::uint32_t before) {
  const std::uint32_t lanes = before & ~warp.alive;
  if (check_ != nullptr) check_->exit(warp, lanes);
  barriers_.exit(count_lanes(lanes));
  release_met(warp);
  release_complete();
}

// Lanes that wait to leave with the others of their warp, while those wait for them at a barrier.
bool BlockRunner::release_leaving_lanes() {
  bool released = false;
  for (Warp& warp : warps_) {
    const std::uint32_t before = warp.alive;
    if (warp.leave_waiting(code_.blocks) == 0) continue;
    exited(warp, before);
    released = true;
  }
  return released;
}

void BlockRunner::leave(Warp& warp, std::uint32_t split, std::uint32_t lanes) {
  warp.leave(split, lanes);
  barriers_.exit(count_lanes(lanes));
  release_met(warp);
  release_complete();
}

void BlockRunner::stop_lanes(const CodeBlock& block, Warp& warp, std::uint32_t split) {
  const std::uint32_t mask = warp.splits[split].mask;
  report_at({&warp, block.last.instruction, mask}, FindingKind::kUnsupported,
            code_.messages[static_cast<std::size_t>(block.last.immediate)]);
  complete_ = false;
  stopped_lanes_ = true;
  leave(warp, split, mask);
}

}  // namespace tilescope
