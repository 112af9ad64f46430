#include "analysis/warp_activity.h"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

WarpActivity activity_of(Stall stall) {
  switch (stall) {
    case Stall::kLongScoreboard:
      return WarpActivity::kLongScoreboard;
    case Stall::kShortScoreboard:
      return WarpActivity::kShortScoreboard;
    case Stall::kBarrier:
      return WarpActivity::kBarrier;
    default:
      return WarpActivity::kActive;
  }
}

struct Tally {
  std::array<float, kWarpActivityCount> cycles{};
  std::array<float, kWarpActivityCount> longest{};
  std::array<std::uint32_t, kWarpActivityCount> event{kNever, kNever, kNever, kNever, kNever};
};

class SliceMaker {
 public:
  SliceMaker(double first, double cycles_each, std::size_t count)
      : first_(first),
        each_(cycles_each),
        per_cycle_(1 / cycles_each),
        slices_(count),
        tallies_(count) {}

  void spend(double begin, double end, WarpActivity activity, std::uint32_t event) {
    for_slices(begin, end, [&](std::size_t i, double cycles) {
      Tally& tally = tallies_[i];
      const auto a = static_cast<std::size_t>(activity);
      const auto spent = static_cast<float>(cycles);
      tally.cycles[a] += spent;
      if (spent > tally.longest[a]) {
        tally.longest[a] = spent;
        tally.event[a] = event;
      }
    });
  }

  void mark(double begin, double end, bool WarpSlice::*flag) {
    for_slices(begin, end, [&](std::size_t i, double) { slices_[i].*flag = true; });
  }

  std::vector<WarpSlice> finish() {
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      const Tally& tally = tallies_[i];
      const auto most = std::ranges::max_element(tally.cycles) - tally.cycles.begin();
      if (tally.cycles[static_cast<std::size_t>(most)] <= 0) continue;
      slices_[i].activity = static_cast<WarpActivity>(most);
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
  std::vector<WarpSlice> slices_;
  std::vector<Tally> tallies_;
};

}  // namespace

std::vector<std::vector<WarpMoment>> warp_moments(const Program& program, const WarpTiming& timing,
                                                  const BlockTrace& trace) {
  std::vector<std::vector<WarpMoment>> warps(timing.warps.size());
  for (std::size_t warp = 0; warp < warps.size(); ++warp) {
    for (const std::uint32_t e : timing.warps[warp]) {
      const EventTime& time = timing.events[e];
      if (time.issue == kNever) break;
      const StaticInstruction& instruction = program.instructions()[trace.events[e].instruction];
      if (!instruction.counts) continue;
      const bool copies = instruction.access == AccessKind::kAsyncCopy;
      const bool loads = copies || instruction.access == AccessKind::kLoad ||
                         instruction.access == AccessKind::kLdmatrix;
      WarpMoment moment;
      moment.waits_from = time.waits_from;
      moment.ready = time.ready;
      moment.issue = time.issue;
      moment.done = std::max(time.done, time.issue + 1);
      moment.event = e;
      moment.waiting = activity_of(time.stall);
      moment.loads_shared = loads && !copies && instruction.space == MemorySpace::kShared;
      moment.loads_global = loads && !moment.loads_shared;
      moment.computes = instruction.instruction_class == InstructionClass::kFloat ||
                        instruction.instruction_class == InstructionClass::kTensor;
      warps[warp].push_back(moment);
    }
  }
  return warps;
}

std::vector<WarpSlice> warp_slices(const std::vector<WarpMoment>& moments, double first,
                                   double cycles_each, std::size_t count) {
  SliceMaker maker(first, cycles_each, count);
  const double end = first + cycles_each * static_cast<double>(count);
  // Loads that were issued a little before may still be under way.
  constexpr double kBack = 4096;
  auto at = std::ranges::lower_bound(moments, first - kBack, {}, [](const WarpMoment& moment) {
    return static_cast<double>(moment.issue);
  });
  for (; at != moments.end() && at->waits_from < end; ++at) {
    if (at->loads_shared) {
      maker.mark(at->issue, at->done, &WarpSlice::loads_shared);
    } else if (at->loads_global) {
      maker.mark(at->issue, at->done, &WarpSlice::loads_global);
    }
    if (at->issue + 1.0 < first) continue;
    if (at->computes) maker.mark(at->issue, at->issue + 1.0, &WarpSlice::computes);
    maker.spend(at->waits_from, at->ready, at->waiting, at->event);
    maker.spend(at->ready, at->issue + 1.0, WarpActivity::kActive, at->event);
  }
  return maker.finish();
}

}  // namespace tilescope
