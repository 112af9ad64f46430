#include "analysis/time/instruction_cost.h"

#include <algorithm>
#include <array>

#include "analysis/memory/coalescing.h"
#include "analysis/time/machine_rates.h"
#include "emulator/machine/listing.h"

namespace tilescope {

double tensor_slowness(const StaticInstruction& product) {
  using enum DataType;
  if (product.modifiers.has_type(kTf32)) return 2;
  const bool is_8_bit = std::ranges::any_of(
      std::array{kE4m3, kE5m2, kE2m3, kE3m2, kE2m1, kS8, kU8},  // the smaller ones as these
      [&](DataType type) { return product.modifiers.has_type(type); });
  return is_8_bit ? 0.5 : 1;
}

namespace {

// What the time model's rates (analysis/time/machine_rates.h) do not say, per cycle and
// multiprocessor.
struct Throughput {
  int compute_capability;
  float lanes_of_memory;
  float tensor_fma;  // dense f16 multiply-adds through mma.sync
};
// The guide's numbers of load and store units; the matrix products from the white papers of each
// architecture (V100/T4, A100, GA10x, AD10x, H100, B200), and for Hopper what mma.sync reaches of
// it, 62 % (Luo et al., 2024).
constexpr std::array kThroughputs{
    Throughput{75, 16, 512},  Throughput{80, 32, 1024}, Throughput{86, 32, 512},
    Throughput{89, 32, 512},  Throughput{90, 32, 1270}, Throughput{100, 32, 1270},
    Throughput{120, 32, 512},
};

Throughput throughput_of(int compute_capability) {
  Throughput found = kThroughputs.front();
  for (const Throughput& each : kThroughputs) {
    if (each.compute_capability <= compute_capability) found = each;
  }
  return found;
}

// Multiply-adds of one warp-wide matrix product, and of one warp's quarter of a warpgroup's.
float matrix_product_size(const StaticInstruction& product) {
  const bool of_group = product.operation == Operation::kWarpgroupProduct;
  const ProductShape& shape = product.matrix;
  const int size = shape.m * shape.n * shape.k;
  return size == 0 ? 16 * 8 * 16
                   : static_cast<float>(size) * (of_group ? 0.25f : 1.0f) *
                         static_cast<float>(tensor_slowness(product));
}

// Cycles in which the register file's two banks (even and odd registers, one read each a cycle)
// bring the operands of a machine instruction. A register that the instruction before kept for this
// operand (".reuse") costs nothing (Huerta et al., 2025).
class RegisterPorts {
 public:
  float cycles(const machine::Instruction& instruction) {
    std::array<std::uint32_t, kOperands> now{};
    now.fill(machine::kZeroRegister);
    std::array<bool, kOperands> keeps{};
    std::array<int, 2> reads{};
    for (std::size_t i = 0; i < kOperands && i + 1 < instruction.operands.size(); ++i) {
      const machine::Operand& operand = instruction.operands[i + 1];  // the destination comes first
      if (operand.kind != machine::OperandKind::kRegister ||
          operand.index == machine::kZeroRegister) {
        continue;
      }
      now[i] = operand.index;
      keeps[i] = operand.kept;
      if (kept_[i] != operand.index) ++reads[operand.index % 2];
    }
    for (std::size_t i = 0; i < kOperands; ++i) {
      kept_[i] = keeps[i] ? now[i] : machine::kZeroRegister;
    }
    return static_cast<float>(std::max({reads[0], reads[1], 1}));
  }

 private:
  static constexpr std::size_t kOperands = 3;
  std::array<std::uint32_t, kOperands> kept_{machine::kZeroRegister, machine::kZeroRegister,
                                             machine::kZeroRegister};
};

Pipe pipe_of(ExecutionUnit unit) {
  switch (unit) {
    case ExecutionUnit::kNone:
      return Pipe::kNone;
    case ExecutionUnit::kFma:
    case ExecutionUnit::kHalf:
    case ExecutionUnit::kMultiply:
      return Pipe::kFma;
    case ExecutionUnit::kAlu:
      return Pipe::kAlu;
    case ExecutionUnit::kDouble:
      return Pipe::kDouble;
    case ExecutionUnit::kSpecial:
      return Pipe::kSpecial;
    case ExecutionUnit::kTensor:
      return Pipe::kTensor;
    case ExecutionUnit::kMemory:
      return Pipe::kMemory;
  }
  return Pipe::kNone;
}

}  // namespace

const char* name_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::kNone:
      return "none";
    case Pipe::kFma:
      return "FMA";
    case Pipe::kAlu:
      return "ALU";
    case Pipe::kDouble:
      return "FP64";
    case Pipe::kSpecial:
      return "XU";
    case Pipe::kTensor:
      return "tensor";
    case Pipe::kMemory:
      return "LSU";
  }
  return "";
}

