#include "analysis/time/machine_rates.h"

#include <algorithm>
#include <array>

#include "analysis/memory/coalescing.h"
#include "analysis/time/instruction_cost.h"

namespace tilescope {
namespace {

// A row of the guide's table. Tensor cores: FMA of 16-bit operands per clock of an SM, times 2,
// from the Turing, GA100, GA102 and Hopper whitepapers; of later ones none is stated per SM.
struct Generation {
  int compute_capability;
  double fp64;
  double half;
  double tensor_flop;
};
constexpr std::array kGenerations{Generation{75, 2, 128, 1024},  Generation{80, 32, 256, 2048},
                                  Generation{86, 2, 128, 1024},  Generation{89, 2, 128, 1024},
                                  Generation{90, 64, 256, 4096}, Generation{100, 64, 256, 0},
                                  Generation{120, 2, 128, 0}};

const Generation& generation_of(int compute_capability) {
  const auto* later = std::ranges::upper_bound(kGenerations, compute_capability, {},
                                               &Generation::compute_capability);
  return later == kGenerations.begin() ? kGenerations.front() : *(later - 1);
}

// The copy of 16,384 x 16,384 floats between two buffers reaches 4.23 of the H200's 4.8 TB/s
// (assets/recorded/h200.json, the reference of copy/wide).
constexpr double kDramReach = 0.88;
// What the kernels of `tilescope model calibrate` measure on an H100 80GB HBM3 (2026-11-27). Block
// starts, barriers and the idle latency of the DRAM were measured by other kernels before, and are
// the model's own constants; the model's others stand to these in proportion.
constexpr struct {
  double launch_seconds = 3.17e-6;
  double block_start_clocks = 1.2;
  double warp_start_clocks = 5.6;
  double barrier_clocks = 14;
  double barrier_warp_clocks = 2;
  double shared_latency = 29;
  double l1_latency = 40.3;
  double l2_latency = 311;
  double dram_latency = 690;
  double l2_sectors = 0.964;
  double atomic_address_clocks = 1.46;
  double tensor_flop = 2460;
} kH100;

// Measured on an H100 by other kernels: one thread, 1 MiB to 32 MiB of lines in random order.
constexpr double kIdleL2Latency = 283;

// Fitted to the recorded runs of the H200 that are not held out (docs/time_model.md says how).
constexpr double kLaunchSeconds = 3.762e-6;
constexpr double kLoadedL2Latency = 359;
constexpr double kLoadedDramLatency = 826;
constexpr double kBlockClocks = 539;
constexpr double kSharedMisses = 0.684;
constexpr double kPortClocks = 0.277;
constexpr double kLineWrite = 2.315;
constexpr double kWholeWrite = 1.483;
constexpr double kPartialWrite = 1.679;
constexpr double kFirstRound = 0.547;

// Measured on an H200 (2026-11-28): additions to 1, 8, 32, 256, 1,024 and 4,096 neighbouring words,
// drawn by each lane, take 1.47, 0.32, 0.45, 0.51, 0.17 and 0.06 clocks for each lane. One at a
// time of those to a sector goes on in a slice of the L2; of one warp to one word in each of 512,
// 2,048 and 16,384 bytes, and many more, 2, 3.9 and 22 go on at once, and 55 at the most.
constexpr double kAtomicTurnClocks = 1.4;
constexpr double kAtomicAddressClocks = 1.46;
constexpr double kAtomicSliceBytes = 512;
constexpr double kAtomicSlices = 56;

void put_measured(const MeasuredRates& own, bool warp_groups, MachineRates* rates) {
  rates->launch_seconds *= own.launch_seconds / kH100.launch_seconds;
  rates->block_start_clocks = own.block_start_clocks;
  rates->warp_start_clocks = own.warp_start_clocks;
  rates->barrier_clocks = own.barrier_clocks;
  rates->barrier_warp_clocks = own.barrier_warp_clocks;
  rates->shared_latency *= own.shared_latency / kH100.shared_latency;
  rates->l1_latency *= own.l1_latency / kH100.l1_latency;
  const double l2 = own.l2_latency / kH100.l2_latency;
  rates->l2_latency *= l2;
  rates->loaded_l2_latency *= l2;
  rates->idle_l2_latency *= l2;
  const double dram = own.dram_latency / kH100.dram_latency;
  rates->dram_latency *= dram;
  rates->loaded_dram_latency *= dram;
  rates->idle_dram_latency = own.dram_latency;
  rates->l2_sectors *= own.l2_sectors / kH100.l2_sectors;
  rates->dram_bytes_per_second = own.dram_bytes_per_second;
  const double atomics = own.atomic_address_clocks / kH100.atomic_address_clocks;
  rates->atomic_address_clocks *= atomics;
  rates->atomic_turn_clocks *= atomics;
  // Warp groups multiply faster than mma.sync, which was measured.
  const double groups = warp_groups ? rates->tensor_flop / kH100.tensor_flop : 1;
  if (own.tensor_flop > 0) rates->tensor_flop = own.tensor_flop * groups;
}

}  // namespace

MachineRates rates_of(const DeviceModel& device) {
  const Generation& generation = generation_of(device.compute_capability);
  MachineRates rates;
  rates.clock_hz = device.boost_clock_hz;
  rates.multiprocessors = device.multiprocessors;
  rates.issue_slots = 4;  // warp schedulers: the guide's chapters on compute capability 7.x to 12.x
  rates.fp32_lanes = device.fp32_lanes_per_multiprocessor;
  rates.fp64_lanes = generation.fp64;
  rates.half_lanes = generation.half;
  rates.integer_lanes = 64;
  rates.special_lanes = 16;
  rates.tensor_flop = generation.tensor_flop;
  rates.reserved_shared_bytes = device.reserved_shared_bytes_per_block;
  rates.l1_bytes = device.l1_bytes_per_multiprocessor;
  rates.l2_bytes = static_cast<double>(device.l2_bytes);
  rates.wavefronts = 1;  // 128 B: guide, "Shared Memory": 32 banks of 32 bits a clock
  rates.port_clocks = kPortClocks;
  rates.line_write = kLineWrite;
  rates.whole_write = kWholeWrite;
  rates.partial_write = kPartialWrite;
  rates.atomic_turn_clocks = kAtomicTurnClocks;
  rates.atomic_address_clocks = kAtomicAddressClocks;
  rates.atomic_slice_bytes = kAtomicSliceBytes;
  rates.atomic_slices = kAtomicSlices;
  rates.block_start_clocks = kH100.block_start_clocks;
  rates.warp_start_clocks = kH100.warp_start_clocks;
  rates.block_clocks = kBlockClocks;
  rates.l2_sectors = description_of(Latency::kL2Rate).usual / kSectorBytes * device.multiprocessors;
  rates.dram_datasheet = device.memory_bytes_per_second;
  rates.dram_bytes_per_second = kDramReach * device.memory_bytes_per_second;
  rates.launch_seconds = kLaunchSeconds;
  const auto usual = [](Latency latency) { return description_of(latency).usual; };
  rates.arithmetic_latency = usual(Latency::kArithmetic);
  rates.special_latency = usual(Latency::kSpecial);
  rates.tensor_latency = usual(Latency::kTensor);
  rates.shared_latency = usual(Latency::kShared);
  rates.l1_latency = usual(Latency::kL1);
  rates.l2_latency = usual(Latency::kL2);
  rates.dram_latency = usual(Latency::kDram);
  rates.loaded_l2_latency = kLoadedL2Latency;
  rates.loaded_dram_latency = kLoadedDramLatency;
  rates.idle_l2_latency = kIdleL2Latency;
  rates.idle_dram_latency = kH100.dram_latency;
  rates.shared_misses = kSharedMisses;
  rates.first_round = kFirstRound;
  rates.barrier_latency = usual(Latency::kBarrier);
  rates.barrier_clocks = kH100.barrier_clocks;
  rates.barrier_warp_clocks = kH100.barrier_warp_clocks;
  constexpr int kHopper = 90;  // warp groups multiply on it alone
  const bool is_hopper = device.compute_capability == kHopper;
  if (device.measured) put_measured(*device.measured, is_hopper, &rates);
  rates.own = is_hopper || device.measured;
  return rates;
}

double l1_bytes_beside(double blocks, double shared_bytes, const MachineRates& rates) {
  constexpr double kLeastBytes = 16 * 1024;
  const double taken = blocks * (shared_bytes + rates.reserved_shared_bytes);
  return std::max(rates.l1_bytes - taken, kLeastBytes);
}

double tensor_peak(const MachineRates& rates) {
  return rates.tensor_flop * rates.multiprocessors * rates.clock_hz;
}

double peak_rate(const CatalogueEntry& entry, const DeviceModel& device) {
  if (!entry.problem->rated_in_flop) return device.memory_bytes_per_second;
  const auto a = std::ranges::find_if(entry.arguments, [](const ArgumentTemplate& argument) {
    return argument.role == Role::kA || argument.role == Role::kIn;
  });
  if (a == entry.arguments.end()) return 0;
  switch (a->type) {
    case ElementType::kF32:
      return device.peak_fp32_flop_per_second();
    case ElementType::kF16:
    case ElementType::kBf16:
      return tensor_peak(rates_of(device));
    default:
      return 0;
  }
}

double peak_rate_on(const std::string& gpu, const CatalogueEntry& entry, const DeviceModel& device,
                    const std::vector<DeviceModel>& table) {
  if (gpu == device.name) return peak_rate(entry, device);
  const auto row = std::ranges::find(table, gpu, &DeviceModel::name);
  return row == table.end() ? 0 : peak_rate(entry, *row);
}

}  // namespace tilescope
