#include "analysis/warp_lane.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

LaneState state_of(Stall stall) {
  switch (stall) {
    case Stall::kLongScoreboard:
      return LaneState::kLongScoreboard;
    case Stall::kShortScoreboard:
      return LaneState::kShortScoreboard;
    case Stall::kBarrier:
      return LaneState::kBarrier;
    default:
      return LaneState::kActive;
  }
}

struct Tally {
  std::array<float, kLaneStateCount> cycles{};
  std::array<float, kLaneStateCount> longest{};
  std::array<std::uint32_t, kLaneStateCount> event{kNever, kNever, kNever, kNever, kNever};
};

class LaneMaker {
 public:
  LaneMaker(double first, double cycles_each, std::size_t count)
      : first_(first),
        each_(cycles_each),
        per_cycle_(1 / cycles_each),
        slices_(count),
        tallies_(count) {}

  void spend(double begin, double end, LaneState state, std::uint32_t event) {
    for_slices(begin, end, [&](std::size_t i, double cycles) {
      Tally& tally = tallies_[i];
      const auto s = static_cast<std::size_t>(state);
      const auto spent = static_cast<float>(cycles);
      tally.cycles[s] += spent;
      if (spent > tally.longest[s]) {
        tally.longest[s] = spent;
        tally.event[s] = event;
      }
    });
  }

  void mark(double begin, double end, bool LaneSlice::*flag) {
    for_slices(begin, end, [&](std::size_t i, double) { slices_[i].*flag = true; });
  }

  std::vector<LaneSlice> finish() {
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const Tally& tally = tallies_[i];
      const auto most = std::ranges::max_element(tally.cycles) - tally.cycles.begin();
      if (tally.cycles[static_cast<std::size_t>(most)] <= 0) continue;
      slices_[i].state = static_cast<LaneState>(most);
      slices_[i].event = tally.event[static_cast<std::size_t>(most)];
    }
    return std::move(slices_);
  }

 private:
  template <typename Each>
  void for_slices(double begin, double end, const Each& each) {
    const double from = std::max(begin - first_, 0.0) * per_cycle_;
    const double to = std::min((end - first_) * per_cycle_, static_cast<double>(slices_.size()));
    if (to <= from) return;
    if (const auto one = static_cast<std::size_t>(from); to <= static_cast<double>(one + 1)) {
      each(one, (to - from) * each_);  // as nearly every instruction
      return;
    }
    for (auto i = static_cast<std::size_t>(from); static_cast<double>(i) < to; ++i) {
      const double low = std::max(from, static_cast<double>(i));
      const double high = std::min(to, static_cast<double>(i + 1));
      each(i, (high - low) * each_);
    }
  }

  double first_;
  double each_;
  double per_cycle_;  // slices
  std::vector<LaneSlice> slices_;
  std::vector<Tally> tallies_;
};

}  // namespace

std::vector<std::vector<LaneEvent>> lane_events(const Program& program, const WarpTiming& timing,
                                                const BlockTrace& trace) {
  std::vector<std::vector<LaneEvent>> warps(timing.warps.size());
  for (std::size_t warp = 0; warp < warps.size(); ++warp) {
    for (const std::uint32_t e : timing.warps[warp]) {
      const EventTime& time = timing.events[e];
      if (time.issue == kNever) break;
      const StaticInstruction& instruction = program.instructions()[trace.events[e].instruction];
      if (!instruction.counts) continue;
      const bool copies = instruction.access == AccessKind::kAsyncCopy;
      const bool loads = copies || instruction.access == AccessKind::kLoad ||
                         instruction.access == AccessKind::kLdmatrix;
      LaneEvent event;
      event.waits_from = time.waits_from;
      event.ready = time.ready;
      event.issue = time.issue;
      event.done = std::max(time.done, time.issue + 1);
      event.event = e;
      event.waiting = state_of(time.stall);
      event.loads_shared = loads && !copies && instruction.space == MemorySpace::kShared;
      event.loads_global = loads && !event.loads_shared;
      event.computes = instruction.instruction_class == InstructionClass::kFloat ||
                       instruction.instruction_class == InstructionClass::kTensor;
      warps[warp].push_back(event);
    }
  }
  return warps;
}

std::vector<LaneSlice> warp_lane(const std::vector<LaneEvent>& events, double first,
                                 double cycles_each, std::size_t count) {
  LaneMaker maker(first, cycles_each, count);
  const double end = first + cycles_each * static_cast<double>(count);
  // Loads that were issued a little before may still be under way.
  constexpr double kBack = 4096;
  auto at = std::ranges::lower_bound(events, first - kBack, {}, [](const LaneEvent& event) {
    return static_cast<double>(event.issue);
  });
  for (; at != events.end() && at->waits_from < end; ++at) {
    if (at->loads_shared) {
      maker.mark(at->issue, at->done, &LaneSlice::loads_shared);
    } else if (at->loads_global) {
      maker.mark(at->issue, at->done, &LaneSlice::loads_global);
    }
    if (at->issue + 1.0 < first) continue;
    if (at->computes) maker.mark(at->issue, at->issue + 1.0, &LaneSlice::computes);
    maker.spend(at->waits_from, at->ready, at->waiting, at->event);
    maker.spend(at->ready, at->issue + 1.0, LaneState::kActive, at->event);
  }
  return maker.finish();
}

}  // namespace tilescope
