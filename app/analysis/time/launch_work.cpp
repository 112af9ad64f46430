#include "analysis/time/launch_work.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "analysis/memory/bulk_sectors.h"
#include "analysis/time/machine_rates.h"

namespace tilescope {
namespace {

bool reads_global(AccessKind access) {
  return access == AccessKind::kLoad || access == AccessKind::kAsyncCopy;
}

void add_pipe(const StaticInstruction& instruction, double warps, double lanes, PipeWork* pipes) {
  const ExecutionUnit unit = instruction.unit;
  pipes->issued += warps;
  if (instruction.flop_per_lane >= 2) pipes->multiply_adds += warps;
  if (instruction.access != AccessKind::kNone) pipes->memory += warps;
  switch (instruction.instruction_class) {
    case InstructionClass::kFloat:
      (unit == ExecutionUnit::kSpecial  ? pipes->special
       : unit == ExecutionUnit::kDouble ? pipes->fp64
       : unit == ExecutionUnit::kHalf   ? pipes->half
                                        : pipes->fp32) += warps;
      break;
    case InstructionClass::kTensor:
      pipes->tensor_flop += lanes * instruction.flop_per_lane;
      break;
    case InstructionClass::kInteger:
      (unit == ExecutionUnit::kMultiply ? pipes->multiply : pipes->integer) += warps;
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
  std::unordered_set<std::uint64_t> read_in_bulk;
  std::unordered_set<std::uint64_t> written_in_bulk;
};
struct BlockTraffic {
  std::map<std::size_t, BufferSectors> buffers;
  double bulk_loads = 0;  // sectors, each as often as a copy asks for it
  double bulk_stores = 0;
  double bulk_stored_bytes = 0;
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

  void add(const BulkCopy& copy) {
    if (!find_buffer(copy.global)) return;
    BufferSectors& buffer = traffic_.buffers[buffer_];
    const std::uint64_t first = copy.global / kSectorBytes;
    const std::uint64_t end = (copy.global + copy.bytes + kSectorBytes - 1) / kSectorBytes;
    for (std::uint64_t sector = first; sector < end; ++sector)
      (copy.loads() ? buffer.read_in_bulk : buffer.written_in_bulk).insert(sector);
    if (!copy.loads()) traffic_.bulk_stored_bytes += static_cast<double>(copy.bytes);
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
    last_ = first_ + memory_.buffers()[buffer_].bytes();
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
  std::vector<BulkCopy> loads;
  std::vector<BulkCopy> stores;
  for (const BulkCopy& copy : trace.bulk_copies) {
    if (copy.lane >= kWarpSize) continue;  // another block's request is in its own count
    count.add(copy);
    (copy.loads() ? loads : stores).push_back(copy);
  }
  BlockTraffic traffic = std::move(count).result(trace);
  traffic.bulk_loads = static_cast<double>(bulk_sectors(loads));
  traffic.bulk_stores = static_cast<double>(bulk_sectors(stores));
  return traffic;
}

void add_traffic(const KernelStudy& study, const BlockTraffic& block, LaunchWork* work) {
  const double blocks = static_cast<double>(work->blocks) / block.whole;
  const bool is_known = study.counters != nullptr && !study.counters->reach.empty();
  for (const auto& [buffer, sectors] : block.buffers) {
    const auto bytes = static_cast<double>(study.memory->buffers()[buffer].bytes());
    const double read = static_cast<double>(sectors.read.size()) * blocks;
    const double written = static_cast<double>(sectors.written.size()) * blocks;
    work->block_sectors += read;
    // What the whole launch reaches is counted by its accesses, of which bulk copies are none.
    const double bulk_read = static_cast<double>(sectors.read_in_bulk.size()) * blocks;
    const double bulk_written = static_cast<double>(sectors.written_in_bulk.size()) * blocks;
    work->dram_read_bytes += std::min(bytes, (bulk_read + (is_known ? 0 : read)) * kSectorBytes);
    work->dram_write_bytes +=
        std::min(bytes, (bulk_written + (is_known ? 0 : written)) * kSectorBytes);
  }
  work->bulk_sectors = block.bulk_loads * blocks;
  work->stores.sectors += block.bulk_stores * blocks;
  work->stores.sectors_ideal += block.bulk_stored_bytes / kSectorBytes * blocks;
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

namespace {

enum class Producer : std::uint8_t { kArithmetic, kGlobal, kShared };

struct Operands {
  std::span<const std::uint32_t> written;  // registers
  std::vector<std::uint32_t> read;
  double latency = 0;
  Producer producer = Producer::kArithmetic;
  bool is_copy = false;       // cp.async
  bool is_commit = false;     // cp.async.commit_group; wait_all, which commits before it waits
  int wait_for_all_but = -1;  // cp.async.wait_group
};

// What the model knows of an instruction before it is executed.
Operands operands_of(const StaticInstruction& instruction, const PathLatencies& latencies) {
  Operands operands;
  operands.read.assign(instruction.reads.begin(), instruction.reads.end());
  if (instruction.operation == Operation::kWarpgroupProduct) {  // hands its sums on inside the unit
    std::erase_if(operands.read, [&](std::uint32_t number) {
      return std::ranges::find(instruction.writes, number) != instruction.writes.end();
    });
  }
  // Waits for copies and mbarriers are waited for in their own way: nobody waits for their result.
  const bool orders = instruction.is_barrier ||
                      instruction.instruction_class == InstructionClass::kControl ||
                      instruction.instruction_class == InstructionClass::kSync;
  if (!orders) operands.written = instruction.writes;
  operands.latency = latencies.arithmetic;
  if (instruction.instruction_class == InstructionClass::kTensor &&
      instruction.access == AccessKind::kNone) {
    operands.latency = latencies.tensor;
  }
  const bool divides = instruction.operation == Operation::kDiv;
  if (divides || (instruction.unit == ExecutionUnit::kSpecial &&
                  instruction.instruction_class == InstructionClass::kFloat)) {
    operands.latency = latencies.special;
  }
  if (instruction.space == MemorySpace::kShared) {
    operands.latency = latencies.shared;
    operands.producer = Producer::kShared;
  }
  if (instruction.space == MemorySpace::kGlobal || instruction.space == MemorySpace::kLocal ||
      instruction.space == MemorySpace::kGeneric || instruction.access == AccessKind::kAsyncCopy) {
    operands.latency = latencies.global;
    operands.producer = Producer::kGlobal;
  }
  operands.is_copy = instruction.access == AccessKind::kAsyncCopy;
  const bool waits_for_all = instruction.synchronisation == Synchronisation::kWaitAllCopies;
  operands.is_commit =
      waits_for_all || instruction.synchronisation == Synchronisation::kCommitCopies;
  if (waits_for_all) operands.wait_for_all_but = 0;
  if (instruction.synchronisation == Synchronisation::kWaitCopies) {
    operands.wait_for_all_but = instruction.groups;
  }
  return operands;
}

// When a value is there and whose line it comes from.
struct Ready {
  double at = 0;
  std::uint32_t line = 0;
  Producer producer = Producer::kArithmetic;
};

struct WarpClock {
  std::vector<Ready> registers;
  double block_start = 0;  // of the stretch that is under way, between fences
  double issued = 0;       // instructions of it
  Ready latest;            // start so far
  double now = 0;
  std::uint32_t last_instruction = 0;
  std::size_t barriers = 0;
  bool at_barrier = false;
  double barrier_waits = 0;
  Ready copies;              // of the group that is open
  std::deque<Ready> groups;  // committed
  std::size_t most_groups = 0;
  std::map<std::uint32_t, double> global_waits;
  std::map<std::uint32_t, double> shared_waits;

  void wait_for(const Ready& ready) {
    const double late = ready.at - now;
    if (late <= 0) return;
    if (ready.producer == Producer::kGlobal) global_waits[ready.line] += late;
    if (ready.producer == Producer::kShared) shared_waits[ready.line] += late;
    now = ready.at;
  }
};

class PathWalk {
 public:
  PathWalk(const Program& program, const PathLatencies& latencies)
      : program_(program), latencies_(latencies) {
    for (const StaticInstruction& instruction : program.instructions()) {
      operands_.push_back(operands_of(instruction, latencies));
    }
    registers_ = program.register_count();
  }

  void step(const TraceEvent& event) {
    WarpClock& warp = clock_of(event.warp);
    const StaticInstruction& instruction = program_.instructions()[event.instruction];
    const Operands& operands = operands_[event.instruction];
    if (warp.at_barrier) leave_barrier(warp);
    if (event.instruction <= warp.last_instruction) fence(warp);  // another turn of a loop
    warp.last_instruction = event.instruction;
    warp.issued += 1;
    const double issue = warp.block_start + warp.issued;
    Ready start{issue, 0, Producer::kArithmetic};
    for (const std::uint32_t read : operands.read) {
      if (warp.registers[read].at > start.at) start = warp.registers[read];
    }
    if (operands.is_commit) {
      warp.groups.push_back(warp.copies);
      const bool waits_at_once = operands.wait_for_all_but >= 0;  // nothing runs beside it
      if (!waits_at_once) warp.most_groups = std::max(warp.most_groups, warp.groups.size());
      warp.copies = {};
    }
    if (operands.wait_for_all_but >= 0) {
      while (static_cast<int>(warp.groups.size()) > operands.wait_for_all_but) {
        if (warp.groups.front().at > start.at) start = warp.groups.front();
        warp.groups.pop_front();
      }
    }
    if (start.at > warp.latest.at) warp.latest = start;
    const Ready result{start.at + operands.latency, instruction.outermost.line, operands.producer};
    for (const std::uint32_t written : operands.written) {
      warp.registers[written] = operands.producer == Producer::kArithmetic && start.line != 0
                                    ? Ready{result.at, start.line, start.producer}
                                    : result;
    }
    if (operands.is_copy && result.at > warp.copies.at) warp.copies = result;
    if (instruction.is_barrier || operands.wait_for_all_but >= 0) {
      fence(warp);
    } else if (instruction.instruction_class == InstructionClass::kControl) {
      warp.wait_for(start);  // its predicate
      restart(warp);
    }
    if (instruction.is_barrier) arrive(warp);
  }

  [[nodiscard]] WarpPath result() {
    WarpPath path;
    const WarpClock* longest = nullptr;
    for (auto& [number, warp] : warps_) {
      fence(warp);
      if (longest == nullptr || warp.now > longest->now) longest = &warp;
    }
    if (longest == nullptr) return path;
    path.clocks = longest->now;
    path.global_waits = longest->global_waits;
    path.shared_waits = longest->shared_waits;
    path.barrier_waits = longest->barrier_waits;
    path.barriers = static_cast<int>(longest->barriers);
    path.copies = static_cast<int>(longest->most_groups);
    return path;
  }

 private:
  WarpClock& clock_of(std::uint16_t number) {
    WarpClock& warp = warps_[number];
    if (warp.registers.empty()) warp.registers.resize(std::max<std::size_t>(registers_, 1));
    return warp;
  }

  // What follows is issued from now on.
  static void restart(WarpClock& warp) {
    warp.now = std::max(warp.now, warp.block_start + warp.issued);
    warp.block_start = warp.now;
    warp.issued = 0;
  }
  // The same, and everything issued so far has started.
  static void fence(WarpClock& warp) {
    warp.now = std::max(warp.now, warp.block_start + warp.issued);
    warp.wait_for(warp.latest);
    restart(warp);
  }

  void arrive(WarpClock& warp) {
    if (arrivals_.size() <= warp.barriers) arrivals_.resize(warp.barriers + 1);
    arrivals_[warp.barriers] = std::max(arrivals_[warp.barriers], warp.now);
    ++warp.barriers;
    warp.at_barrier = true;
  }

  void leave_barrier(WarpClock& warp) {
    const double free = arrivals_[warp.barriers - 1] + latencies_.barrier;
    warp.barrier_waits += free - warp.now;
    warp.now = free;
    warp.at_barrier = false;
    warp.block_start = free;
    warp.issued = 0;
  }

  const Program& program_;
  PathLatencies latencies_;
  std::vector<Operands> operands_;
  std::size_t registers_ = 0;
  std::map<std::uint16_t, WarpClock> warps_;
  std::vector<double> arrivals_;
};

constexpr std::uint32_t kMostWarps = 4;

}  // namespace

WarpPath path_of(const Program& program, const BlockTrace& trace, const PathLatencies& latencies) {
  PathWalk walk(program, latencies);
  std::uint32_t warps = 0;
  for (const TraceEvent& event : trace.events) warps = std::max(warps, event.warp + 1U);
  const std::uint32_t stride = std::max(1U, (warps + kMostWarps - 1) / kMostWarps);
  for (const TraceEvent& event : trace.events) {
    if (event.warp % stride == 0) walk.step(event);
  }
  WarpPath path = walk.result();
  if (trace.omitted_events > 0 && !trace.events.empty()) {
    const double kept = static_cast<double>(trace.events.size());
    const double more = 1 + static_cast<double>(trace.omitted_events) / kept;
    path.clocks *= more;
    path.barrier_waits *= more;
    for (auto* waits : {&path.global_waits, &path.shared_waits}) {
      for (auto& [line, clocks] : *waits) clocks *= more;
    }
  }
  return path;
}

}  // namespace tilescope
