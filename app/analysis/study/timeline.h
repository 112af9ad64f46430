#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// The time of a traced block, cut into what a person steps through. Time is the index of an event.
struct Timeline {
  // A k-tile step: from one entry of the outermost loop that touches memory to the next, as the
  // block's first warp executes it. Blocks without such a loop have one step.
  std::vector<std::uint32_t> step_begin;  // event indices, ascending; [0] is 0
  // The same for each warp, by its own entries: warps do not execute the loop at the same time.
  std::vector<std::vector<std::uint32_t>> warp_steps;
  // Indices of events that access global or shared memory.
  std::vector<std::uint32_t> memory_events;

  [[nodiscard]] std::uint32_t step_at(std::uint32_t event) const;  // index into step_begin
  // The step that this warp is in at an event; 0 for a warp that is not in the trace.
  [[nodiscard]] std::uint32_t step_of(std::uint32_t warp, std::uint32_t event) const;
};
[[nodiscard]] Timeline timeline_of(const Program& program, const BlockTrace& trace);

inline constexpr std::uint32_t kNoLoopHeader = std::numeric_limits<std::uint32_t>::max();

// The first instruction of the outermost loop with most memory accesses of the trace;
// kNoLoopHeader when none does. A kernel with a path of its own for edge blocks has several such
// loops: this is the one that ran.
[[nodiscard]] std::uint32_t main_loop_header(const Program& program, const BlockTrace& trace);

}  // namespace tilescope
