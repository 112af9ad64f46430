#include <algorithm>
#include <utility>

#include "emulator/block/block_runner.h"
#include "emulator/block/block_traits.h"
#include "emulator/block/event_recorder.h"
#include "emulator/block/register_cells.h"
#include "emulator/checks/block_check.h"

// The warps of a block, turn by turn.
namespace tilescope {
namespace {

// Warp instructions until the next warp gets its turn; and once a warp has spent a turn in a loop
// that may be waiting for another's write, such as a lock.
constexpr std::int64_t kQuantum = 1 << 16;
constexpr std::int64_t kSpinningQuantum = 1 << 11;
constexpr std::int64_t kShortQuantum = 1 << 4;     // with the other turns
constexpr std::int64_t kLookCost = kQuantum / 16;  // of a turn, to look whether another has written
constexpr std::uint64_t kLookSteps = 1 << 11;      // that a look counts as
constexpr std::uint64_t kShortTurn = 256;          // of a loop around one mbarrier.try_wait
constexpr std::uint32_t kMostIdleRounds = 1 << 14;
// Before other blocks get their turn: rounds in which all wait, and steps of a block that may.
constexpr std::uint32_t kWaitingRounds = 4;
constexpr std::uint64_t kLongTurn = 1 << 24;
constexpr std::int64_t kLook = 1 << 6;  // a warp's turn when its block looks again
// Further steps that a checked access, or another watched instruction, stands for.
constexpr std::uint64_t kCheckedAccess = 63;
constexpr std::uint64_t kCheckedStep = 7;

}  // namespace

BlockOutcome BlockRunner::run(std::uint64_t linear_block, EventRecorder* events,
                              const std::stop_token& stop) {
  start_block(linear_block);
  return end_turn(run_warps(events, stop), 0);
}

BlockOutcome BlockRunner::go_on(EventRecorder* events, const std::stop_token& stop) {
  const std::uint64_t before = steps_;
  const BlockOutcome outcome = end_turn(run_warps(events, stop), before);
  if (outcome == BlockOutcome::kWaits && looked_in_vain()) steps_ = before;
  return outcome;
}

// Another runner may tell the sink of its accesses next.
BlockOutcome BlockRunner::end_turn(BlockOutcome outcome, std::uint64_t steps_before) {
  steps_of_turn_ = steps_ - steps_before;
  for (Repeats& repeats : context_.repeats) tell_repeats(repeats, context_);
  if (gives_way_) std::fill(context_.last_access.begin(), context_.last_access.end(), LastAccess{});
  return outcome;
}

void BlockRunner::take_turn(Warp& warp, EventRecorder* events) {
  quantum_ = warp.pause.quantum >= 0   ? warp.pause.quantum
             : turns_ == Turns::kOther ? kShortQuantum
             : warp.spins              ? kSpinningQuantum
                                       : kQuantum;
  if (gives_way_ && waiting_rounds_ + 1 >= kWaitingRounds) {
    quantum_ = std::min(quantum_, kLook);
  }
  context_.point.warp = warp.index;
  context_.local = warp.local;
  context_.async = code_.uses_async_copies ? &warp.async : nullptr;
  context_.warp = &warp;
  if (events != nullptr) {
    run_warp<Mode::kTraced>(warp, events);
  } else if (check_ != nullptr) {
    run_warp<Mode::kChecked>(warp, nullptr);
  } else {
    run_warp<Mode::kPlain>(warp, nullptr);
  }
}

BlockOutcome BlockRunner::run_warps(EventRecorder* events, const std::stop_token& stop) {
  const std::uint64_t steps_before = steps_;
  rounds_of_turn_ = 0;
  asked_others_ = false;
  for (;;) {
    bool ran = false;
    bool done = true;
    bool idle = true;    // every warp that ran waited at an mbarrier, in vain
    bool again = true;   // ... and had done nothing since it last did
    bool waits = false;  // for memory to change; so do all that ran, but for those at mbarriers
    bool acts = false;
    for (std::size_t turn = 0; turn < warps_.size(); ++turn) {
      Warp& warp = warps_[turns_ == Turns::kUsual ? turn : warps_.size() - 1 - turn];
      if (warp.done()) continue;
      done = false;
      if (warp.find_ready() == kNoBlock) continue;
      ran = true;
      waited_in_vain_ = false;
      slept_ = false;
      const std::uint64_t before = steps_;
      take_turn(warp, events);
      if (stop.stop_requested()) return BlockOutcome::kCancelled;
      idle &= waited_in_vain_ && steps_ - before < kShortTurn;
      again &= warp.failed_waits > 1;
      waits |= warp.waits;
      acts |= !warp.waits && !waited_in_vain_ && warp.pause.quantum < 0;
      if (steps_ > step_budget_) {
        report_endless(warp);
        if (check_ != nullptr) check_->finish_block();
        complete_ = false;
        return BlockOutcome::kEndless;
      }
    }
    if (done) {
      if (check_ != nullptr) check_->finish_block();
      return BlockOutcome::kDone;
    }
    idle_rounds_ = ran && idle ? idle_rounds_ + 1 : 0;
    ++rounds_of_turn_;
    waiting_rounds_ = waits && !acts ? waiting_rounds_ + 1 : 0;
    const bool may_wait =
        waiting_rounds_ >= kWaitingRounds || (asked_others_ && steps_ - steps_before > kLongTurn);
    if (gives_way_ && may_wait) {
      waiting_rounds_ = std::min(waiting_rounds_, kWaitingRounds - 1);
      waits_for_ = WaitsFor::kMemory;
      return BlockOutcome::kWaits;
    }
    if (cluster_ != nullptr && ran && idle) {
      waits_for_ = WaitsFor::kMbarrier;
      if (!again) ++rounds_of_turn_;  // not in vain
      return BlockOutcome::kWaits;
    }
    if (idle_rounds_ > kMostIdleRounds) {
      report_waiting();
      if (check_ != nullptr) check_->finish_block();
      complete_ = false;
      return BlockOutcome::kDone;
    }
    if (!ran && (release_at_warp_barriers() || release_leaving_lanes())) continue;
    if (!ran && cluster_ != nullptr) {
      waits_for_ = WaitsFor::kBarrier;
      return BlockOutcome::kWaits;
    }
    if (!ran) {
      report_deadlock();
      if (check_ != nullptr) check_->finish_block();
      complete_ = false;
      return BlockOutcome::kDone;
    }
  }
}

template <BlockRunner::Mode kMode>
void BlockRunner::run_ops(const CodeBlock& block, Warp& warp, std::uint32_t mask,
                          EventRecorder* events) {
  const MicroOp* op = code_.ops.data() + block.begin;
  const MicroOp* const end = code_.ops.data() + block.end;
  std::byte* const registers = warp.registers;
  for (; op != end; ++op) {
    std::uint32_t lanes = mask;
    if (op->guard != 0) [[unlikely]] {
      lanes &= predicate_at(registers, op->guard) ^ op->guard_flip;
      if (op->hidden == 0) guarded_lanes_[op->instruction] += count_lanes(lanes);
    }
    if constexpr (kMode == Mode::kChecked) {
      if (lanes != mask) check_->skip(*op, mask & ~lanes, warp);
      if (lanes != 0 && check_->watches(*op)) {
        check_->before(*op, registers, lanes, warp);
        op->execute(*op, registers, lanes, context_);
        check_->after(*op, lanes);
        steps_ += op->access == AccessKind::kNone ? kCheckedStep : kCheckedAccess;
        continue;
      }
    }
    if (lanes != 0) [[likely]]
      op->execute(*op, registers, lanes, context_);
    if constexpr (kMode == Mode::kTraced) {
      if (op->hidden == 0) {
        events->record(op->instruction, lanes, mask, static_cast<std::uint16_t>(warp.index));
      }
    }
  }
}

// The warp has had its turn: what it read may have told it what others have done.
void BlockRunner::note_asking(std::uint8_t traits) {
  if ((traits & kAsksOthers) == 0) return;
  asked_others_ = true;
  context_.peer_access.reset();
}

template <BlockRunner::Mode kMode>
void BlockRunner::run_warp(Warp& warp, EventRecorder* events) {
  const bool goes_on = warp.pause.quantum >= 0;
  const Warp::Pause paused = std::exchange(warp.pause, {});
  std::uint32_t split = goes_on ? warp.last_turn : warp.next_turn();
  bool polled = paused.polled;
  std::uint8_t traits = paused.traits;  // of what this turn executes
  warp.acted &= goes_on;
  warp.waits = false;
  while (split != kNoBlock) {
    const Split& current = warp.splits[split];
    if (current.block == current.rejoin && current.rejoin != kNoBlock) {
      warp.rejoin(split);
      split = warp.choose();
      continue;
    }
    const std::uint32_t at = current.block;
    const std::uint32_t mask = current.mask;
    const CodeBlock& block = code_.blocks[at];
    ++block_warps_[at];
    block_lanes_[at] += count_lanes(mask);
    steps_ += block.instruction_count + 1;
    quantum_ -= block.instruction_count + 1;
    if ((traits_[at] & kLooks) != 0) [[unlikely]] {
      quantum_ -= kLookCost;
      steps_ += kLookSteps;
    }
    context_.clock += block.instruction_count;
    polled |= block.polls;
    traits |= traits_[at];
    bool whole = false;
    if constexpr (kMode == Mode::kTraced) whole = events->takes_whole(at);
    if (whole) {
      run_ops<Mode::kPlain>(block, warp, mask, nullptr);
    } else {
      run_ops<kMode>(block, warp, mask, events);
    }
    const MicroOp& last = block.last;
    std::uint32_t taken = mask;
    if (last.guard != 0) {
      taken &= predicate_at(warp.registers, last.guard) ^ last.guard_flip;
      if (block.has_instruction) guarded_lanes_[last.instruction] += count_lanes(taken);
    }
    if constexpr (kMode == Mode::kTraced) {
      const auto index = static_cast<std::uint16_t>(warp.index);
      if (whole) {
        events->record_block(index, mask, taken);
      } else if (block.has_instruction) {
        events->record(last.instruction, taken, mask, index);
      }
    }
    if constexpr (kMode == Mode::kChecked) check_->end_block(at, mask, warp);
    split = end_block(block, warp, split, taken);
    if (quantum_ < 0) [[unlikely]] {
      if (warp.pause.quantum >= 0) {
        warp.last_turn = split;
        warp.pause.polled = polled;
        warp.pause.traits = traits;
        return;
      }
      // Asleep between two tests of an mbarrier: it still waits there.
      if (slept_ && warp.failed_waits > 0 && traits == 0) waited_in_vain_ = true;
      if (split == kNoBlock) split = warp.choose();
      if (split != kNoBlock && polled) warp.release_waiting(split);
      warp.last_turn = split;
      warp.polls = polled || waited_in_vain_;
      warp.spins = polled;
      warp.waits = (traits & ~kLooks) == kAsksOthers && !warp.acted;
      note_asking(traits);
      return;
    }
    if (split == kNoBlock) split = warp.choose();
    if (warp.splits.size() > Warp::kMostSplits) {
      steps_ = step_budget_ + 1;
      return;
    }
  }
  note_asking(traits);
  warp.last_turn = kNoBlock;
}

}  // namespace tilescope
