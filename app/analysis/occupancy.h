#pragma once
#include "core/device_table.h"
#include "core/result.h"

namespace tilescope {

// Blocks that fit on one multiprocessor at once, and what stops the next one. Computed by the
// toolkit's own cuda_occupancy.h, so it equals cudaOccupancyMaxActiveBlocksPerMultiprocessor; for
// compute capability 1.2 to 2.x, which that no longer knows, by the rules of NVIDIA's calculator.
enum class OccupancyLimit { kThreads, kRegisters, kSharedMemory, kBlocks };
[[nodiscard]] const char* name_of(OccupancyLimit limit);

struct Occupancy {
  int blocks_per_multiprocessor = 0;
  int warps_per_multiprocessor = 0;
  int max_warps_per_multiprocessor = 0;
  OccupancyLimit limit = OccupancyLimit::kThreads;
};

struct OccupancyRequest {
  int threads_per_block = 0;
  int registers_per_thread = 0;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
};
[[nodiscard]] Result<Occupancy> occupancy(const DeviceModel& device,
                                          const OccupancyRequest& request);

}  // namespace tilescope
