#include "analysis/divergence.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/warp_masks.h"

namespace tilescope {
namespace {

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
      for (std::uint32_t found = left & event(i).present; found != 0; found &= found - 1) {
        last_work_[static_cast<std::size_t>(std::countr_zero(found))] = i;
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
      for (std::uint32_t lanes = event(index).present; lanes != 0; lanes &= lanes - 1) {
        ++turns[static_cast<std::size_t>(std::countr_zero(lanes))];
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
    for (std::uint32_t lanes = divergence.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
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

}  // namespace tilescope