namespace {

// wgmma.wait_group; WARPGROUP.DEPBAR.
bool waits_for_products(const StaticInstruction& instruction) {
  return instruction.warp_use == WarpUse::kTogether && instruction.has(Modifier::kWaitGroup);
}

// wgmma.commit_group; in machine code the product itself says that it is the last.
bool ends_products(const StaticInstruction& instruction) {
  if (instruction.issued == nullptr) {
    return instruction.warp_use == WarpUse::kTogether && instruction.has(Modifier::kCommitGroup);
  }
  return instruction.operation == Operation::kWarpgroupProduct &&
         std::ranges::any_of(instruction.issued->operands, [](const machine::Operand& operand) {
           return operand.text == "gsb0";
         });
}

}  // namespace

TimingEffect effect_of(const StaticInstruction& instruction) {
  if (!instruction.counts) return TimingEffect::kFree;
  switch (instruction.synchronisation) {
    case Synchronisation::kCommitCopies:
      return TimingEffect::kCommitGroup;
    case Synchronisation::kWaitCopies:
      return TimingEffect::kWaitGroup;
    case Synchronisation::kWaitAllCopies:
      return TimingEffect::kWaitAll;
    case Synchronisation::kWaitBulkCopies:
      return TimingEffect::kWaitStores;
    case Synchronisation::kWaitMbarrier:
      return TimingEffect::kWaitPhase;
    default:
      break;
  }
  if (waits_for_products(instruction)) return TimingEffect::kWaitProducts;
  if (instruction.is_barrier) return TimingEffect::kBarrier;
  if (instruction.instruction_class == InstructionClass::kControl) return TimingEffect::kBranch;
  return TimingEffect::kNone;
}

std::vector<InstructionCost> instruction_costs(const Program& program, const DeviceModel& device,
                                               const LatencyModel& model) {
  const Throughput throughput = throughput_of(device.compute_capability);
  const MachineRates rates = rates_of(device);
  const bool knows_products = device.measured && device.measured->tensor_flop > 0;
  const float tensor_fma =
      knows_products ? static_cast<float>(device.measured->tensor_flop / 2) : throughput.tensor_fma;
  const auto cycles = [](double results) {
    return 128.0f / static_cast<float>(std::max(results, 1.0));
  };
  const auto latency = [&](Latency which) { return static_cast<float>(model[which]); };
  RegisterPorts ports;
  std::vector<InstructionCost> costs;
  costs.reserve(program.instructions().size());
  for (const StaticInstruction& instruction : program.instructions()) {
    InstructionCost cost;
    cost.effect = effect_of(instruction);
    if (cost.effect == TimingEffect::kFree) {
      costs.push_back(cost);
      continue;
    }
    cost.groups = instruction.groups;
    if (cost.effect == TimingEffect::kWaitProducts && !instruction.operands.empty())
      cost.groups = static_cast<std::uint8_t>(instruction.operands.front().bits);
    cost.ends_products = ends_products(instruction);
    cost.pipe = cost.effect == TimingEffect::kNone ? pipe_of(instruction.unit) : Pipe::kNone;
    cost.latency = latency(cost.effect == TimingEffect::kBranch      ? Latency::kBranch
                           : cost.effect == TimingEffect::kWaitPhase ? Latency::kShared
                                                                     : Latency::kArithmetic);
    switch (cost.pipe) {
      case Pipe::kNone:
        break;
      case Pipe::kFma: {
        const bool is_integer = instruction.instruction_class != InstructionClass::kFloat;
        cost.occupies = cycles(is_integer ? rates.integer_lanes : std::max(rates.fp32_lanes, 32.0));
        break;
      }
      case Pipe::kAlu:
        cost.occupies = cycles(rates.integer_lanes);
        break;
      case Pipe::kDouble:
        cost.occupies = cycles(rates.fp64_lanes);
        cost.latency = latency(Latency::kDouble);
        break;
      case Pipe::kSpecial:
        cost.occupies = cycles(rates.special_lanes);
        cost.latency = latency(Latency::kSpecial);
        break;
      case Pipe::kTensor:
        cost.occupies = matrix_product_size(instruction) * 4 / tensor_fma;
        cost.latency = latency(Latency::kTensor);
        break;
      case Pipe::kMemory:
        cost.occupies = cycles(double{throughput.lanes_of_memory});
        cost.latency = latency(Latency::kShared);  // shuffles; accesses are counted apart
        break;
    }
    if (instruction.issued != nullptr) {
      const float read = ports.cycles(*instruction.issued);
      if (cost.pipe != Pipe::kMemory && cost.pipe != Pipe::kNone) {
        cost.ports = std::max(read - cost.occupies, 0.0F);
        cost.occupies += cost.ports;
      }
    }
    costs.push_back(cost);
  }
  return costs;
}

