#include "analysis/study/divergence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "emulator/lanes_in.h"

namespace tilescope {
namespace {

inline constexpr std::uint32_t kAllLanes = 0xffffffff;

// From its event `index` on these lanes of a warp come along.
struct MaskChange {
  std::uint32_t index = 0;
  std::uint32_t present = 0;
};

// What each warp's events are, read once in the order of the trace.
struct BlockMasks {
  std::vector<std::vector<MaskChange>> changes;  // by warp, ascending
  std::vector<std::uint64_t> whole;  // executions in which all 32 lanes work, by instruction
};

// Fills in `events` and `partial` of the warps. Precondition: one for each warp of the block.
BlockMasks read_masks(const Program& program, const BlockTrace& trace,
                      std::vector<WarpLanes>& warps) {
  const std::vector<bool> decides = deciding_instructions(program);
  BlockMasks masks;
  masks.changes.resize(warps.size());
  masks.whole.resize(program.instructions().size());
  for (WarpLanes& warp : warps) warp.events.reserve(trace.events.size() / warps.size() + 1);
  std::uint32_t index = 0;
  for (const TraceEvent& event : trace.events) {
    WarpLanes& warp = warps[event.warp];
    std::vector<MaskChange>& changes = masks.changes[event.warp];
    const auto own = static_cast<std::uint32_t>(warp.events.size());
    warp.events.push_back(index++);
    if (changes.empty() || changes.back().present != event.present) {
      changes.push_back({own, event.present});
    }
    if ((decides[event.instruction] ? event.present : event.active) == kAllLanes) {
      ++masks.whole[event.instruction];
    } else {
      warp.partial.push_back(own);
    }
  }
  return masks;
}

// Walks one warp's events once, from its first to its last.
class WarpFollower {
 public:
  WarpFollower(const Program& program, const BlockTrace& trace, WarpLanes& warp)
      : instructions_(program.instructions()), program_(program), trace_(trace), warp_(warp) {}

  void follow(const std::vector<MaskChange>& changes) {
    find_last_work();
    const auto size = static_cast<std::uint32_t>(warp_.events.size());
    for (std::size_t c = 0; c < changes.size(); ++c) {
      const std::uint32_t end = c + 1 < changes.size() ? changes[c + 1].index : size;
      for (std::uint32_t i = changes[c].index; i < end;) i = go_on(i, end, changes[c].present);
    }
    close_divergence(size);
    sum_branches();
  }

 private:
  struct Path {
    std::uint32_t lanes = 0;  // that walked it last
    std::int16_t number = 0;
  };

  [[nodiscard]] TraceEvent event(std::uint32_t index) const {
    return trace_.events[warp_.events[index]];
  }

  // Along the run that event `index` is of, to its end or to `end`: which comes first.
  std::uint32_t go_on(std::uint32_t index, std::uint32_t end, std::uint32_t present) {
    while (next_done_ < order_.size() && last_work_[order_[next_done_]] < index) {
      done_ |= 1u << order_[next_done_++];
    }
    if (next_done_ < order_.size()) end = std::min(end, last_work_[order_[next_done_]] + 1);
    if (warp_.runs.empty() || warp_.runs.back().present != present ||
        warp_.runs.back().done != (done_ & ~present)) {
      start_run(index, present);
    }
    warp_.runs.back().end = end;
    return end;
  }

