#include "analysis/time/littles_law.h"

#include "analysis/time/instruction_cost.h"
#include "analysis/time/machine_rates.h"

namespace tilescope {

MemoryLatency memory_latency(const DeviceModel& device) {
  if (device.compute_capability < 30) {
    return {600, "400 to 800 cycles: CUDA C Programming Guide 4.2, 5.2.3"};
  }
  const LatencyDescription& dram = description_of(Latency::kDram);
  if (device.measured) {
    return {rates_of(device).dram_latency,
            "measured of this GPU on " + device.measured->date + " (tilescope model calibrate)"};
  }
  return {dram.usual, std::string(dram.source)};
}

BytesInFlight bytes_in_flight(const DeviceModel& device, double latency_cycles,
                              double bytes_per_warp, int resident_warps, double reads) {
  BytesInFlight flight;
  flight.possible = bytes_per_warp * resident_warps;
  flight.reads = reads;
  flight.bytes_per_second = device.memory_bytes_per_second;
  if (device.boost_clock_hz > 0) flight.latency_seconds = latency_cycles / device.boost_clock_hz;
  if (device.multiprocessors > 0) {
    flight.needed =
        reads * flight.bytes_per_second / device.multiprocessors * flight.latency_seconds;
  }
  return flight;
}

}  // namespace tilescope