namespace {

constexpr std::string_view kHuerta =
    "Huerta et al., Analyzing Modern NVIDIA GPU cores, 2025 (arXiv 2503.20481)";
constexpr std::string_view kLuo =
    "Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, 2024 "
    "(arXiv 2402.13499)";
constexpr std::string_view kBenches =
    "gpu-benches (RRZE Erlangen, github.com/RRZE-HPC/gpu-benches), tables of the H100 and H200";
constexpr std::string_view kAssumed = "assumed: no published figure found";

constexpr std::array<LatencyDescription, kLatencyCount> kDescriptions{{
    {Latency::kArithmetic, "arithmetic", "cycles", 4, 1, 32, kHuerta},
    {Latency::kDouble, "double precision", "cycles", 8, 1, 64, kAssumed},
    {Latency::kSpecial, "special function", "cycles", 20, 1, 64, kAssumed},
    {Latency::kTensor, "matrix product", "cycles", 33, 1, 128, kLuo},
    {Latency::kBranch, "branch", "cycles", 6, 1, 64, kAssumed},
    {Latency::kShared, "shared load", "cycles", 29, 1, 200, kLuo},
    {Latency::kL1, "L1 hit", "cycles", 38, 1, 400, kBenches},
    {Latency::kL2, "L2 hit", "cycles", 260, 1, 2000, kLuo},
    {Latency::kDram, "DRAM", "cycles", 850, 1, 4000,
     "570 to 860 cycles measured on an H100 and an H200: RRZE gpu-benches; the upper end fits the "
     "recorded runs that only wait for memory"},
    {Latency::kBarrier, "barrier", "cycles", 20, 1, 400, kAssumed},
    {Latency::kL2Rate, "L2 rate", "B/cycle", 32, 1, 256, kBenches},
    {Latency::kDramRate, "DRAM rate", "B/cycle", 16, 0.1, 256,
     "88 % of the device's memory bandwidth, which the recorded device copy reaches, per "
     "multiprocessor and cycle at boost clock"},
}};

}  // namespace

std::span<const LatencyDescription> latency_descriptions() { return kDescriptions; }

const LatencyDescription& description_of(Latency latency) {
  return kDescriptions[static_cast<std::size_t>(latency)];
}

LatencyModel usual_latencies(const DeviceModel& device) {
  LatencyModel model;
  for (const LatencyDescription& each : kDescriptions) {
    model.value[static_cast<std::size_t>(each.latency)] = each.usual;
  }
  if (device.memory_bytes_per_second > 0 && device.boost_clock_hz > 0 &&
      device.multiprocessors > 0) {
    const MachineRates rates = rates_of(device);
    const auto put = [&](Latency latency, double value) {
      model.value[static_cast<std::size_t>(latency)] = value;
    };
    put(Latency::kShared, rates.shared_latency);
    put(Latency::kL1, rates.l1_latency);
    put(Latency::kL2, rates.l2_latency);
    put(Latency::kDram, rates.dram_latency);
    put(Latency::kL2Rate, rates.l2_sectors * kSectorBytes / device.multiprocessors);
    put(Latency::kDramRate,
        rates.dram_bytes_per_second / device.boost_clock_hz / device.multiprocessors);
  }
  return model;
}

}  // namespace tilescope
