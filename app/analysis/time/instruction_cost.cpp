#include "analysis/time/instruction_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "analysis/time/machine_rates.h"

namespace tilescope {
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

std::string_view without_guard(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  return text;
}

// "@!P0 LDGSTS.E.128 [R1], …": "LDGSTS.E.128".
std::string_view opcode_of(std::string_view text) {
  text = without_guard(text);
  return text.substr(0, text.find_first_of(" ;"));
}

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  return std::ranges::find(names, name) != names.end();
}

// The last number of "cp.async.wait_group 2;" or "DEPBAR.LE SB0, 0x1".
std::uint8_t last_number(std::string_view text) {
  const std::size_t end = text.find_last_of("0123456789abcdef");
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != ',') --begin;
  std::string_view digits = text.substr(begin, end + 1 - begin);
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return static_cast<std::uint8_t>(std::min(value, 255u));
}

// Multiply-adds of one warp-wide matrix product: "HMMA.16816.F32.BF16", "mma.sync.….m16n8k16.…",
// and of one warp's part of "HGMMA.64x256x16.F32.BF16".
float matrix_product_size(std::string_view opcode) {
  const auto number = [](std::string_view digits) {
    float value = 0;
    for (const char c : digits) value = value * 10 + static_cast<float>(c - '0');
    return value;
  };
  const std::size_t group = opcode.find(".64x");
  const std::size_t ptx = opcode.find(".m");
  if (group != std::string_view::npos || ptx != std::string_view::npos) {
    const bool of_group = group != std::string_view::npos || opcode.starts_with("wgmma");
    float product = of_group ? 0.25f : 1.0f;  // a warp executes a quarter of it
    std::size_t at = group != std::string_view::npos ? group : ptx + 1;
    for (int i = 0; i < 3 && at < opcode.size(); ++i) {
      const std::size_t end =
          std::min(opcode.find_first_not_of("0123456789", at + 1), opcode.size());
      product *= number(opcode.substr(at + 1, end - at - 1));
      at = end;
    }
    return product;
  }
  if (opcode.find("16816") != std::string_view::npos) return 16 * 8 * 16;
  if (opcode.find("1688") != std::string_view::npos) return 16 * 8 * 8;
  if (opcode.find("16832") != std::string_view::npos) return 16 * 8 * 32;
  if (opcode.find("884") != std::string_view::npos) return 8 * 8 * 4;
  return 16 * 8 * 16;
}

// Cycles in which the register file's two banks (even and odd registers, one read each a cycle)
// bring the operands of a machine instruction. A register that the instruction before kept for this
// operand (".reuse") costs nothing (Huerta et al., 2025).
class RegisterPorts {
 public:
  float cycles(std::string_view text) {
    std::array<int, kOperands> now{};
    std::array<bool, kOperands> keeps{};
    now.fill(-1);
    std::array<int, 2> reads{};
    int operand = -1;  // the destination comes first
    for (std::size_t at = text.find(' '); at != std::string_view::npos && operand < kOperands;
         at = text.find(',', at + 1), ++operand) {
      const std::size_t begin = text.find_first_not_of(" ,-~|", at);
      if (begin == std::string_view::npos || operand < 0) continue;
      const std::string_view word = text.substr(begin, text.find(',', begin) - begin);
      int number = -1;
      if (!word.starts_with('R') ||
          std::from_chars(word.data() + 1, word.data() + word.size(), number).ec != std::errc()) {
        continue;
      }
      const auto place = static_cast<std::size_t>(operand);
      now[place] = number;
      keeps[place] = word.find(".reuse") != std::string_view::npos;
      if (kept_[place] != number) ++reads[static_cast<std::size_t>(number % 2)];
    }
    for (std::size_t i = 0; i < kOperands; ++i) kept_[i] = keeps[i] ? now[i] : -1;
    return static_cast<float>(std::max({reads[0], reads[1], 1}));
  }

 private:
  static constexpr int kOperands = 3;
  std::array<int, kOperands> kept_{-1, -1, -1};
};

bool is_memory_pipe(const StaticInstruction& instruction, std::string_view opcode) {
  if (instruction.access != AccessKind::kNone && instruction.space != MemorySpace::kParameter &&
      instruction.space != MemorySpace::kConstant) {
    return true;
  }
  return is_one_of(opcode, {"SHFL", "shfl", "LDS", "STS", "LDG", "STG", "LDGSTS", "LDL", "STL",
                            "ATOM", "ATOMG", "ATOMS", "RED", "LDSM", "STSM"});
}

