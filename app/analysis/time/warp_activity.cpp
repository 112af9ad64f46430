#include "analysis/time/warp_activity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

struct Tally {  // by Stall
  std::array<float, kStallCount> cycles{};
  std::array<float, kStallCount> longest{};
  std::array<std::uint32_t, kStallCount> event{};
};

class SliceMaker {
 public:
  SliceMaker(double first, double cycles_each, std::size_t count)
      : first_(first),
        each_(cycles_each),
        per_cycle_(1 / cycles_each),
        slices_(count),
        tallies_(count) {}

  // All that these moments tell of the slices.
  void add(const std::vector<WarpMoment>& moments) {
    const double end = first_ + each_ * static_cast<double>(slices_.size());
    // Loads that were issued a little before may still be under way.
    constexpr double kBack = 4096;
    auto at = std::ranges::lower_bound(moments, first_ - kBack, {}, [](const WarpMoment& moment) {
      return static_cast<double>(moment.issue);
    });
    for (; at != moments.end() && at->waits_from < end; ++at) add(*at);
  }

  // Of two slices each makes one.
  void halve() {
    const std::size_t count = (slices_.size() + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) {
      slices_[i] = slices_[2 * i];
      tallies_[i] = tallies_[2 * i];
      if (2 * i + 1 < slices_.size()) join(i, 2 * i + 1);
    }
    slices_.resize(count);
    tallies_.resize(count);
    each_ *= 2;
    per_cycle_ /= 2;
  }