  // When each lane does something other than return for the last time.
  void find_last_work() {
    last_work_.fill(0);
    const auto size = static_cast<std::uint32_t>(warp_.events.size());
    std::uint32_t left = trace_.truncated ? 0 : warp_.existing;
    if (trace_.truncated) last_work_.fill(size);
    for (std::uint32_t i = size; i-- > 0 && left != 0;) {
      if (instructions_[event(i).instruction].control == Control::kReturn) continue;
      for (const unsigned lane : lanes_in(left & event(i).present)) {
        last_work_[lane] = i;
      }
      left &= ~event(i).present;
    }
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((warp_.existing >> lane & 1U) != 0) order_.push_back(lane);
    }
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t lane) { return last_work_[lane]; });
  }

  void start_run(std::uint32_t index, std::uint32_t present) {
    const bool together = (present | done_) == (warp_.existing | done_);
    if (together) close_divergence(index);
    if (!together && !open_) open_divergence(index);
    LaneRun run{index, index + 1, present, done_ & ~present, kTogether};
    if (open_) run.path = path_of(index, present);
    warp_.runs.push_back(run);
  }

  void open_divergence(std::uint32_t index) {
    open_ = true;
    Divergence divergence;
    divergence.begin = index;
    divergence.branch = event(index == 0 ? 0 : index - 1).instruction;
    divergence.lanes = warp_.existing & ~done_;
    warp_.divergences.push_back(divergence);
    by_lanes_.clear();
    by_start_.clear();
    path_lanes_.clear();
    groups_.assign(1, divergence.lanes);
  }

  // The same lanes go on along their path; fewer of them that start where they started before are
  // a loop's next turn.
  std::int16_t path_of(std::uint32_t index, std::uint32_t present) {
    const std::uint32_t start = event(index).instruction;
    const auto same = by_lanes_.find(present);
    if (same != by_lanes_.end()) {
      path_lanes_[static_cast<std::size_t>(same->second)] = present;
      return same->second;
    }
    split_groups(present);
    const auto again = by_start_.find(start);
    const bool next_turn = again != by_start_.end() && (present & ~again->second.lanes) == 0;
    const auto number = next_turn ? again->second.number
                                  : static_cast<std::int16_t>(warp_.divergences.back().paths++);
    path_lanes_.resize(static_cast<std::size_t>(warp_.divergences.back().paths));
    path_lanes_[static_cast<std::size_t>(number)] = present;
    by_start_[start] = {present, number};
    by_lanes_.emplace(present, number);
    return number;
  }

  // Paths that one group ends on come first, in the order in which they were walked; then those
  // that lead several groups to branches of their own.
  void order_paths(const Divergence& divergence) {
    std::vector<std::size_t> order(path_lanes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), [&](std::size_t path) {
      return std::ranges::find(groups_, path_lanes_[path]) != groups_.end();
    });
    std::vector<std::int16_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int16_t>(i);
    for (auto run = warp_.runs.rbegin(); run != warp_.runs.rend() && run->begin >= divergence.begin;
         ++run) {
      run->path = place[static_cast<std::size_t>(run->path)];
    }
  }

  void split_groups(std::uint32_t present) {
    const std::size_t size = groups_.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t inside = groups_[i] & present;
      if (inside == 0 || inside == groups_[i]) continue;
      groups_.push_back(groups_[i] & ~present);
      groups_[i] = inside;
    }
  }

  void close_divergence(std::uint32_t index) {
    if (!open_) return;
    open_ = false;
    Divergence& divergence = warp_.divergences.back();
    divergence.end = index;
    divergence.groups = static_cast<int>(groups_.size());
    for (auto run = warp_.runs.rbegin(); run != warp_.runs.rend() && run->begin >= divergence.begin;
         ++run) {
      const std::uint32_t waiting = warp_.existing & ~run->present & ~run->done;
      const auto lanes = static_cast<std::uint64_t>(std::popcount(waiting));
      divergence.waiting += lanes * (run->end - run->begin);
    }
    order_paths(divergence);
    count_turns(divergence);
  }

  [[nodiscard]] bool inside_loop(std::uint16_t loop, std::uint16_t outer) const {
    while (loop != 0 && loop != outer) loop = program_.loops()[loop - 1u].parent;
    return loop == outer;
  }

  // A loop: its branch comes again while the lanes are apart. Turns are counted from where the
  // warp came into it; not where it calls functions, whose instructions lie in no loop.
  void count_turns(Divergence& divergence) const {
    const std::uint16_t loop = instructions_[divergence.branch].loop;
    std::array<std::uint32_t, 32> turns{};
    const auto add = [&](std::uint32_t index) {
      if (event(index).instruction != divergence.branch) return false;
      for (const unsigned lane : lanes_in(event(index).present)) {
        ++turns[lane];
      }
      return true;
    };
    for (std::uint32_t i = divergence.begin; i < divergence.end; ++i) divergence.is_loop |= add(i);
    if (!divergence.is_loop || loop == 0) return;
    std::uint32_t first = divergence.begin;
    while (first > 0 && inside_loop(instructions_[event(first - 1).instruction].loop, loop)) {
      add(--first);
    }
    if (first > 0 && instructions_[event(first - 1).instruction].control == Control::kReturn)
      return;
    // Tested at its head, a loop is tested once more than it turns.
    const bool tested_at_end =
        event(divergence.begin).instruction == program_.loops()[loop - 1u].header;
    divergence.fewest_turns = std::numeric_limits<std::uint32_t>::max();
    for (const unsigned lane : lanes_in(divergence.lanes)) {
      const std::uint32_t own = turns[lane] - std::min(turns[lane], tested_at_end ? 0u : 1u);
      divergence.fewest_turns = std::min(divergence.fewest_turns, own);
      divergence.most_turns = std::max(divergence.most_turns, own);
    }
  }

  void sum_branches() {
    std::map<std::uint32_t, DivergentBranch> branches;
    for (std::uint32_t i = 0; i < warp_.divergences.size(); ++i) {
      const Divergence& divergence = warp_.divergences[i];
      DivergentBranch& branch = branches[divergence.branch];
      branch.instruction = divergence.branch;
      if (branch.times++ == 0 || divergence.waiting > warp_.divergences[branch.worst].waiting) {
        branch.worst = i;
      }
      branch.waiting += divergence.waiting;
    }
    for (const auto& [instruction, branch] : branches) warp_.branches.push_back(branch);
    std::ranges::stable_sort(warp_.branches, std::ranges::greater{}, &DivergentBranch::waiting);
  }

  const std::vector<StaticInstruction>& instructions_;
  const Program& program_;
  const BlockTrace& trace_;
  WarpLanes& warp_;
  std::array<std::uint32_t, 32> last_work_{};
  std::vector<std::uint32_t> order_;  // lanes, by when they are done
  std::size_t next_done_ = 0;         // into order_
  std::uint32_t done_ = 0;
  bool open_ = false;                      // a divergence
  std::vector<std::uint32_t> groups_;      // of it
  std::vector<std::uint32_t> path_lanes_;  // that walked each path last
  std::map<std::uint32_t, std::int16_t> by_lanes_;
  std::map<std::uint32_t, Path> by_start_;  // by the first instruction
};

