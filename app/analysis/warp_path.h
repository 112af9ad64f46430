#pragma once
#include <cstdint>
#include <map>

#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// Clocks from issue until what depends on an instruction can be issued.
struct PathLatencies {
  double arithmetic = 0;
  double special = 0;
  double tensor = 0;
  double shared = 0;
  double global = 0;  // a mean over L1, L2 and DRAM
  double barrier = 0;
};

// How long a block takes whose warps have the multiprocessor to themselves: what depends on a load
// waits for it, a barrier for the last warp, and everything else flows. Between barriers and from
// one turn of a loop to the next an instruction starts as soon as its operands are there, as if the
// compiler had moved every load to the front (ptxas does where registers allow); a branch waits for
// its predicate, an instruction takes a clock to issue. Bulk copies and mbarriers wait for nobody.
struct WarpPath {
  double clocks = 0;
  // Clocks that the longest warp waited, by the kernel's source line of what it waited for.
  std::map<std::uint32_t, double> global_waits;
  std::map<std::uint32_t, double> shared_waits;
  double barrier_waits = 0;  // for other warps
  int barriers = 0;          // that a warp meets
  int copies = 0;            // groups of cp.async that a warp has under way, at the most
};
// Of the traced block; at most four of its warps, evenly spread, are followed. What the trace left
// out counts as if it went on at the same pace.
[[nodiscard]] WarpPath path_of(const Program& program, const BlockTrace& trace,
                               const PathLatencies& latencies);

}  // namespace tilescope
