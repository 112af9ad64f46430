#include "exec/shown_device.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tilescope {
namespace {

struct MemoryFacts {
  int compute_capability;
  int bus_bits;
  int l2_mib;
  int memory_gib;
};
// NVIDIA's datasheets and whitepapers: RTX 2080 Ti, A100 80GB, RTX 3080, RTX 4090, H100, B200, RTX
// 5090.
constexpr std::array kMemory{
    MemoryFacts{75, 352, 6, 11},   MemoryFacts{80, 5120, 40, 80}, MemoryFacts{86, 320, 5, 10},
    MemoryFacts{89, 384, 72, 24},  MemoryFacts{90, 5120, 50, 80}, MemoryFacts{100, 8192, 126, 180},
    MemoryFacts{120, 512, 96, 32},
};

}  // namespace

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
  const auto after = std::ranges::find_if(kMemory, [&](const MemoryFacts& memory) {
    return memory.compute_capability > device.compute_capability;
  });
  const MemoryFacts& memory = after == kMemory.begin() ? kMemory.front() : *(after - 1);
  facts.memory_bus_bits = memory.bus_bits;
  facts.l2_bytes = memory.l2_mib << 20;
  facts.memory_bytes = std::uint64_t(memory.memory_gib) << 30;
  // Two transfers a clock.
  facts.memory_clock_khz =
      static_cast<int>(device.memory_bytes_per_second * 8 / memory.bus_bits / 2 / 1e3);
  return facts;
}

}  // namespace tilescope
