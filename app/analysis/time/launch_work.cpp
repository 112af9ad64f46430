#include "analysis/time/launch_work.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/memory/coalescing.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/time/block_traffic.h"
#include "analysis/time/instruction_cost.h"
#include "analysis/time/issued_path.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/stall_counts.h"

namespace tilescope {
namespace {

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
      pipes->tensor_flop += lanes * instruction.flop_per_lane * tensor_slowness(instruction);
      break;
    case InstructionClass::kInteger:
      (unit == ExecutionUnit::kMultiply ? pipes->multiply : pipes->integer) += warps;
      break;
    default:
      break;
  }
}

void add_access(const StaticInstruction& instruction, const AccessCounters& counted,
                const AccessTraffic& shape, LaunchWork* work) {
  work->shared_wavefronts += static_cast<double>(counted.wavefronts);
  work->shared_wavefronts_ideal += static_cast<double>(counted.wavefronts_ideal);
  if (counted.sectors == 0) return;
  const auto sectors = static_cast<double>(counted.sectors);
  const auto ideal = static_cast<double>(counted.sectors_ideal);
  const auto requests = static_cast<double>(counted.requests);
  const double traced = shape.requests > 0 ? requests / shape.requests : 0;
  // 128 B a clock reach the registers, whatever addresses the lanes have: a 128-bit load takes 4.2
  // clocks of a multiprocessor also where all lanes of a half warp have one address (measured on an
  // H100, docs/time_model.md).
  const double passes = requests * std::max(1.0, instruction.bytes_per_lane / 4.0);
  const double lines = shape.lines * traced;
  const bool loads = reads_global(instruction.access);
  GlobalWork& global = loads ? work->loads : work->stores;
  global.requests += requests;
  global.sectors += sectors;
  global.sectors_ideal += ideal;
  global.partial_sectors += shape.partial_sectors * traced;
  global.lines += lines;
  // The L1 reads four sectors a clock, of any lines, but one of each quarter of a line. A line on
  // its way to the L2 takes two clocks, however few of its sectors are written.
  constexpr double kStoredLine = 2;
  const double moved = loads ? shape.in_quarter * traced : kStoredLine * lines;
  global.wavefronts += std::max({passes, sectors / 4, moved});
  global.wavefronts_ideal += std::max(passes, (loads ? 1 : kStoredLine) * ideal / 4);
  if (instruction.access != AccessKind::kAtomic) return;
  const double distinct = shape.sectors * traced;
  work->atomics.sectors += distinct;
  work->atomics.again += std::max(sectors - distinct, 0.0);
  work->atomics.lanes += static_cast<double>(counted.lanes);
}

constexpr double kWordBytes = 4;
constexpr double kOftenRead = 1.5;  // times each byte of a buffer, by several blocks

double share_between(double value, double none, double all) {
  return std::clamp((value - none) / (all - none), 0.0, 1.0);
}

// How much of a buffer that blocks read again later the L2 has lost by then, 0..1. It keeps less
// than its size: on an H100 (2026-11-28; 50 MiB) gathers that read each sector of a table four or
// eight times, far apart, take as long for each element up to 17 MB, longer from 21 MB on, and from
// 36 MB on as long as if all came from the DRAM.
double lost_share(double bytes, double l2_bytes) {
  constexpr double kAllKept = 0.40;  // of the L2
  constexpr double kAllLost = 0.69;
  return share_between(bytes / std::max(l2_bytes, 1.0), kAllKept, kAllLost);
}

// The DRAM gives two neighbouring sectors at once: how many times more it reads than these.
double bursts_of(const std::unordered_set<std::uint64_t>& sectors) {
  const auto single = std::ranges::count_if(
      sectors, [&](std::uint64_t sector) { return !sectors.contains(sector ^ 1U); });
  return 1 + static_cast<double>(single) /
                 static_cast<double>(std::max<std::size_t>(sectors.size(), 1));
}

// Sectors that a block leaves written in part: another block writes the rest. On an H100
// (2026-11-28) each takes as long as 43 to 50 bytes that go to the DRAM, where the other block
// comes soon (65 to 79 where it comes late), and 21 where all that is written takes a third of the
// L2; the bytes that `ncu` counts there do not change.
constexpr double kTornBytes = 50;

// LaunchWork::dram_other_bytes, from the bytes that a launch reads and writes and its torn sectors.
//
// A launch starts with an L2 full of lines that were written before it, as where it is measured
// cold: they go to the DRAM when others take their places. What it writes itself stays in the L2 at
// its end in return. On an H100 (2026-11-28) launches that only read take 0.14 us more for each MB
// up to 64 MB and 10 us in all than after reads of other lines; `ncu` counts 23 MB written while
// 67 MB are read, and no more than they write themselves of copies.
double others_bytes(double read, double written, double torn, double l2_bytes) {
  constexpr double kPutOut = 0.4;        // bytes of others for each byte read or written
  constexpr double kMostPutOut = 0.534;  // of the L2
  const double most = kMostPutOut * l2_bytes;
  const double put_out = std::min(kPutOut * (read + written), most);
  const double stays = std::min(written, most);
  const double in_l2 = std::min(written / std::max(l2_bytes, 1.0), 1.0);
  return std::max(put_out - stays, 0.0) + torn * kTornBytes * in_l2;
}

