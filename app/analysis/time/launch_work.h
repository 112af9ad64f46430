#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analysis/study/kernel_study.h"
#include "analysis/time/machine_rates.h"
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

// The time of a block that has the multiprocessor to itself: an instruction that depends on a load
// waits for it, and a barrier waits for the last warp. Between barriers, and from one iteration of
// a loop to the next, an instruction starts as soon as its operands are available, as if the
// compiler had moved every load to the front (ptxas does if registers allow). A branch waits for
// its predicate; an instruction needs one clock to issue. Bulk copies and mbarriers do not wait.
struct WarpPath {
  double clocks = 0;
  // Clocks that the longest warp waited, by the kernel's source line of what it waited for.
  std::map<std::uint32_t, double> global_waits;
  std::map<std::uint32_t, double> shared_waits;
  double barrier_waits = 0;  // for other warps
  int barriers = 0;          // that a warp executes
  int copies = 0;            // groups of cp.async that a warp has under way, at the most
};
// Of the traced block; at most four of its warps, evenly spread, are followed. The part that is
// not in the trace is assumed to have the same pace.
[[nodiscard]] WarpPath path_of(const Program& program, const BlockTrace& trace,
                               const PathLatencies& latencies);

// Warp instructions by the part of a multiprocessor that executes them.
struct PipeWork {
  double issued = 0;  // all of them
  double fp32 = 0;
  double fp64 = 0;
  double half = 0;
  double integer = 0;
  double multiply = 0;  // of integers
  double special = 0;
  double tensor_flop = 0;
  double multiply_adds = 0;  // FMA of any float, and mma
  double memory = 0;         // loads, stores, copies, atomics
};

// Accesses to global memory.
struct GlobalWork {
  double requests = 0;
  double sectors = 0;  // of 32 B
  double sectors_ideal = 0;
  double wavefronts = 0;  // of the L1: 128 B or one 128-byte line each, and two for 128 bits a lane
  double wavefronts_ideal = 0;
};

// The work of a launch: counts over the whole grid, and the waits of the traced block. A plain
// value, so that a question ("what if there were no bank conflicts?") is a copy with a changed
// number.
struct LaunchWork {
  bool as_issued = false;  // counted over the machine code, else over the PTX
  PipeWork pipes;
  double lane_share = 1;  // active lanes of 32, mean over warp instructions

  double shared_wavefronts = 0;
  double shared_wavefronts_ideal = 0;
  GlobalWork loads;          // and copies
  GlobalWork stores;         // reductions and atomics too: they go to the L2
  double block_sectors = 0;  // read by a block, each once, summed over blocks: what an L1 that
                             // forgets nothing while a block runs asks of the L2
  // Read by bulk copies, which pass the L1 by: each copy asks the L2; of the traced block, for all.
  double bulk_sectors = 0;
  double dram_read_bytes = 0;  // each sector of a buffer once, as far as blocks reach it:
                               // counted where LaunchCounters::reach is known, else estimated
  double dram_write_bytes = 0;
  double flop = 0;  // of the kernel as written, whatever `as_issued` says

  bool even = false;  // blocks divide evenly over the multiprocessors; only a question sets it
  std::uint64_t blocks = 0;
  double warps_per_block = 0;
  double resident_blocks = 1;       // on a multiprocessor
  double most_resident_warps = 64;  // that the multiprocessor can hold
  WarpPath path;
};
// Precondition: study.traced(), counters and device. Walks the whole trace: tens of milliseconds.
[[nodiscard]] LaunchWork work_of(const KernelStudy& study, const MachineRates& rates);

// The mean latency of a global load of this launch: of the L1's, L2's and DRAM's by what is served
// where.
[[nodiscard]] double mean_global_latency(const LaunchWork& work, const MachineRates& rates);
[[nodiscard]] PathLatencies path_latencies(const LaunchWork& work, const MachineRates& rates);

}  // namespace tilescope
