#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"

namespace tilescope {

// Blocks that run at the same time on one SM, and the resource that is used up. Computed by the
// toolkit's own cuda_occupancy.h, so it equals cudaOccupancyMaxActiveBlocksPerMultiprocessor; for
// compute capability 1.2 to 2.x, which it no longer supports, by the rules of NVIDIA's calculator.
enum class OccupancyLimit { kThreads, kRegisters, kSharedMemory, kBlocks };
[[nodiscard]] const char* name_of(OccupancyLimit limit);

// A limited resource of a multiprocessor.
struct ResourceShare {
  static constexpr int kNoBound = std::numeric_limits<int>::max();
  int capacity = 0;   // warps, registers, bytes or blocks of a multiprocessor
  int per_block = 0;  // that a block uses, rounded up to the hardware's allocation unit
  int blocks = 0;     // that fit if only this one counted; kNoBound: none of it is used

  [[nodiscard]] int left(int resident_blocks) const {
    return capacity - resident_blocks * per_block;
  }
};

struct Occupancy {
  int blocks_per_multiprocessor = 0;
  int warps_per_multiprocessor = 0;
  int max_warps_per_multiprocessor = 0;
  OccupancyLimit limit = OccupancyLimit::kThreads;
  std::array<ResourceShare, 4> resources;  // by OccupancyLimit; kThreads counts in warps

  [[nodiscard]] const ResourceShare& share(OccupancyLimit resource) const {
    return resources.at(static_cast<std::size_t>(resource));
  }
  [[nodiscard]] double percent() const {
    return max_warps_per_multiprocessor == 0
               ? 0
               : 100.0 * warps_per_multiprocessor / max_warps_per_multiprocessor;
  }
};

struct OccupancyRequest {
  int threads_per_block = 0;
  int registers_per_thread = 0;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
};

// The most registers that a thread can have: 128 below compute capability 2.0, 63 below 3.5, else
// 255 (CUDA C Programming Guide 6.5, Technical Specifications per Compute Capability).
[[nodiscard]] int max_registers_per_thread(const DeviceModel& device);
[[nodiscard]] Result<Occupancy> occupancy(const DeviceModel& device,
                                          const OccupancyRequest& request);

// All resources that prevent one more block; Occupancy::limit is the first of them. If registers
// and shared memory allow the same number, saving one alone gains no block. Never empty.
[[nodiscard]] std::vector<OccupancyLimit> limits_of(const Occupancy& occupancy);
[[nodiscard]] bool limits(const Occupancy& occupancy, OccupancyLimit resource);

// "registers", "registers and shared memory".
[[nodiscard]] std::string limits_in_words(const Occupancy& occupancy);
[[nodiscard]] std::string limits_in_words(const std::vector<OccupancyLimit>& limits);

}  // namespace tilescope
