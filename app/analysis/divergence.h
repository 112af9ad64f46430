#pragma once
#include <cstdint>
#include <vector>

#include "analysis/lane_states.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

inline constexpr std::int16_t kTogether = -1;

// A stretch of a warp's instructions that the same lanes come along to.
struct LaneRun {
  std::uint32_t begin = 0;  // into WarpLanes::events
  std::uint32_t end = 0;
  std::uint32_t present = 0;
  std::uint32_t done = 0;
  std::int16_t path = kTogether;  // else which way of the divergence around it, from 0
};

// From a branch where lanes of a warp part until all that have something left to do are together
// again.
struct Divergence {
  std::uint32_t begin = 0;   // into WarpLanes::events: the first instruction after the branch
  std::uint32_t end = 0;     // the first one together; events.size(): none comes
  std::uint32_t branch = 0;  // static instruction
  std::uint32_t lanes = 0;   // that parted
  int groups = 0;            // sets of lanes that stay together throughout, those that wait too
  int paths = 0;             // ways that were walked, one after the other; see LaneRun::path
  bool is_loop = false;      // the branch closes a loop that some lanes leave before others
  std::uint32_t fewest_turns = 0;  // of a lane in that loop; 0, 0: not known
  std::uint32_t most_turns = 0;
  std::uint64_t waiting = 0;  // lane slots
};

// All the times that the lanes of a warp part at one branch.
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
  std::uint64_t parted = 0;  // executions of a branch after which lanes had parted
};

struct BlockLanes {
  std::vector<WarpLanes> warps;
  LaneSlots slots;
  std::vector<LineLanes> lines;  // most lost slots first
  // Warps that part somewhere.
  [[nodiscard]] std::size_t diverging_warps() const;
};

// Follows the lanes of a traced block. `threads`: of the block. What the trace left out (truncated)
// is not part of it; then no lane counts as done.
[[nodiscard]] BlockLanes block_lanes_of(const Program& program, const BlockTrace& trace,
                                        std::uint64_t threads);

}  // namespace tilescope
