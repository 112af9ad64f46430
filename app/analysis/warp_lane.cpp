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
      : first_(first), each_(cycles_each), slices_(count), tallies_(count) {}

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
    const double from = (std::max(begin, first_) - first_) / each_;
    const double to = std::min((end - first_) / each_, static_cast<double>(slices_.size()));
    if (to <= from) return;
    for (auto i = static_cast<std::size_t>(from); static_cast<double>(i) < to; ++i) {
      const double low = std::max(from, static_cast<double>(i));
      const double high = std::min(to, static_cast<double>(i + 1));
      each(i, (high - low) * each_);
    }
  }

  double first_;
  double each_;
  std::vector<LaneSlice> slices_;
  std::vector<Tally> tallies_;
};

}  // namespace

std::vector<LaneSlice> warp_lane(const Program& program, const WarpTiming& timing,
                                 const BlockTrace& trace, std::uint32_t warp, double first,
                                 double cycles_each, std::size_t count) {
  LaneMaker maker(first, cycles_each, count);
  if (warp >= timing.warps.size()) return maker.finish();
  const double end = first + cycles_each * static_cast<double>(count);
  const std::vector<std::uint32_t>& events = timing.warps[warp];
  // Loads that were issued a little before may still be under way.
  constexpr double kBack = 4096;
  auto at = std::ranges::lower_bound(events, first - kBack, {}, [&](std::uint32_t e) {
    return static_cast<double>(timing.events[e].issue);
  });
  for (; at != events.end(); ++at) {
    const EventTime& time = timing.events[*at];
    if (time.issue == kNever || time.waits_from >= end) break;
    const StaticInstruction& instruction = program.instructions()[trace.events[*at].instruction];
    if (!instruction.counts) continue;
    const auto done = static_cast<double>(std::max(time.done, time.issue + 1));
    const bool loads = instruction.access == AccessKind::kLoad ||
                       instruction.access == AccessKind::kLdmatrix ||
                       instruction.access == AccessKind::kAsyncCopy;
    if (loads && instruction.space == MemorySpace::kShared &&
        instruction.access != AccessKind::kAsyncCopy) {
      maker.mark(time.issue, done, &LaneSlice::loads_shared);
    } else if (loads) {
      maker.mark(time.issue, done, &LaneSlice::loads_global);
    }
    if (time.issue + 1.0 < first) continue;
    if (instruction.instruction_class == InstructionClass::kFloat ||
        instruction.instruction_class == InstructionClass::kTensor) {
      maker.mark(time.issue, time.issue + 1.0, &LaneSlice::computes);
    }
    maker.spend(time.waits_from, time.ready, state_of(time.stall), *at);
    maker.spend(time.ready, time.issue + 1.0, LaneState::kActive, *at);
  }
  return maker.finish();
}

}  // namespace tilescope
