#pragma once

#include <cstdint>
#include <vector>

#include "emulator/block/block_trace.h"
#include "emulator/block/event_list.h"
#include "emulator/program.h"

namespace tilescope {

// The state of each of the 32 lanes in one warp instruction, as disjoint masks. A lane works if
// its predicate is true; at a branch, call or return all active lanes work, as each of them
// decides.
struct LaneStates {
  std::uint32_t working = 0;
  std::uint32_t predicated = 0;  // active, switched off by the predicate
  std::uint32_t waiting = 0;     // others of the warp take another path meanwhile
  std::uint32_t done = 0;        // finished: it only has to return
  std::uint32_t absent = 0;      // the block has no thread for it

  friend bool operator==(const LaneStates&, const LaneStates&) = default;
};

// Lane slots summed over warp instructions.
struct LaneSlots {
  std::uint64_t instructions = 0;  // of warps
  std::uint64_t working = 0;
  std::uint64_t predicated = 0;
  std::uint64_t waiting = 0;
  std::uint64_t done = 0;
  std::uint64_t absent = 0;

  LaneSlots& operator+=(const LaneSlots& other);
  void add(const LaneStates& states, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t total() const { return 32 * instructions; }
  [[nodiscard]] std::uint64_t lost() const { return total() - working; }
  [[nodiscard]] double lost_share() const;  // 0..1; 0 of nothing
  // Warp instructions that the same work needs with 32 working lanes in each.
  [[nodiscard]] std::uint64_t ideal_instructions() const { return (working + 31) / 32; }
};

// Which instructions are branches, calls and returns, where every active lane works.
[[nodiscard]] std::vector<bool> deciding_instructions(const Program& program);

// What a warp's lanes do at one event of its trace. `existing` and `done`: WarpLanes, LaneRun.
[[nodiscard]] LaneStates states_of(const StaticInstruction& instruction, const TraceEvent& event,
                                   std::uint32_t existing, std::uint32_t done);

inline constexpr std::int16_t kTogether = -1;

// Consecutive instructions of a warp with the same active lanes.
struct LaneRun {
  std::uint32_t begin = 0;  // into WarpLanes::events
  std::uint32_t end = 0;
  std::uint32_t present = 0;
  std::uint32_t done = 0;
  std::int16_t path = kTogether;  // else which path of the divergence around it, from 0
};

// From a branch that splits a warp until all of its lanes that are not finished have converged
// again.
struct Divergence {
  std::uint32_t begin = 0;   // into WarpLanes::events: the first instruction after the branch
  std::uint32_t end = 0;     // the first one together; events.size(): none comes
  std::uint32_t branch = 0;  // static instruction
  std::uint32_t lanes = 0;   // that diverged
  int groups = 0;            // sets of lanes that stay together throughout, those that wait too
  int paths = 0;             // that were executed, one after the other; see LaneRun::path
  bool is_loop = false;      // the branch closes a loop that some lanes leave before others
  std::uint32_t fewest_turns = 0;  // of a lane in that loop; 0, 0: not known
  std::uint32_t most_turns = 0;
  std::uint64_t waiting = 0;  // lane slots
};

// All divergences of a warp at one branch.
struct DivergentBranch {
  std::uint32_t instruction = 0;
  std::uint64_t times = 0;
  std::uint64_t waiting = 0;  // lane slots
  std::uint32_t worst = 0;    // index into WarpLanes::divergences
};

struct WarpLanes {
  std::uint32_t existing = 0;             // lanes with a thread
  std::vector<std::uint32_t> events;      // indices into BlockTrace::events, ascending
  std::vector<std::uint32_t> partial;     // into `events`: where not all 32 lanes work, ascending
  std::vector<LaneRun> runs;              // without a gap
  std::vector<Divergence> divergences;    // ascending, none inside another
  std::vector<DivergentBranch> branches;  // most waiting lane slots first
  LaneSlots slots;

  [[nodiscard]] const LaneRun& run_at(std::uint32_t index) const;
  // Index of the last of its events at or before this moment of the block; 0 where none is.
  [[nodiscard]] std::uint32_t index_at(std::uint32_t event) const;
};

// The slots of the instructions of one source line (StaticInstruction::outermost).
struct LineLanes {
  SourceLine line;
  LaneSlots slots;
  std::uint64_t parted = 0;  // executions of a branch that split the warp
};

struct BlockLanes {
  std::vector<WarpLanes> warps;
  LaneSlots slots;
  std::vector<LineLanes> lines;  // most lost slots first
  // Warps that diverge somewhere.
  [[nodiscard]] std::size_t diverging_warps() const;
};

// Follows the lanes of a traced block. `threads`: of the block. A truncated trace is followed as
// far as it goes; then no lane counts as done.
[[nodiscard]] BlockLanes block_lanes_of(const Program& program, const BlockTrace& trace,
                                        std::uint64_t threads);

// Part of a warp's time as one column of its picture: what most of its instructions do.
struct LaneColumn {
  std::uint32_t begin = 0;  // into WarpLanes::events
  std::uint32_t end = 0;
  LaneStates states;  // each lane's most frequent one
  LaneSlots slots;
  std::int16_t path = kTogether;  // of most of them
};

// The instructions begin .. end of a warp in at most `most` columns of the same number of
// instructions (the last may have fewer).
[[nodiscard]] std::vector<LaneColumn> lane_columns(const Program& program, const BlockTrace& trace,
                                                   const WarpLanes& warp, std::uint32_t begin,
                                                   std::uint32_t end, std::uint32_t most);

}  // namespace tilescope
