#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/device_table.h"
#include "emulator/program.h"

namespace tilescope {

// What both models of time, that of the pipeline (analysis/time/warp_timing.h) and that of the
// whole launch (analysis/time/time_model.h), and Little's law (analysis/time/littles_law.h) assume
// about a multiprocessor. For the pipeline a person may change each of them.
enum class Latency : std::uint8_t {
  kArithmetic,
  kDouble,
  kSpecial,
  kTensor,
  kBranch,
  kShared,
  kL1,
  kL2,
  kDram,
  kBarrier,
  kL2Rate,
  kDramRate,
};
inline constexpr std::size_t kLatencyCount = 12;

struct LatencyDescription {
  Latency latency;
  std::string_view name;    // "shared load"
  std::string_view unit;    // "cycles", "B/cycle"
  double usual;             // on an H200
  double least, most;       // that a person may set
  std::string_view source;  // a sentence: where the usual value is from
};
[[nodiscard]] std::span<const LatencyDescription> latency_descriptions();
// The row of one of them.
[[nodiscard]] const LatencyDescription& description_of(Latency latency);

struct LatencyModel {
  std::array<double, kLatencyCount> value{};  // by Latency
  [[nodiscard]] double operator[](Latency latency) const {
    return value[static_cast<std::size_t>(latency)];
  }
  friend bool operator==(const LatencyModel&, const LatencyModel&) = default;
};

// The usual values, with the DRAM rate of this device, its memory bandwidth per multiprocessor and
// cycle at boost clock; of a calibrated GPU those of rates_of().
[[nodiscard]] LatencyModel usual_latencies(const DeviceModel& device);

// The unit of a multiprocessor's quarter that executes an instruction.
enum class Pipe : std::uint8_t {
  kNone,  // nothing but an issue slot
  kFma,
  kAlu,
  kDouble,
  kSpecial,
  kTensor,
  kMemory
};
inline constexpr std::size_t kPipeCount = 7;
// How long a product keeps a tensor core, in products of the same size with 16-bit operands: tf32
// 2, 8 bits 0.5, as the peaks of NVIDIA's datasheets.
[[nodiscard]] double tensor_slowness(const StaticInstruction& product);
[[nodiscard]] const char* name_of(Pipe pipe);  // as Nsight Compute names it: "FMA", "LSU" ...

// How else an instruction changes the time of its warp.
enum class TimingEffect : std::uint8_t {
  kNone,
  kFree,          // part of the next instruction
  kBarrier,       // waits for the warps of the block
  kCommitGroup,   // ends a group of cp.async
  kWaitGroup,     // waits until no more than `groups` of them are under way
  kWaitAll,       // ends a group and waits for all (PTX ISA, cp.async.wait_all)
  kWaitStores,    // waits for bulk stores (cp.async.bulk.wait_group)
  kWaitPhase,     // waits at an mbarrier
  kWaitProducts,  // waits until no more than `groups` of wgmma are under way
  kBranch
};

[[nodiscard]] TimingEffect effect_of(const StaticInstruction& instruction);

// How one instruction spends time, before its addresses are known.
struct InstructionCost {
  Pipe pipe = Pipe::kNone;
  TimingEffect effect = TimingEffect::kNone;
  float occupies = 1;  // cycles in which its quarter's pipe takes no other instruction
  float ports = 0;     // of these, while its operands wait for a bank of the register file
  float latency = 0;   // cycles until a dependent one can issue; memory: counted apart
  std::uint8_t groups = 0;
  bool ends_products = false;  // the last of a group of wgmma

  // `occupies`, where each clock at the register file's ports counts as so many.
  [[nodiscard]] double unit_clocks(double port_clocks) const {
    return double{occupies} - (1 - port_clocks) * double{ports};
  }
};

// For each instruction of the program. Throughputs are those of the CUDA C++ Programming Guide's
// table "Throughput of Native Arithmetic Instructions" for the device's compute capability.
[[nodiscard]] std::vector<InstructionCost> instruction_costs(const Program& program,
                                                             const DeviceModel& device,
                                                             const LatencyModel& model);

}  // namespace tilescope
