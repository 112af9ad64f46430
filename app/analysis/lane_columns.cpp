#include "analysis/lane_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace tilescope {
namespace {

// How often each lane is in each state, over the instructions of one column.
struct StateCounts {
  std::array<std::uint32_t, 32> working{};
  std::array<std::uint32_t, 32> predicated{};
  std::array<std::uint32_t, 32> waiting{};
  std::array<std::uint32_t, 32> done{};

  static void add(std::array<std::uint32_t, 32>& counts, std::uint32_t lanes, std::uint32_t times) {
    for (; lanes != 0; lanes &= lanes - 1) {
      counts[static_cast<std::size_t>(std::countr_zero(lanes))] += times;
    }
  }
  void add(const LaneStates& states, std::uint32_t times) {
    add(working, states.working, times);
    add(predicated, states.predicated, times);
    add(waiting, states.waiting, times);
    add(done, states.done, times);
  }
  [[nodiscard]] LaneStates most(std::uint32_t existing) const {
    LaneStates states;
    states.absent = ~existing;
    for (std::uint32_t lanes = existing; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      const std::uint32_t bit = lanes & (~lanes + 1);
      const std::uint32_t top =
          std::max({working[lane], predicated[lane], waiting[lane], done[lane]});
      (working[lane] == top   ? states.working
       : waiting[lane] == top ? states.waiting
       : done[lane] == top    ? states.done
                              : states.predicated) |= bit;
    }
    return states;
  }
};

// One column being filled; neighbours that do the same are counted at once.
class ColumnSum {
 public:
  void add(const LaneStates& states, std::int16_t path, std::uint32_t times = 1) {
    if (times_ != 0 && (states != states_ || path != path_)) flush();
    states_ = states;
    path_ = path;
    times_ += times;
  }

  void finish(std::uint32_t existing, LaneColumn* column) {
    flush();
    column->slots = slots_;
    column->states = counts_.most(existing);
    column->path =
        std::ranges::max_element(paths_, {}, [](const auto& path) { return path.second; })->first;
  }

 private:
  void flush() {
    slots_.add(states_, times_);
    counts_.add(states_, times_);
    paths_[path_] += times_;
    times_ = 0;
  }

  LaneStates states_;
  std::int16_t path_ = kTogether;
  std::uint32_t times_ = 0;
  LaneSlots slots_;
  StateCounts counts_;
  std::map<std::int16_t, std::uint32_t> paths_;
};

}  // namespace

std::vector<LaneColumn> lane_columns(const Program& program, const BlockTrace& trace,
                                     const WarpLanes& warp, std::uint32_t begin, std::uint32_t end,
                                     std::uint32_t most) {
  std::vector<LaneColumn> columns;
  if (begin >= end || most == 0) return columns;
  const std::uint32_t width = (end - begin + most - 1) / most;
  auto run = std::ranges::upper_bound(warp.runs, begin, {}, &LaneRun::begin) - 1;
  auto partial = std::ranges::lower_bound(warp.partial, begin);
  for (std::uint32_t start = begin; start < end; start += width) {
    LaneColumn column;
    column.begin = start;
    column.end = std::min(start + width, end);
    ColumnSum sum;
    for (std::uint32_t i = start; i < column.end;) {
      if (partial == warp.partial.end() || i < *partial) {  // all lanes work, so all are together
        const std::uint32_t next =
            partial == warp.partial.end() ? column.end : std::min(*partial, column.end);
        sum.add({.working = ~0u}, kTogether, next - i);
        i = next;
        continue;
      }
      while (i >= run->end) ++run;
      const TraceEvent& event = trace.events[warp.events[i]];
      sum.add(states_of(program.instructions()[event.instruction], event, warp.existing, run->done),
              run->path);
      ++partial;
      ++i;
    }
    sum.finish(warp.existing, &column);
    columns.push_back(column);
  }
  return columns;
}

}  // namespace tilescope
