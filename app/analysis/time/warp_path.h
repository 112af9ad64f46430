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
  double l1 = 0;
  double l2 = 0;
  double far = 0;  // a mean over L2 and DRAM, of what the block has not loaded before
  // The same for data that several warps of a block need which no barrier keeps together: the one
  // that comes first brings it for the others.
  double far_shared = 0;
  double barrier = 0;
  double barrier_warp = 0;  // more for each warp of the block
};

// The time of a block that has the multiprocessor to itself.
struct WarpPath {
  double clocks = 0;  // of the longest warp
  double busy = 0;    // of them: its own instructions, and what they wait for each other
  // Clocks that the longest warp waited, by the kernel's source line of what it waited for.
  std::map<std::uint32_t, double> global_waits;
  std::map<std::uint32_t, double> shared_waits;
  double far_waits = 0;      // of global_waits: for what the L1 did not have
  double barrier_waits = 0;  // for other warps
  int barriers = 0;          // that a warp executes
  // Loads of the L1 from beyond over those that it would need if it had room for all; at least 1.
  double reloads = 1;

  // All clocks times `factor`.
  void lengthen(double factor);
};

// Of the PTX. An instruction that depends on a load waits for it, and a barrier waits for the last
// warp. Between barriers, and from one iteration of a loop to the next, an instruction starts as
// soon as its operands are available, as if the compiler had moved every load to the front (ptxas
// does if registers allow). A branch waits for its predicate; an instruction needs one clock to
// issue. Bulk copies and mbarriers do not wait. At most four of the block's warps, evenly spread,
// are followed. The part that is not in the trace is assumed to have the same pace.
[[nodiscard]] WarpPath path_of(const Program& program, const BlockTrace& trace,
                               const PathLatencies& latencies);

}  // namespace tilescope