void add_traffic(const KernelStudy& study, const BlockTraffic& block, LaunchWork* work) {
  const double blocks = static_cast<double>(work->blocks) / block.whole;
  const bool is_known = study.counters != nullptr && !study.counters->reach.empty();
  const auto l2_bytes = static_cast<double>(study.device->l2_bytes);
  double torn = 0;
  for (const auto& [buffer, sectors] : block.buffers) {
    torn += blocks * static_cast<double>(std::ranges::count_if(
                         sectors.stored, [](const auto& each) { return ~each.second != 0; }));
    const auto bytes = static_cast<double>(study.memory->buffers()[buffer].bytes());
    const double read = static_cast<double>(sectors.read.size()) * blocks;
    const double written = static_cast<double>(sectors.written.size()) * blocks;
    work->block_sectors += read;
    // Blocks that run later read this buffer again, and the L2 has no room to keep it until then.
    const double lost = read * kSectorBytes > kOftenRead * bytes ? lost_share(bytes, l2_bytes) : 0;
    if (study.issued_counters != nullptr && !is_known && lost > 0 &&
        reads_alone(study, sectors.read)) {
      work->dram_read_bytes += lost * (read * kSectorBytes * bursts_of(sectors.read) - bytes);
    }
    const double added = static_cast<double>(sectors.added_to.size()) * blocks * kWordBytes;
    work->atomics.bytes += std::min(bytes, added);
    // What the whole launch reaches is counted by its accesses, of which bulk copies are none.
    const double bulk_read = static_cast<double>(sectors.read_in_bulk.size()) * blocks;
    const double bulk_written = static_cast<double>(sectors.written_in_bulk.size()) * blocks;
    work->dram_read_bytes += std::min(bytes, (bulk_read + (is_known ? 0 : read)) * kSectorBytes);
    work->dram_write_bytes +=
        std::min(bytes, (bulk_written + (is_known ? 0 : written)) * kSectorBytes);
  }
  work->bulk_sectors = block.bulk_loads * blocks;
  work->bulk_arrivals = block.bulk_arrivals / block.whole;
  work->bulk_stages = block.bulk_barriers;
  work->stores.sectors += block.bulk_stores * blocks;
  work->stores.sectors_ideal += block.bulk_stored_bytes / kSectorBytes * blocks;
  if (is_known) {
    for (const BufferReach& reach : study.counters->reach) {
      work->dram_read_bytes += static_cast<double>(reach.sectors_read) * kSectorBytes;
      work->dram_write_bytes += static_cast<double>(reach.sectors_written) * kSectorBytes;
    }
  }
  work->dram_other_bytes =
      others_bytes(work->dram_read_bytes, work->dram_write_bytes, torn, l2_bytes);
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
  const double l2_bytes = std::max(work.block_sectors * kSectorBytes, 1.0);
  const double mean = std::clamp(work.dram_read_bytes / l2_bytes, 0.0, 1.0);
  // Blocks that run at once read the same for the first time together, and all wait for the DRAM.
  const double rounds = static_cast<double>(work.blocks) /
                        (work.resident_blocks * static_cast<double>(rates.multiprocessors));
  const double beyond_l2 = mean + (1 - mean) * rates.first_round / std::max(rounds, 1.0);
  // Where few multiprocessors have a block, little else is under way.
  const double busy = std::min(static_cast<double>(work.blocks) / rates.multiprocessors, 1.0);
  const double l2 = std::lerp(rates.idle_l2_latency, rates.loaded_l2_latency, busy);
  const double dram = std::lerp(rates.idle_dram_latency, rates.loaded_dram_latency, busy);
  const double far = (1 - beyond_l2) * l2 + beyond_l2 * dram;
  return {.arithmetic = rates.arithmetic_latency,
          .special = rates.special_latency,
          .tensor = rates.tensor_latency,
          .shared = rates.shared_latency,
          .global = mean_global_latency(work, rates),
          .l1 = rates.l1_latency,
          .l2 = l2,
          .far = far,
          .far_shared = rates.l1_latency + rates.shared_misses * (far - rates.l1_latency),
          .barrier = rates.barrier_clocks,
          .barrier_warp = rates.barrier_warp_clocks};
}

std::optional<BlockTrace> trace_issued(const KernelStudy& study) {
  if (study.issued_counters == nullptr) return std::nullopt;
  constexpr std::size_t kMostEvents = std::size_t{1} << 22U;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  auto trace = trace_block(*study.issued, study.launch, memory, followed_block(study), kMostEvents,
                           {}, nullptr);
  if (!trace || !trace->complete) return std::nullopt;
  return *std::move(trace);
}

