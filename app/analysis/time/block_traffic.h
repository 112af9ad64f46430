#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "emulator/block/block_trace.h"
#include "emulator/program.h"

namespace tilescope {

// What one traced block reads and writes in global memory.

[[nodiscard]] bool reads_global(AccessKind access);

// Distinct sectors that it touches in one buffer.
struct BufferSectors {
  std::unordered_set<std::uint64_t> read;
  std::unordered_set<std::uint64_t> written;
  std::unordered_map<std::uint64_t, std::uint32_t>
      stored;                                  // by sector, a bit for each of its bytes
  std::unordered_set<std::uint64_t> added_to;  // addresses that atomics add to
  std::unordered_set<std::uint64_t> read_in_bulk;
  std::unordered_set<std::uint64_t> written_in_bulk;
};

// Sums over the accesses of one instruction.
struct AccessTraffic {
  double requests = 0;
  double lines = 0;            // of 128 bytes
  double in_quarter = 0;       // sectors in the busiest quarter of each request's lines
  double sectors = 0;          // of stores and atomics: distinct ones of each request
  double partial_sectors = 0;  // that stores and atomics write in part
};

struct BlockTraffic {
  std::map<std::size_t, BufferSectors> buffers;  // by DeviceMemory::buffers()
  std::vector<AccessTraffic> shapes;             // by instruction of the traced program
  double bulk_loads = 0;                         // sectors, each as often as a copy asks for it
  double bulk_stores = 0;
  double bulk_stored_bytes = 0;
  double bulk_arrivals = 0;  // phases of mbarriers that bulk loads end
  double bulk_barriers = 0;  // their mbarriers: one for each stage
  double whole = 1;          // what the trace holds of all that the block did
};

// How the warps of a block come back to lines that they used before.
struct L2Reuse {
  double rewritten = 0;  // times that a warp writes a part of a sector of which it wrote a part
                         // before, summed over warps
  double lines = 0;      // that a warp uses between two uses of one, in the mean
};
// Precondition: the trace is of `program`.
[[nodiscard]] BlockTraffic traffic_of(const KernelStudy& study, const Program& program,
                                      const BlockTrace& trace);

// Counts them in the trace. A line that a warp loads again after at most `l1_lines` others comes
// from the L1.
[[nodiscard]] L2Reuse l2_reuse_of(const Program& program, const BlockTrace& trace, double l1_lines);

// The block that stands for all: the traced one, or the one that is chosen. A linear index.
[[nodiscard]] std::uint64_t followed_block(const KernelStudy& study);

// Whether the blocks that run at the same time read other sectors of a buffer than the traced one:
// the next in the grid and the next row's. Emulates both.
[[nodiscard]] bool reads_alone(const KernelStudy& study,
                               const std::unordered_set<std::uint64_t>& sectors);

}  // namespace tilescope
