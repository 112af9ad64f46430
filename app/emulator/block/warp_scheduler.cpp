#include "emulator/block/warp_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/quantity.h"

namespace tilescope {
namespace {

// Instructions of a time slice; and of one whose warp has spent its last slice in a loop that may
// be waiting for another's write, such as a lock.
constexpr std::int64_t kSlice = 1 << 16;
constexpr std::int64_t kSpinningSlice = 1 << 11;
constexpr std::int64_t kShortSlice = 1 << 4;    // in the other order
constexpr std::int64_t kLookingSlice = 1 << 6;  // of a warp whose block looks again
constexpr std::uint64_t kPollingSteps = 256;    // of a loop around one mbarrier.try_wait
constexpr std::uint32_t kMostIdleRounds = 1 << 14;
// Before other blocks run: rounds in which all warps wait, and steps of a block that may wait.
constexpr std::uint32_t kWaitingRounds = 4;
constexpr std::uint64_t kLongRun = 1 << 24;
constexpr std::uint64_t kLookSteps = 1 << 11;      // that a look in vain counts as
constexpr std::uint64_t kStepsPerClock = 1 << 16;  // less than 10 ms

}  // namespace

WarpScheduler::WarpScheduler(ThreadBlock& block, BarrierUnit& barriers,
                             WarpInterpreter& interpreter, const Policy& policy)
    : block_(block),
      barriers_(barriers),
      interpreter_(interpreter),
      policy_(policy),
      is_alone_(block.launch().grid.count() == 1) {}

void WarpScheduler::start() {
  steps_ = 0;
  idle_rounds_ = 0;
  waiting_rounds_ = 0;
  repeated_.forget();
  looked_.forget();
  runs_in_cycle_ = 0;
}

BlockOutcome WarpScheduler::run(EventRecorder* events, const std::stop_token& stop) {
  steps_before_run_ = steps_;
  rounds_of_run_ = 0;
  looks_of_run_ = 0;
  asked_others_ = false;
  const BlockOutcome outcome = run_rounds(events, stop);
  steps_of_run_ = steps_ - steps_before_run_;
  waits_unchanged_ = outcome == BlockOutcome::kWaits && ran_in_vain() &&
                     (waits_for_ != WaitsFor::kMemory || is_in_cycle());
  if (!ran_in_vain()) {
    looked_.forget();
    runs_in_cycle_ = 0;
  }
  if (waits_unchanged_) {  // which does not bring a block nearer to the end of its budget
    steps_of_run_ += looks_of_run_ * kLookSteps;
    steps_ = steps_before_run_;
  }
  return outcome;
}

bool WarpScheduler::is_in_cycle() {
  if (looked_.comes_again(block_, false, false)) {
    runs_in_cycle_ = looked_.period();
    return true;
  }
  if (runs_in_cycle_ == 0) return false;
  --runs_in_cycle_;
  return true;
}

BlockOutcome WarpScheduler::run_rounds(EventRecorder* events, const std::stop_token& stop) {
  for (;;) {
    Round round;
    if (const auto outcome = run_round(events, stop, &round)) return *outcome;
    if (const auto outcome = judge(round)) return *outcome;
  }
}

std::optional<BlockOutcome> WarpScheduler::run_round(EventRecorder* events,
                                                     const std::stop_token& stop, Round* round) {
  std::vector<Warp>& warps = block_.warps();
  for (std::size_t i = 0; i < warps.size(); ++i) {
    Warp& warp = warps[policy_.order == SchedulingOrder::kForward ? i : warps.size() - 1 - i];
    if (warp.done()) continue;
    round->any_left = true;
    if (warp.find_ready() == kNoBlock) continue;
    round->any_ran = true;
    const std::uint64_t steps_before = steps_;
    run_slice(warp, events, round);
    if (stop.stop_requested()) return BlockOutcome::kCancelled;
    if (steps_ > policy_.step_budget) {
      report_endless(warp,
                     fmt::format("the block is not done after {} warp instructions: a loop here "
                                 "does not end, or the step budget is too small",
                                 format_count(policy_.step_budget)));
      return end(BlockOutcome::kEndless, false);
    }
    if (is_late(steps_before)) return BlockOutcome::kLate;
  }
  return std::nullopt;
}

bool WarpScheduler::is_late(std::uint64_t steps_before) {
  using Clock = std::chrono::steady_clock;
  steps_since_clock_ += steps_ - steps_before;
  if (policy_.ends_at == Clock::time_point::max() || steps_since_clock_ < kStepsPerClock)
    return false;
  steps_since_clock_ = 0;
  return Clock::now() >= policy_.ends_at;
}

void WarpScheduler::run_slice(Warp& warp, EventRecorder* events, Round* round) {
  const WarpInterpreter::TimeSlice& slice =
      interpreter_.run(warp, slice_of(warp), policy_.order == SchedulingOrder::kForward, events);
  steps_ = slice.has_too_many_splits ? policy_.step_budget + 1 : steps_ + slice.steps;
  looks_of_run_ += slice.looks;
  asked_others_ |= slice.asks_others;
  round->only_polls &= slice.polls_in_vain && slice.steps < kPollingSteps;
  round->polls_again &= warp.failed_tests > 1;
  round->sleeps |= slice.sleeps;
  round->draws |= slice.draws;
  round->waits_for_memory |= warp.waits;
  round->acts |= !warp.waits && !slice.polls_in_vain && warp.pause.instructions < 0;
  round->traits |= slice.traits;
  round->last = &warp;
}

bool WarpScheduler::goes_round(const Round& round) {
  const bool may_be_helped = (round.traits & kMeetsOthers) != 0 ||
                             (!is_alone_ && (round.traits & kAsksOthers) != 0) ||
                             std::exchange(block_.context().read_clock, false);
  if (may_be_helped || policy_.order != SchedulingOrder::kForward) {
    repeated_.forget();
    return false;
  }
  return repeated_.comes_again(block_, (round.traits & kReads) != 0, (round.traits & kWrites) != 0);
}

std::int64_t WarpScheduler::slice_of(const Warp& warp) const {
  const std::int64_t slice = warp.pause.instructions >= 0                  ? warp.pause.instructions
                             : policy_.order == SchedulingOrder::kBackward ? kShortSlice
                             : warp.spins                                  ? kSpinningSlice
                                                                           : kSlice;
  const bool looks = policy_.yields_to_blocks && waiting_rounds_ + 1 >= kWaitingRounds;
  return looks ? std::min(slice, kLookingSlice) : slice;
}

// What follows from a round; nullopt: another one.
std::optional<BlockOutcome> WarpScheduler::judge(const Round& round) {
  if (!round.any_left) return end(BlockOutcome::kDone, true);
  const bool idle = round.any_ran && round.only_polls;
  idle_rounds_ = idle ? idle_rounds_ + 1 : 0;
  ++rounds_of_run_;
  waiting_rounds_ = round.waits_for_memory && !round.acts ? waiting_rounds_ + 1 : 0;
  if (round.draws && policy_.yields_to_blocks && !is_alone_) {
    ++rounds_of_run_;  // not in vain
    return wait_for(WaitsFor::kTurn);
  }
  // Who sleeps between two looks leaves the machine to others.
  const bool may_wait = waiting_rounds_ >= kWaitingRounds ||
                        (asked_others_ && (round.sleeps || steps_ - steps_before_run_ > kLongRun));
  if (policy_.yields_to_blocks && !is_alone_ && may_wait) {
    waiting_rounds_ = std::min(waiting_rounds_, kWaitingRounds - 1);
    return wait_for(WaitsFor::kMemory);
  }
  const bool has_cluster = block_.context().cluster != nullptr;
  if (has_cluster && idle) {
    if (!round.polls_again) ++rounds_of_run_;  // not in vain
    return wait_for(WaitsFor::kMbarrier);
  }
  if (idle_rounds_ > kMostIdleRounds) {
    block_.observers().tell(&BlockObserver::on_endless_wait);
    return end(BlockOutcome::kDone, false);
  }
  if (round.any_ran) {
    if (!goes_round(round)) return std::nullopt;
    report_endless(*round.last,
                   "a loop here never ends: nothing that its condition depends on changes");
    return end(BlockOutcome::kEndless, false);
  }
  if (barriers_.release_at_warp_barriers() || barriers_.release_leaving_lanes())
    return std::nullopt;
  if (has_cluster) return wait_for(WaitsFor::kBarrier);
  block_.observers().tell(&BlockObserver::on_deadlock);
  return end(BlockOutcome::kDone, false);
}

BlockOutcome WarpScheduler::wait_for(WaitsFor what) {
  waits_for_ = what;
  return BlockOutcome::kWaits;
}

BlockOutcome WarpScheduler::end(BlockOutcome outcome, bool complete) {
  block_.observers().tell(&BlockObserver::on_block_end);
  complete_ = complete_ && complete;
  return outcome;
}

void WarpScheduler::report_endless(const Warp& warp, std::string why) const {
  const std::uint32_t split = warp.find_ready();
  LanesAt at{&warp, 0, warp.lanes};
  if (split != kNoBlock) at = lanes_at(block_.code(), warp, warp.splits[split]);
  for (const Split& waiting : warp.splits) {  // its slice may have ended at a barrier
    if (split == kNoBlock && waiting.at_barrier()) at = lanes_at(block_.code(), warp, waiting);
  }
  report_at(block_, at, FindingKind::kEndless, std::move(why));
}

void WarpScheduler::report_in_vain(FindingKind kind, std::string why) const {
  for (const Warp& warp : block_.warps()) {
    if (!warp.waits) continue;
    const std::uint32_t split = warp.find_ready();
    if (split == kNoBlock) continue;
    report_at(block_, lanes_at(block_.code(), warp, warp.splits[split]), kind, std::move(why));
    return;
  }
}

}  // namespace tilescope
