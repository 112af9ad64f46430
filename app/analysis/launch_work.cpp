#include "analysis/launch_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <vector>

#include "analysis/machine_rates.h"

namespace tilescope {
namespace {

bool reads_global(AccessKind access) {
  return access == AccessKind::kLoad || access == AccessKind::kAsyncCopy;
}

bool mentions(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// Mnemonics of PTX are written small, those of the machine large.
bool is_special(std::string_view text) {
  for (const std::string_view word :
       {"MUFU", "rcp.", "sqrt.", "sin.", "cos.", "lg2.", "ex2.", "tanh."}) {
    if (mentions(text, word)) return true;
  }
  return false;
}
bool is_double(std::string_view text) { return mentions(text, ".f64") || text.starts_with("D"); }
bool is_half(std::string_view text) { return mentions(text, "f16") || text.starts_with("H"); }
bool multiplies_integers(std::string_view text) {
  return mentions(text, "IMAD") || mentions(text, "mul.") || mentions(text, "mad.");
}

std::string_view without_guard(std::string_view text) {
  if (!text.starts_with('@')) return text;
  const std::size_t space = text.find(' ');
  return space == std::string_view::npos ? text : text.substr(space + 1);
}

void add_pipe(const StaticInstruction& instruction, double warps, double lanes, PipeWork* pipes) {
  const std::string_view text = without_guard(instruction.text);
  pipes->issued += warps;
  if (instruction.flop_per_lane >= 2) pipes->multiply_adds += warps;
  if (instruction.access != AccessKind::kNone) pipes->memory += warps;
  switch (instruction.instruction_class) {
    case InstructionClass::kFloat:
      (is_special(text)  ? pipes->special
       : is_double(text) ? pipes->fp64
       : is_half(text)   ? pipes->half
                         : pipes->fp32) += warps;
      break;
    case InstructionClass::kTensor:
      pipes->tensor_flop += lanes * instruction.flop_per_lane;
      break;
    case InstructionClass::kInteger:
      (multiplies_integers(text) ? pipes->multiply : pipes->integer) += warps;
      break;
    default:
      break;
  }
}

// 128-byte lines that an access touches for each sector that it moves, mean over the traced block.
struct LinesPerSector {
  double loads = 0.25;
  double stores = 0.25;
};

void add_access(const StaticInstruction& instruction, const AccessCounters& counted,
                const LinesPerSector& lines_per_sector, LaunchWork* work) {
  work->shared_wavefronts += static_cast<double>(counted.wavefronts);
  work->shared_wavefronts_ideal += static_cast<double>(counted.wavefronts_ideal);
  if (counted.sectors == 0) return;
  const auto sectors = static_cast<double>(counted.sectors);
  const auto ideal = static_cast<double>(counted.sectors_ideal);
  const auto requests = static_cast<double>(counted.requests);
  const bool loads = reads_global(instruction.access);
  // 256 B a clock reach the registers, as those of shared memory do (docs/accuracy.md: a 128-bit
  // load of one address takes two wavefronts).
  const double passes = requests * std::max(1.0, instruction.bytes_per_lane / 8.0);
  const double lines = sectors * (loads ? lines_per_sector.loads : lines_per_sector.stores);
  GlobalWork& global = loads ? work->loads : work->stores;
  global.requests += requests;
  global.sectors += sectors;
  global.sectors_ideal += ideal;
  global.wavefronts += std::max({passes, sectors / 4, lines});
  global.wavefronts_ideal += std::max(passes, ideal / 4);
}

// Distinct sectors that the traced block touches in each buffer.
struct BufferSectors {
  std::unordered_set<std::uint64_t> read;
  std::unordered_set<std::uint64_t> written;
};
struct BlockTraffic {
  std::map<std::size_t, BufferSectors> buffers;
  double whole = 1;  // what the trace holds of all that the block did
  LinesPerSector lines_per_sector;
};

class TrafficCount {
 public:
  explicit TrafficCount(const DeviceMemory& memory) : memory_(memory) {}

  void add(const WarpAccess& access) {
    const bool reads = reads_global(access.kind);
    const SectorCost cost = sector_cost(access);
    Sums& sums = reads ? loads_ : stores_;
    sums.sectors += cost.sectors;
    sums.lines += cost.lines;
    std::uint64_t before = ~std::uint64_t{0};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t sector = access.address[lane] / kSectorBytes;
      if ((access.active >> lane & 1U) == 0 || sector == before) continue;
      before = sector;
      if (!find_buffer(access.address[lane])) continue;
      BufferSectors& buffer = traffic_.buffers[buffer_];
      for (std::uint64_t i = 0; i * kSectorBytes < access.bytes_per_lane || i == 0; ++i) {
        (reads ? buffer.read : buffer.written).insert(sector + i);
      }
    }
  }

  [[nodiscard]] BlockTraffic result(const BlockTrace& trace) && {
    if (loads_.sectors > 0) traffic_.lines_per_sector.loads = loads_.lines / loads_.sectors;
    if (stores_.sectors > 0) traffic_.lines_per_sector.stores = stores_.lines / stores_.sectors;
    const auto kept = static_cast<double>(trace.events.size());
    traffic_.whole = kept / std::max(kept + static_cast<double>(trace.omitted_events), 1.0);
    return std::move(traffic_);
  }

 private:
  struct Sums {
    double sectors = 0;
    double lines = 0;
  };

  bool find_buffer(std::uint64_t address) {
    if (address >= first_ && address < last_) return true;
    const auto location = memory_.locate(address, 1);
    if (!location) return false;
    buffer_ = location->buffer;
    first_ = address - location->offset;
    last_ = first_ + memory_.buffers()[buffer_].contents->size();
    return true;
  }

  const DeviceMemory& memory_;
  BlockTraffic traffic_;
  Sums loads_;
  Sums stores_;
  std::size_t buffer_ = 0;
  std::uint64_t first_ = 1;  // addresses of buffer_
  std::uint64_t last_ = 0;
};

BlockTraffic traffic_of_block(const KernelStudy& study) {
  TrafficCount count(*study.memory);
  const BlockTrace& trace = *study.trace;
  for (const TraceEvent& event : trace.events) {
    if (event.access == kNoAccess) continue;
    const WarpAccess access = trace.access(event.access);
    if (access.space == MemorySpace::kGlobal) count.add(access);
  }
  return std::move(count).result(trace);
}

void add_traffic(const KernelStudy& study, const BlockTraffic& block, LaunchWork* work) {
  const double blocks = static_cast<double>(work->blocks) / block.whole;
  const bool is_known = study.counters != nullptr && !study.counters->reach.empty();
  for (const auto& [buffer, sectors] : block.buffers) {
    const auto bytes = static_cast<double>(study.memory->buffers()[buffer].contents->size());
    const double read = static_cast<double>(sectors.read.size()) * blocks;
    const double written = static_cast<double>(sectors.written.size()) * blocks;
    work->block_sectors += read;
    if (is_known) continue;
    work->dram_read_bytes += std::min(bytes, read * kSectorBytes);
    work->dram_write_bytes += std::min(bytes, written * kSectorBytes);
  }
  if (is_known) {
    for (const BufferReach& reach : study.counters->reach) {
      work->dram_read_bytes += static_cast<double>(reach.sectors_read) * kSectorBytes;
      work->dram_write_bytes += static_cast<double>(reach.sectors_written) * kSectorBytes;
    }
  }
  work->block_sectors = std::min(work->block_sectors, work->loads.sectors);
}

double flop_of(const Program& program, const LaunchCounters& counters) {
  double flop = 0;
  for (std::size_t i = 0; i < program.instructions().size(); ++i) {
    const StaticInstruction& instruction = program.instructions()[i];
    if (!instruction.counts) continue;
    flop += static_cast<double>(counters.executed.lanes[i]) * instruction.flop_per_lane;
  }
  return flop;
}

}  // namespace

double mean_global_latency(const LaunchWork& work, const MachineRates& rates) {
  if (work.loads.sectors <= 0) return rates.l2_latency;
  const double beyond_l1 = std::clamp(work.block_sectors / work.loads.sectors, 0.0, 1.0);
  const double l2_bytes = std::max(work.block_sectors * kSectorBytes, 1.0);
  const double beyond_l2 = std::clamp(work.dram_read_bytes / l2_bytes, 0.0, 1.0);
  return (1 - beyond_l1) * rates.l1_latency +
         beyond_l1 * ((1 - beyond_l2) * rates.l2_latency + beyond_l2 * rates.dram_latency);
}

PathLatencies path_latencies(const LaunchWork& work, const MachineRates& rates) {
  return {rates.arithmetic_latency,
          rates.special_latency,
          rates.tensor_latency,
          rates.shared_latency,
          mean_global_latency(work, rates),
          rates.barrier_latency};
}

LaunchWork work_of(const KernelStudy& study, const MachineRates& rates) {
  LaunchWork work;
  work.as_issued = study.issued_counters != nullptr;
  const Program& program = work.as_issued ? *study.issued : *study.program;
  const LaunchCounters& counters = work.as_issued ? *study.issued_counters : *study.counters;
  const BlockTraffic block = traffic_of_block(study);
  double threads = 0;
  const auto& instructions = program.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i].counts) continue;
    const auto warps = static_cast<double>(counters.executed.warps[i]);
    const auto lanes = static_cast<double>(counters.executed.lanes[i]);
    threads += static_cast<double>(counters.executed.threads[i]);
    add_pipe(instructions[i], warps, lanes, &work.pipes);
    add_access(instructions[i], counters.by_instruction[i], block.lines_per_sector, &work);
  }
  if (work.pipes.issued > 0) work.lane_share = threads / (work.pipes.issued * kWarpSize);
  // As written, where that was counted: the many instructions that a division or a modulo becomes
  // are no flop of the kernel's.
  work.flop = study.counters != nullptr ? flop_of(*study.program, *study.counters)
                                        : flop_of(program, counters);
  work.blocks = study.launch.grid.count();
  work.warps_per_block = std::ceil(static_cast<double>(study.launch.block.count()) / kWarpSize);
  work.most_resident_warps = study.device->max_threads_per_multiprocessor / 32.0;
  work.resident_blocks =
      study.occupancy ? std::max(study.occupancy->blocks_per_multiprocessor, 1)
                      : std::max(std::floor(work.most_resident_warps / work.warps_per_block), 1.0);
  add_traffic(study, block, &work);
  work.path = path_of(*study.program, *study.trace, path_latencies(work, rates));
  return work;
}

}  // namespace tilescope