  [[nodiscard]] std::vector<WarpSlice> finish() const {
    std::vector<WarpSlice> slices = slices_;
    std::array<double, kStallCount> owed{};  // cycles that were spent and are not shown yet
    std::size_t shown = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Tally& tally = tallies_[i];
      double spent = 0;
      for (std::size_t stall = 0; stall < kStallCount; ++stall) {
        spent += static_cast<double>(tally.cycles[stall]);
        owed[stall] += static_cast<double>(tally.cycles[stall]);
      }
      if (spent <= 0) continue;
      // Each run goes on a little past its due, so that it is wide enough to be recognised.
      const bool goes_on = tally.cycles[shown] > 0 && owed[shown] > (1 - kSliceRun) * each_;
      if (!goes_on) shown = most_owed(tally, owed);
      owed[shown] -= spent;
      slices[i].runs = true;
      slices[i].stall = static_cast<Stall>(shown);
      slices[i].event = tally.event[shown];
    }
    return slices;
  }

 private:
  void add(const WarpMoment& moment) {
    if (moment.loads_shared) {
      mark(moment.issue, moment.done, &WarpSlice::loads_shared);
    } else if (moment.loads_global) {
      mark(moment.issue, moment.done, &WarpSlice::loads_global);
    }
    if (moment.multiplies) mark(moment.issue, moment.done, &WarpSlice::multiplies);
    if (moment.issue + 1.0 < first_) return;
    if (moment.computes) mark(moment.issue, moment.issue + 1.0, &WarpSlice::computes);
    spend(moment.waits_from, moment.ready, moment.stall, moment.event);
    spend(moment.ready, moment.issue, moment.late, moment.event);
    spend(moment.issue, moment.issue + 1.0, Stall::kNone, moment.event);
  }

  void spend(double begin, double end, Stall stall, std::uint32_t event) {
    for_slices(begin, end, [&](std::size_t i, double cycles) {
      Tally& tally = tallies_[i];
      const auto a = static_cast<std::size_t>(stall);
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

  void join(std::size_t i, std::size_t other) {
    for (bool WarpSlice::*flag : {&WarpSlice::loads_global, &WarpSlice::loads_shared,
                                  &WarpSlice::computes, &WarpSlice::multiplies}) {
      slices_[i].*flag |= slices_[other].*flag;
    }
    Tally& tally = tallies_[i];
    const Tally& more = tallies_[other];
    for (std::size_t stall = 0; stall < kStallCount; ++stall) {
      tally.cycles[stall] += more.cycles[stall];
      if (more.longest[stall] <= tally.longest[stall]) continue;
      tally.longest[stall] = more.longest[stall];
      tally.event[stall] = more.event[stall];
    }
  }

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

  // Of what the slice holds.
  static std::size_t most_owed(const Tally& tally, const std::array<double, kStallCount>& owed) {
    std::size_t most = kStallCount;
    for (std::size_t stall = 0; stall < kStallCount; ++stall) {
      if (tally.cycles[stall] <= 0) continue;
      if (most == kStallCount || owed[stall] > owed[most]) most = stall;
    }
    return most;
  }

  double first_;
  double each_;
  double per_cycle_;  // slices
  std::vector<WarpSlice> slices_;
  std::vector<Tally> tallies_;
};

}  // namespace

InstructionClass arithmetic_of(const Program& program) {
  const bool floats = std::ranges::any_of(program.instructions(), [](const auto& instruction) {
    return instruction.instruction_class == InstructionClass::kFloat;
  });
  return floats ? InstructionClass::kFloat : InstructionClass::kInteger;
}

std::vector<std::vector<WarpMoment>> warp_moments(const Program& program,
                                                  const std::vector<InstructionCost>& costs,
                                                  const WarpTiming& timing,
                                                  const BlockTrace& trace) {
  std::vector<std::vector<WarpMoment>> warps(timing.warps.size());
  const InstructionClass arithmetic = arithmetic_of(program);
  for (std::size_t warp = 0; warp < warps.size(); ++warp) {
    for (const std::uint32_t e : timing.warps[warp]) {
      const EventTime& time = timing.events[e];
      if (time.issue == kNever) break;
      const StaticInstruction& instruction = program.instructions()[trace.events[e].instruction];
      if (!instruction.counts) continue;
      const bool copies =
          instruction.access == AccessKind::kAsyncCopy || instruction.fills_in_bulk();
      const bool loads = copies || instruction.access == AccessKind::kLoad ||
                         instruction.access == AccessKind::kLdmatrix;
      WarpMoment moment;
      moment.waits_from = time.waits_from;
      moment.ready = time.ready;
      moment.issue = time.issue;
      moment.done = std::max(time.done, time.issue + 1);
      moment.event = e;
      moment.stall = time.stall;
      moment.late = time.late;
      moment.loads_shared = loads && !copies && instruction.space == MemorySpace::kShared;
      moment.loads_global = loads && !moment.loads_shared;
      moment.computes = arithmetic == InstructionClass::kFloat
                            ? instruction.instruction_class == arithmetic
                            : instruction.unit == ExecutionUnit::kAlu ||
                                  instruction.unit == ExecutionUnit::kMultiply;
      moment.multiplies = instruction.instruction_class == InstructionClass::kTensor;
      if (moment.multiplies) {  // of a wgmma no register says when it ends
        const float occupies = costs[trace.events[e].instruction].occupies;
        moment.done = std::max(moment.done, time.issue + static_cast<std::uint32_t>(occupies));
      }
      warps[warp].push_back(moment);
    }
  }
  return warps;
}

std::vector<WarpSlice> warp_slices(const std::vector<WarpMoment>& moments, double first,
                                   double cycles_each, std::size_t count) {
  SliceMaker maker(first, cycles_each, count);
  maker.add(moments);
  return maker.finish();
}

WarpRaster::WarpRaster(const std::vector<WarpMoment>& moments, std::uint32_t cycles) {
  constexpr std::size_t kFewest = 32;  // of a whole block; it is never shown in fewer
  const std::size_t finest = (cycles >> unsigned{kFinest}) + 1;
  if (finest < kFewest) return;
  SliceMaker maker(0, 1u << unsigned{kFinest}, finest);
  maker.add(moments);
  for (std::size_t count = finest; count >= kFewest; count /= 2) {
    levels.push_back(maker.finish());
    maker.halve();
  }
}

std::vector<WarpSlice> WarpRaster::slices(const std::vector<WarpMoment>& moments, int level,
                                          std::size_t first, std::size_t count) const {
  const auto kept = static_cast<std::size_t>(level - kFinest);
  if (level < kFinest || kept >= levels.size()) {
    const double each = std::exp2(level);
    return warp_slices(moments, each * static_cast<double>(first), each, count);
  }
  std::vector<WarpSlice> part(count);  // beyond its end the warp does not run
  const std::vector<WarpSlice>& all = levels[kept];
  for (std::size_t i = 0; i < count && first + i < all.size(); ++i) part[i] = all[first + i];
  return part;
}

}  // namespace tilescope