Pipe pipe_of(const StaticInstruction& instruction, std::string_view opcode) {
  if (is_memory_pipe(instruction, opcode)) return Pipe::kMemory;
  if (opcode.starts_with('U') || is_one_of(opcode, {"R2UR", "NOP", "BSSY", "S2UR"})) {
    return Pipe::kNone;  // the uniform data path
  }
  if (is_one_of(opcode, {"MUFU", "I2F", "F2I", "F2F", "POPC", "FLO", "BREV", "sin", "cos", "ex2",
                         "lg2", "rcp", "sqrt", "rsqrt", "tanh", "popc", "cvt"})) {
    const bool between_integers = opcode.starts_with("cvt") &&
                                  opcode.find(".f") == std::string_view::npos &&
                                  opcode.find(".bf") == std::string_view::npos;
    return between_integers ? Pipe::kAlu : Pipe::kSpecial;
  }
  if (is_one_of(opcode, {"DFMA", "DADD", "DMUL", "DSETP", "DMNMX"}) ||
      (instruction.instruction_class == InstructionClass::kFloat &&
       opcode.find(".f64") != std::string_view::npos)) {
    return Pipe::kDouble;
  }
  switch (instruction.instruction_class) {
    case InstructionClass::kTensor:
      return Pipe::kTensor;
    case InstructionClass::kFloat:
      return Pipe::kFma;
    case InstructionClass::kInteger:
      return is_one_of(opcode, {"IMAD", "mad", "mul"}) ? Pipe::kFma : Pipe::kAlu;
    case InstructionClass::kMove:
    case InstructionClass::kConvert:
    case InstructionClass::kWarp:
      return is_one_of(opcode, {"IMAD"}) ? Pipe::kFma : Pipe::kAlu;
    default:
      return Pipe::kNone;
  }
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

TimingEffect effect_of(const StaticInstruction& instruction) {
  const std::string_view opcode = opcode_of(instruction.text);
  if (!instruction.counts) return TimingEffect::kFree;
  if (opcode.starts_with("cp.async.commit_group") || opcode == "LDGDEPBAR")
    return TimingEffect::kCommitGroup;
  if (opcode.starts_with("cp.async.wait_all")) return TimingEffect::kWaitAll;
  if (opcode.starts_with("cp.async.wait_group") || opcode.starts_with("DEPBAR"))
    return TimingEffect::kWaitGroup;
  if (instruction.is_barrier) return TimingEffect::kBarrier;
  if (instruction.instruction_class == InstructionClass::kControl) return TimingEffect::kBranch;
  return TimingEffect::kNone;
}

std::vector<InstructionCost> instruction_costs(const Program& program, const DeviceModel& device,
                                               const LatencyModel& model) {
  const Throughput throughput = throughput_of(device.compute_capability);
  const MachineRates rates = rates_of(device);
  const auto cycles = [](double results) {
    return 128.0f / static_cast<float>(std::max(results, 1.0));
  };
  const auto latency = [&](Latency which) { return static_cast<float>(model[which]); };
  RegisterPorts ports;
  std::vector<InstructionCost> costs;
  costs.reserve(program.instructions().size());
  for (const StaticInstruction& instruction : program.instructions()) {
    const std::string_view opcode = opcode_of(instruction.text);
    InstructionCost cost;
    cost.effect = effect_of(instruction);
    if (cost.effect == TimingEffect::kFree) {
      costs.push_back(cost);
      continue;
    }
    if (cost.effect == TimingEffect::kWaitGroup) cost.groups = last_number(instruction.text);
    cost.pipe = cost.effect == TimingEffect::kNone ? pipe_of(instruction, opcode) : Pipe::kNone;
    cost.latency =
        latency(cost.effect == TimingEffect::kBranch ? Latency::kBranch : Latency::kArithmetic);
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
        cost.occupies = matrix_product_size(opcode) * 4 / throughput.tensor_fma;
        cost.latency = latency(Latency::kTensor);
        break;
      case Pipe::kMemory:
        cost.occupies = cycles(double{throughput.lanes_of_memory});
        cost.latency = latency(Latency::kShared);  // shuffles; accesses are counted apart
        break;
    }
    if (program.is_machine_code()) {
      const float read = ports.cycles(without_guard(instruction.text));
      if (cost.pipe != Pipe::kMemory && cost.pipe != Pipe::kNone) {
        cost.occupies = std::max(cost.occupies, read);
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
constexpr std::string_view kAssumed = "assumed: no published figure was at hand";

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
    model.value[static_cast<std::size_t>(Latency::kDramRate)] =
        rates_of(device).dram_bytes_per_second / device.boost_clock_hz / device.multiprocessors;
  }
  return model;
}

}  // namespace tilescope