namespace {

void add_fma_clocks(const std::vector<InstructionCost>& costs, const KernelStudy& study,
                    const MachineRates& rates, LaunchWork* work) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].pipe != Pipe::kFma) continue;
    work->pipes.fma_clocks += static_cast<double>(study.issued_counters->executed.warps[i]) *
                              costs[i].unit_clocks(rates.port_clocks);
  }
}

// Lines of the L1 that a warp has for itself beside all that are resident with it.
double l1_lines_of(const LaunchWork& work, const MachineRates& rates) {
  const double blocks = std::min(
      work.resident_blocks, std::ceil(static_cast<double>(work.blocks) / rates.multiprocessors));
  return l1_bytes_beside(blocks, work.shared_bytes, rates) / kLineBytes /
         (blocks * work.warps_per_block);
}

// Lines that warps use again, but of which all that run at once have more than the L2 keeps. A load
// (`reloaded` sectors) then reads from the DRAM, and a store to a part of a sector reads and writes
// there. On an H200 (2026-11-28; 50 MiB) threads that add up segments of 64 floats, element by
// element, and write each sum take up to 49 clocks of the GPU for 1,000 elements up to 35 MB of
// lines in use, 57 at 43, 64 at 52, 77 at 60 and 97 at 69 MB: as many as 200 bytes of the DRAM's
// bandwidth for each element take.
void add_lost_lines(const KernelStudy& study, const BlockTrace& trace, double whole,
                    double reloaded, const MachineRates& rates, LaunchWork* work) {
  if (reloaded <= 0 && work->stores.partial_sectors <= 0) return;
  const auto blocks = static_cast<double>(work->blocks);
  const double at_once = std::min(blocks, work->resident_blocks * rates.multiprocessors);
  const L2Reuse reuse = l2_reuse_of(*study.issued, trace, l1_lines_of(*work, rates));
  const double lines = reuse.lines * work->warps_per_block * at_once;
  constexpr double kAllKept = 0.5;  // of the L2
  constexpr double kAllLost = 1.35;
  const double lost =
      share_between(lines * kLineBytes / std::max(rates.l2_bytes, 1.0), kAllKept, kAllLost);
  constexpr double kPair = 2 * kSectorBytes;  // the DRAM takes two neighbouring sectors at once
  work->dram_other_bytes += lost * (reloaded + 2 * reuse.rewritten / whole * blocks) * kPair;
}

void follow_issued(const KernelStudy& study, const BlockTrace& trace, double whole,
                   const MachineRates& rates, LaunchWork* work) {
  const auto costs =
      instruction_costs(*study.issued, *study.device, usual_latencies(*study.device));
  add_fma_clocks(costs, study, rates, work);
  const IssuedCode code{*study.issued, costs,
                        stall_counts(study.compiled->cubin, study.compiled->kernel),
                        l1_lines_of(*work, rates), rates.port_clocks};
  work->path = issued_path(code, trace, path_latencies(*work, rates));
  // Lines that the L1 no longer holds are loaded from the L2 again.
  const double once = work->block_sectors;
  work->block_sectors = std::min(once * std::max(work->path.reloads, 1.0), work->loads.sectors);
  add_lost_lines(study, trace, whole, work->block_sectors - once, rates, work);
}

}  // namespace

LaunchWork work_of(const KernelStudy& study, const MachineRates& rates) {
  return work_of(study, trace_issued(study), rates);
}

LaunchWork work_of(const KernelStudy& study, const std::optional<BlockTrace>& issued,
                   const MachineRates& rates) {
  LaunchWork work;
  work.as_issued = study.issued_counters != nullptr;
  const Program& program = work.as_issued ? *study.issued : *study.program;
  const LaunchCounters& counters = work.as_issued ? *study.issued_counters : *study.counters;
  // Shapes of accesses by the instructions that are counted; else by none.
  const bool alike = issued || !work.as_issued;
  const BlockTraffic block = issued ? traffic_of(study, *study.issued, *issued)
                                    : traffic_of(study, *study.program, *study.trace);
  double threads = 0;
  const auto& instructions = program.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i].counts) continue;
    const auto warps = static_cast<double>(counters.executed.warps[i]);
    const auto lanes = static_cast<double>(counters.executed.lanes[i]);
    threads += static_cast<double>(counters.executed.threads[i]);
    add_pipe(instructions[i], warps, lanes, &work.pipes);
    add_access(instructions[i], counters.by_instruction[i],
               alike ? block.shapes[i] : AccessTraffic{}, &work);
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
  work.shared_bytes =
      static_cast<double>(study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes);
  add_traffic(study, block, &work);
  if (issued) {
    follow_issued(study, *issued, block.whole, rates, &work);
  } else {
    work.path = path_of(*study.program, *study.trace, path_latencies(work, rates));
  }
  return work;
}

}  // namespace tilescope
