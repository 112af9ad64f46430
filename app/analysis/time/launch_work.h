#pragma once

#include <cstdint>

#include "analysis/study/kernel_study.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/warp_path.h"
#include "emulator/block/block_trace.h"

namespace tilescope {

// Warp instructions by the part of a multiprocessor that executes them.
struct PipeWork {
  double issued = 0;  // all of them
  double fp32 = 0;
  double fp64 = 0;
  double half = 0;
  double integer = 0;
  double multiply = 0;  // of integers
  double special = 0;
  double tensor_flop = 0;    // in those of 16-bit operands: tf32 counts twice, 8 bits half
  double fma_clocks = 0;     // of a quarter's FMA unit, in which its operands come too; of machine
                             // code alone
  double multiply_adds = 0;  // FMA of any float, and mma
  double memory = 0;         // loads, stores, copies, atomics
};

// Accesses to global memory.
struct GlobalWork {
  double requests = 0;
  double sectors = 0;  // of 32 B
  double sectors_ideal = 0;
  double wavefronts =
      0;  // of the L1: 128 B or one 128-byte line each, and four for 128 bits a lane
  double wavefronts_ideal = 0;
  double lines = 0;            // of 128 B, summed over requests
  double partial_sectors = 0;  // of stores: that a request does not cover
};

// Atomics on global memory, which are among the stores too.
struct AtomicWork {
  double sectors = 0;  // distinct ones of each request, summed
  double again = 0;  // further times that a request has to add to a sector, for its lanes have the
                     // same address
  double lanes = 0;
  double bytes = 0;  // distinct ones that the launch adds to
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
  GlobalWork loads;   // and copies
  GlobalWork stores;  // reductions and atomics too: they go to the L2
  AtomicWork atomics;
  double block_sectors = 0;  // read by a block, each once, or again where the L1 has no room for it
                             // (WarpPath::reloads), summed over blocks: what is asked of the L2
  // Read by bulk copies, which pass the L1 by: each copy asks the L2; of the traced block, for all.
  double bulk_sectors = 0;
  double bulk_arrivals = 0;    // of a block: how often bulk loads fill a stage
  double bulk_stages = 0;      // of its ring: mbarriers that bulk loads arrive at
  double shared_bytes = 0;     // static and dynamic, of a block
  double dram_read_bytes = 0;  // each sector of a buffer once, as far as blocks reach it:
                               // counted where LaunchCounters::reach is known, else estimated
  double dram_write_bytes = 0;
  // For how many more bytes of its bandwidth the DRAM is busy: lines that were written before the
  // launch, and sectors of which several blocks write parts.
  double dram_other_bytes = 0;
  double flop = 0;  // of the kernel as written, whatever `as_issued` says

  bool even = false;  // blocks divide evenly over the multiprocessors; only a question sets it
  std::uint64_t blocks = 0;
  double warps_per_block = 0;
  double resident_blocks = 1;       // on a multiprocessor
  double most_resident_warps = 64;  // that the multiprocessor can hold
  WarpPath path;
};
// The machine code of followed_block(). nullopt: it was not counted, or cannot be followed.
[[nodiscard]] std::optional<BlockTrace> trace_issued(const KernelStudy& study);

// Follows `issued`, what trace_issued() gave, or without it the trace of the PTX.
// Precondition: either is there; counters of one of both, and the device.
[[nodiscard]] LaunchWork work_of(const KernelStudy& study, const std::optional<BlockTrace>& issued,
                                 const MachineRates& rates);
[[nodiscard]] LaunchWork work_of(const KernelStudy& study, const MachineRates& rates);

// The mean latency of a global load of this launch: of the L1's, L2's and DRAM's by what is served
// where.
[[nodiscard]] double mean_global_latency(const LaunchWork& work, const MachineRates& rates);
[[nodiscard]] PathLatencies path_latencies(const LaunchWork& work, const MachineRates& rates);

}  // namespace tilescope
