#include "analysis/occupancy/occupancy.h"

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace tilescope {
namespace {

cudaOccDeviceProp properties_of(const DeviceModel& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_capability / 10;
  properties.computeMinor = device.compute_capability % 10;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_multiprocessor;
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_multiprocessor;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor =
      static_cast<std::size_t>(device.shared_bytes_per_multiprocessor);
  properties.numSms = device.multiprocessors;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_per_block_optin);
  properties.reservedSharedMemPerBlock =
      static_cast<std::size_t>(device.reserved_shared_bytes_per_block);
  return properties;
}

// Several resources may end at the same count (analysis/occupancy/occupancy.h): the first of them.
OccupancyLimit limit_of(unsigned factors) {
  if ((factors & OCC_LIMIT_WARPS) != 0) return OccupancyLimit::kThreads;
  if ((factors & OCC_LIMIT_REGISTERS) != 0) return OccupancyLimit::kRegisters;
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) return OccupancyLimit::kSharedMemory;
  return OccupancyLimit::kBlocks;
}

int rounded_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

// How the first generations hand out registers and shared memory, which cuda_occupancy.h no longer
// knows: compute capability 1.2 and 1.3 by the block, 2.x by the warp (CUDA Occupancy Calculator,
// sheet GPU Data).
Occupancy occupancy_before_kepler(const DeviceModel& device, const OccupancyRequest& request) {
  const bool tesla = device.compute_capability < 20;
  const int warps = (request.threads_per_block + 31) / 32;
  const int of_block = rounded_up(rounded_up(warps, 2) * 32 * request.registers_per_thread, 512);
  const int of_warp = rounded_up(32 * request.registers_per_thread, 64);
  const int all = device.registers_per_multiprocessor;
  const bool too_many = request.registers_per_thread > max_registers_per_thread(device);
  const int by_registers = request.registers_per_thread == 0 ? ResourceShare::kNoBound
                           : too_many                        ? 0
                           : tesla                           ? all / of_block
                                                             : all / of_warp / 2 * 2 / warps;
  const int shared =
      rounded_up(request.static_shared_bytes + request.dynamic_shared_bytes, tesla ? 512 : 128);
  const int slots = device.max_threads_per_multiprocessor / 32;
  Occupancy occupancy;
  occupancy.max_warps_per_multiprocessor = slots;
  occupancy.resources = {{
      {slots, warps, slots / warps},
      {all, tesla ? of_block : of_warp * warps, by_registers},
      {device.shared_bytes_per_multiprocessor, shared,
       shared > 0 ? device.shared_bytes_per_multiprocessor / shared : ResourceShare::kNoBound},
      {device.max_blocks_per_multiprocessor, 1, device.max_blocks_per_multiprocessor},
  }};
  const auto tightest =  // the first of equals
      std::ranges::min_element(occupancy.resources, {}, &ResourceShare::blocks);
  occupancy.blocks_per_multiprocessor = tightest->blocks;
  occupancy.warps_per_multiprocessor = tightest->blocks * warps;
  occupancy.limit = static_cast<OccupancyLimit>(tightest - occupancy.resources.begin());
  return occupancy;
}

}  // namespace

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kThreads:
      return "threads";
    case OccupancyLimit::kRegisters:
      return "registers";
    case OccupancyLimit::kSharedMemory:
      return "shared memory";
    case OccupancyLimit::kBlocks:
      return "blocks";
  }
  return "";
}

int max_registers_per_thread(const DeviceModel& device) {
  if (device.compute_capability < 20) return 128;
  return device.compute_capability < 35 ? 63 : 255;
}

Result<Occupancy> occupancy(const DeviceModel& device, const OccupancyRequest& request) {
  const bool fits =
      request.threads_per_block >= 1 && request.threads_per_block <= device.max_threads_per_block;
  if (device.compute_capability < 30 && fits) return occupancy_before_kepler(device, request);
  const cudaOccDeviceProp properties = properties_of(device);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = device.max_threads_per_block;
  attributes.numRegs = request.registers_per_thread;
  attributes.sharedSizeBytes = static_cast<std::size_t>(request.static_shared_bytes);
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.numBlockBarriers = 1;
  attributes.maxDynamicSharedSizeBytes =
      static_cast<std::size_t>(device.shared_bytes_per_block_optin);
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, request.threads_per_block,
      static_cast<std::size_t>(request.dynamic_shared_bytes));
  if (status != CUDA_OCC_SUCCESS) {
    return Error{ErrorCode::kMachine,
                 fmt::format("the occupancy of {} threads on {} cannot be computed",
                             request.threads_per_block, device.name),
                 "",
                 {}};
  }
  Occupancy occupancy;
  const int warps = (request.threads_per_block + 31) / 32;
  occupancy.blocks_per_multiprocessor = result.activeBlocksPerMultiprocessor;
  occupancy.warps_per_multiprocessor = result.activeBlocksPerMultiprocessor * warps;
  occupancy.max_warps_per_multiprocessor = device.max_threads_per_multiprocessor / 32;
  occupancy.limit = limit_of(result.limitingFactors);
  occupancy.resources = {{
      {occupancy.max_warps_per_multiprocessor, warps, result.blockLimitWarps},
      {device.registers_per_multiprocessor, result.allocatedRegistersPerBlock,
       result.blockLimitRegs},
      {device.shared_bytes_per_multiprocessor, static_cast<int>(result.allocatedSharedMemPerBlock),
       result.blockLimitSharedMem},
      {device.max_blocks_per_multiprocessor, 1, result.blockLimitBlocks},
  }};
  return occupancy;
}

std::vector<OccupancyLimit> limits_of(const Occupancy& occupancy) {
  std::vector<OccupancyLimit> found{occupancy.limit};
  for (std::size_t i = 0; i < occupancy.resources.size(); ++i) {
    const auto resource = static_cast<OccupancyLimit>(i);
    const bool stops = occupancy.share(resource).blocks <= occupancy.blocks_per_multiprocessor;
    if (stops && resource != occupancy.limit) found.push_back(resource);
  }
  return found;
}

bool limits(const Occupancy& occupancy, OccupancyLimit resource) {
  const std::vector<OccupancyLimit> all = limits_of(occupancy);
  return std::ranges::find(all, resource) != all.end();
}

std::string limits_in_words(const std::vector<OccupancyLimit>& limits) {
  std::vector<std::string> names;
  names.reserve(limits.size());
  for (const OccupancyLimit limit : limits) names.emplace_back(name_of(limit));
  return joined(names);
}

std::string limits_in_words(const Occupancy& occupancy) {
  return limits_in_words(limits_of(occupancy));
}

}  // namespace tilescope
