#pragma once

#include <string>
#include <vector>

#include "core/device_table.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {

// How fast a GPU's parts work, for the time model (analysis/time/time_model.h). Lanes are results
// per clock of one multiprocessor, by the CUDA C++ Programming Guide 13.0, "Throughput of Native
// Arithmetic Instructions"; the sources of the others are named at their definitions.
struct MachineRates {
  double clock_hz = 0;
  int multiprocessors = 0;
  bool own = false;  // fitted to or measured on this architecture or GPU, not taken over

  double issue_slots = 0;  // warp instructions per clock of an SM: one a scheduler
  double fp32_lanes = 0;
  double fp64_lanes = 0;
  double half_lanes = 0;             // FP16 and BF16, as pairs
  double integer_lanes = 0;          // add, compare, logic; multiplies have as many of their own
  double special_lanes = 0;          // reciprocal, square root, sine, logarithm, power
  double tensor_flop = 0;            // per clock of an SM, 16-bit operands; 0: not known
  double wavefronts = 0;             // per clock of an SM, shared memory and L1 together
  double reserved_shared_bytes = 0;  // of a block's shared memory, by the system
  double l1_bytes = 0;               // of an SM, shared memory included
  double l2_bytes = 0;               // of the whole GPU; 0: none

  double l2_sectors = 0;   // of 32 B, per clock of the whole GPU
  double port_clocks = 0;  // that an operand too many for a bank of the register file costs the FMA
                           // unit, which can be ahead of it
  // What the L2 takes of a store, in such sectors: for each line of a request, for each sector
  // of it that is written as a whole or in part.
  double line_write = 0;
  double whole_write = 0;
  double partial_write = 0;
  // Atomics, in clocks: for each time that a request adds to a sector, and for each time that
  // anybody adds to one address. The first go on in each slice of the L2 that has some of the
  // addresses; so many bytes are in one.
  double atomic_turn_clocks = 0;
  double atomic_address_clocks = 0;
  double atomic_slice_bytes = 0;
  double atomic_slices = 0;
  double block_start_clocks = 0;     // of the whole GPU, until it can start the next block
  double warp_start_clocks = 0;      // of a multiprocessor, until it can start the next warp
  double dram_bytes_per_second = 0;  // what a copy reaches
  double dram_datasheet = 0;         // bytes per second
  double launch_seconds = 0;         // from nothing running to the first data, and the end

  // Clocks from issue until what depends on it can be issued, with nothing else under way:
  // analysis/time/instruction_cost.h.
  double arithmetic_latency = 0;
  double special_latency = 0;
  double tensor_latency = 0;
  double shared_latency = 0;
  double l1_latency = 0;
  double l2_latency = 0;
  double dram_latency = 0;
  // A load that misses the L1, as the path of a warp waits for it: while the whole GPU loads
  // (loaded), and with one warp (idle).
  double loaded_l2_latency = 0;
  double loaded_dram_latency = 0;
  double idle_l2_latency = 0;
  double idle_dram_latency = 0;
  double first_round = 0;    // 0..1 of the blocks' loads that wait for the DRAM in the first round
  double shared_misses = 0;  // 0..1 of a miss, where warps load the same without a barrier
  double barrier_latency = 0;      // as analysis/time/instruction_cost.h has it
  double barrier_clocks = 0;       // of __syncthreads(), and
  double barrier_warp_clocks = 0;  // more for each warp of the block
  double block_clocks = 0;         // from a block's end until the next one's first instruction
};

// For a calibrated GPU: what was measured there, and each constant that was fitted to recorded runs
// times what the same small kernels take longer there than on an H100.
[[nodiscard]] MachineRates rates_of(const DeviceModel& device);

// Bytes of an SM's L1 that cache data while `blocks` blocks are resident, each with `shared_bytes`
// of shared memory; at least 16 KiB.
[[nodiscard]] double l1_bytes_beside(double blocks, double shared_bytes, const MachineRates& rates);

// Flop per second of the tensor cores, 16-bit operands; 0: not known.
[[nodiscard]] double tensor_peak(const MachineRates& rates);

// The highest rate of a launch of this kernel on the device: flop per second for GEMM, by
// the type of its operands, and bytes per second for the rest. 0: not known.
[[nodiscard]] double peak_rate(const CatalogueEntry& entry, const DeviceModel& device);

// The same on the GPU of this name: `device`, or a row of the table. 0: it is neither.
[[nodiscard]] double peak_rate_on(const std::string& gpu, const CatalogueEntry& entry,
                                  const DeviceModel& device, const std::vector<DeviceModel>& table);

}  // namespace tilescope
