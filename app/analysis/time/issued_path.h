#pragma once

#include <cstdint>
#include <vector>

#include "analysis/time/instruction_cost.h"
#include "analysis/time/warp_path.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// The machine code of a kernel, with what issued_path() needs to know of it.
struct IssuedCode {
  const Program& program;                     // machine code
  const std::vector<InstructionCost>& costs;  // of its instructions
  std::vector<std::uint8_t> stalls;           // analysis/time/stall_counts.h
  double l1_lines = 0;                        // of 128 bytes, that a warp's share of the L1 holds
  double port_clocks = 1;                     // MachineRates::port_clocks
};
// The time of a block of machine code. A warp issues its instructions in order, each after the
// clocks that the compiler wrote into the one before, and once the registers are there that it
// reads and writes and its unit is free. A load waits for the L1 where the warp itself has loaded
// its sectors and the L1 still holds them, or any warp before the last barrier; for the L2 where
// the L1 no longer holds them; else for L2 and DRAM. Otherwise as path_of(). Precondition: `trace`
// is of code.program.
[[nodiscard]] WarpPath issued_path(const IssuedCode& code, const BlockTrace& trace,
                                   const PathLatencies& latencies);

}  // namespace tilescope
