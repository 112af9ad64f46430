#include "exec/shown_device.h"

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {}  // namespace

runtime::DeviceFacts facts_of(const DeviceModel& device) {
  runtime::DeviceFacts facts;
  const std::size_t length = std::min(device.name.size(), sizeof facts.name - 1);
  std::memcpy(facts.name, device.name.data(), length);
  facts.compute_capability = device.compute_capability;
  facts.multiprocessors = device.multiprocessors;
  facts.threads_per_block = device.max_threads_per_block;
  facts.threads_per_multiprocessor = device.max_threads_per_multiprocessor;
  facts.blocks_per_multiprocessor = device.max_blocks_per_multiprocessor;
  facts.registers_per_block = device.registers_per_block;
  facts.registers_per_multiprocessor = device.registers_per_multiprocessor;
  facts.shared_per_block = device.shared_bytes_per_block;
  facts.shared_per_block_optin = device.shared_bytes_per_block_optin;
  facts.shared_per_multiprocessor = device.shared_bytes_per_multiprocessor;
  facts.reserved_shared = device.reserved_shared_bytes_per_block;
  facts.clock_khz = static_cast<int>(device.boost_clock_hz / 1e3);
  facts.memory_bus_bits = device.memory_bus_bits;
  facts.l2_bytes = static_cast<int>(device.l2_bytes);
  facts.memory_bytes = static_cast<std::uint64_t>(device.memory_bytes);
  // Two transfers a clock.
  facts.memory_clock_khz =
      static_cast<int>(device.memory_bytes_per_second * 8 / device.memory_bus_bits / 2 / 1e3);
  return facts;
}

}  // namespace tilescope