std::vector<LineLanes> sum_lines(const Program& program, const BlockTrace& trace,
                                 const std::vector<LaneSlots>& by_instruction) {
  std::map<std::pair<std::uint16_t, std::uint32_t>, LineLanes> lines;
  for (std::size_t i = 0; i < by_instruction.size(); ++i) {
    if (by_instruction[i].instructions == 0) continue;
    const SourceLine& line = program.instructions()[i].outermost;
    LineLanes& sum = lines[{line.file, line.line}];
    sum.line = line;
    sum.slots += by_instruction[i];
    if (i < trace.counts.divergent.size()) sum.parted += trace.counts.divergent[i];
  }
  std::vector<LineLanes> sorted;
  for (const auto& [place, line] : lines) sorted.push_back(line);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const LineLanes& line) { return line.slots.lost(); });
  return sorted;
}

}  // namespace

const LaneRun& WarpLanes::run_at(std::uint32_t index) const {
  return *std::prev(std::ranges::upper_bound(runs, index, {}, &LaneRun::begin));
}

std::uint32_t WarpLanes::index_at(std::uint32_t event) const {
  const auto after = std::ranges::upper_bound(events, event);
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(after - events.begin() - 1, 0));
}

std::size_t BlockLanes::diverging_warps() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      warps, [](const WarpLanes& warp) { return !warp.divergences.empty(); }));
}

BlockLanes block_lanes_of(const Program& program, const BlockTrace& trace, std::uint64_t threads) {
  BlockLanes block;
  block.warps.resize((threads + 31) / 32);
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    const std::uint64_t left = threads - 32 * w;
    block.warps[w].existing = left >= 32 ? kAllLanes : (1u << left) - 1;
  }
  const BlockMasks masks = read_masks(program, trace, block.warps);
  const std::vector<StaticInstruction>& instructions = program.instructions();
  std::vector<LaneSlots> by_instruction(instructions.size());
  constexpr LaneStates kAllWork{.working = kAllLanes};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    by_instruction[i].add(kAllWork, masks.whole[i]);
  }
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    WarpLanes& warp = block.warps[w];
    WarpFollower(program, trace, warp).follow(masks.changes[w]);
    warp.slots.add(kAllWork, warp.events.size() - warp.partial.size());
    auto run = warp.runs.begin();
    for (const std::uint32_t i : warp.partial) {
      while (i >= run->end) ++run;
      const TraceEvent& event = trace.events[warp.events[i]];
      const LaneStates states =
          states_of(instructions[event.instruction], event, warp.existing, run->done);
      warp.slots.add(states);
      by_instruction[event.instruction].add(states);
    }
    block.slots += warp.slots;
  }
  block.lines = sum_lines(program, trace, by_instruction);
  return block;
}

namespace {

std::uint64_t count(std::uint32_t lanes) {
  return static_cast<std::uint64_t>(std::popcount(lanes));
}

}  // namespace

std::vector<bool> deciding_instructions(const Program& program) {
  std::vector<bool> decides;
  decides.reserve(program.instructions().size());
  for (const StaticInstruction& instruction : program.instructions()) {
    decides.push_back(instruction.instruction_class == InstructionClass::kControl);
  }
  return decides;
}

LaneStates states_of(const StaticInstruction& instruction, const TraceEvent& event,
                     std::uint32_t existing, std::uint32_t done) {
  LaneStates states;
  const bool decides = instruction.instruction_class == InstructionClass::kControl;
  states.working = decides ? event.present : event.active;
  states.predicated = event.present & ~states.working;
  states.absent = ~existing;
  states.done = existing & done & ~event.present;
  states.waiting = existing & ~event.present & ~states.done;
  return states;
}

LaneSlots& LaneSlots::operator+=(const LaneSlots& other) {
  instructions += other.instructions;
  working += other.working;
  predicated += other.predicated;
  waiting += other.waiting;
  done += other.done;
  absent += other.absent;
  return *this;
}

void LaneSlots::add(const LaneStates& states, std::uint64_t times) {
  instructions += times;
  working += count(states.working) * times;
  predicated += count(states.predicated) * times;
  waiting += count(states.waiting) * times;
  done += count(states.done) * times;
  absent += count(states.absent) * times;
}

double LaneSlots::lost_share() const {
  return instructions == 0 ? 0 : static_cast<double>(lost()) / static_cast<double>(total());
}

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
    for (const unsigned lane : lanes_in(existing)) {
      const std::uint32_t bit = 1u << lane;
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
