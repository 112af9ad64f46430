#pragma once

#include <string>

#include "core/device_table.h"

namespace tilescope {

// Cycles from a load to its data when it comes from device memory and nothing else is under way,
// and who says so.
struct MemoryLatency {
  double cycles = 0;
  std::string source;
};
// 600 below compute capability 3.0: "400 to 800 clock cycles" (CUDA C Programming
// Guide 4.2, 5.2.3). Else Latency::kDram of analysis/time/instruction_cost.h, of an H100 and an
// H200; taken over for the others, which lie in the hundreds too.
[[nodiscard]] MemoryLatency memory_latency(const DeviceModel& device);

// Little's law for one SM: to be busy all the time, its share of the memory must have this much
// under way (001 in docs/seeds.md: bytes delivered = latency x bandwidth).
struct BytesInFlight {
  double possible = 0;          // bytes that the resident warps can have under way
  double needed = 0;            // bandwidth of an SM x latency, in bytes; of what is read
  double bytes_per_second = 0;  // the memory's bandwidth, of the whole device
  double reads = 1;             // 0..1 of the bytes that pass; writes need no waiting
  double latency_seconds = 0;

  [[nodiscard]] double share() const { return needed > 0 ? possible / needed : 0; }
  // The most that can pass, read and written, with no more under way than that.
  [[nodiscard]] double reachable_bytes_per_second() const {
    return share() < 1 ? share() * bytes_per_second : bytes_per_second;
  }
};
// `bytes_per_warp`: that one warp has under way before it has to wait; `reads`: 0..1 of the bytes
// that the kernel moves.
[[nodiscard]] BytesInFlight bytes_in_flight(const DeviceModel& device, double latency_cycles,
                                            double bytes_per_warp, int resident_warps,
                                            double reads = 1);

}  // namespace tilescope
