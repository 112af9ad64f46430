#include "analysis/time/pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "analysis/memory/coalescing.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/machine_rates.h"
#include "analysis/time/stall_counts.h"
#include "analysis/time/warp_timing.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostEvents = std::size_t{1} << 22;
constexpr double kWaves = 4;  // of resident blocks, to see the pace at which they follow each other

// The phase of each instruction by the line of the kernel that it comes from, as the PTX's
// instructions of that line have it.
std::vector<std::int16_t> phases_by_line(const Program& written, const Program& program) {
  std::map<std::uint32_t, std::int16_t> by_line;
  for (const StaticInstruction& instruction : written.instructions()) {
    if (instruction.phase >= 0) by_line[instruction.outermost.line] = instruction.phase;
  }
  std::vector<std::int16_t> phases;
  phases.reserve(program.instructions().size());
  for (const StaticInstruction& instruction : program.instructions()) {
    const auto found = by_line.find(instruction.outermost.line);
    phases.push_back(instruction.phase >= 0   ? instruction.phase
                     : found != by_line.end() ? found->second
                                              : std::int16_t{-1});
  }
  return phases;
}

// What must come of a buffer from DRAM once: what the launch reaches of it, all where that is not
// known.
double bytes_of(const KernelStudy& study, std::size_t buffer) {
  if (study.counters != nullptr && buffer < study.counters->reach.size()) {
    const BufferReach& reach = study.counters->reach[buffer];
    const std::uint64_t reached = std::max(reach.sectors_read, reach.sectors_written);
    // 0: by bulk copies alone, which are no accesses.
    if (reached > 0) return static_cast<double>(reached) * kSectorBytes;
  }
  return static_cast<double>(study.memory->buffers()[buffer].bytes());
}

// Of what the blocks bring from beyond L1, the share that is asked for the first time; the rest
// other blocks have brought into L2.
double dram_share_of(const KernelStudy& study, const Program& program, const BlockTrace& trace) {
  std::unordered_set<std::uint64_t> sectors;
  std::unordered_set<std::uint64_t> buffers;
  for (const TraceEvent& event : trace.events) {
    if (event.access == kNoAccess) continue;
    if (program.instructions()[event.instruction].space != MemorySpace::kGlobal) continue;
    const WarpAccess access = trace.access(event.access);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1u) != 0) sectors.insert(access.address[lane] / kSectorBytes);
    }
  }
  for (const BulkCopy& copy : trace.bulk_copies) {
    const std::uint64_t end = copy.global + copy.bytes;
    for (std::uint64_t at = copy.global / kSectorBytes; at * kSectorBytes < end; ++at)
      sectors.insert(at);
  }
  double touched = 0;
  for (const std::uint64_t sector : sectors) {
    const auto location = study.memory->locate(sector * kSectorBytes, 1);
    if (location && buffers.insert(location->buffer).second) {
      touched += bytes_of(study, location->buffer);
    }
  }
  const double asked = static_cast<double>(sectors.size()) * kSectorBytes *
                       static_cast<double>(study.launch.grid.count());
  return asked == 0 ? 0 : std::clamp(touched / asked, 0.0, 1.0);
}

double blocks_each(const KernelStudy& study) {
  const int multiprocessors = std::max(study.device->multiprocessors, 1);
  return std::ceil(static_cast<double>(study.launch.grid.count()) / multiprocessors);
}

double seconds_of(const KernelStudy& study, const WarpTiming& timing) {
  const BlockTrace& trace = *study.trace;
  if (trace.truncated || !trace.complete || study.device->boost_clock_hz <= 0) return 0;
  const double cycles = timing.cycles_of(blocks_each(study));
  if (cycles <= 0) return 0;
  return rates_of(*study.device).launch_seconds + cycles / study.device->boost_clock_hz;
}

// Place of the last event of `events` that is at or before `event`, as a share of them.
double share_of(const std::vector<std::uint32_t>& events, std::uint32_t event) {
  if (events.size() < 2) return 0;
  const auto after = std::ranges::upper_bound(events, event) - events.begin();
  return static_cast<double>(std::max<std::ptrdiff_t>(after - 1, 0)) /
         static_cast<double>(events.size() - 1);
}

std::uint32_t at_share(const std::vector<std::uint32_t>& events, double share) {
  const auto place = std::lround(share * static_cast<double>(events.size() - 1));
  return events[static_cast<std::size_t>(place)];
}

}  // namespace

Result<std::shared_ptr<const Pipeline>> pipeline_of(const KernelStudy& study,
                                                    const std::optional<LatencyModel>& model,
                                                    std::stop_token stop) {
  auto made = std::make_shared<Pipeline>();
  made->program = study.issued ? study.issued : study.program;
  made->trace = study.trace;
  if (study.issued) {
    DeviceMemory memory = writable_copy(study.instance, *study.memory);
    const std::uint64_t block = flatten(study.trace->block, study.launch.grid);
    auto trace =
        trace_block(*made->program, study.launch, memory, block, kMostEvents, stop, nullptr);
    if (!trace) return std::move(trace).error();
    made->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  }
  made->study_events = events_by_warp(*study.trace);
  made->timeline = timeline_of(*made->program, *made->trace);
  made->phase = phases_by_line(*study.program, *made->program);
  made->model = model.value_or(usual_latencies(*study.device));
  made->dram_share = dram_share_of(study, *made->program, *made->trace);
  const auto costs = instruction_costs(*made->program, *study.device, made->model);
  TimingRequest request;
  request.warps_per_block = static_cast<std::uint32_t>((study.launch.block.count() + 31) / 32);
  const double each = blocks_each(study);
  const int fits = study.occupancy ? study.occupancy->blocks_per_multiprocessor : 1;
  request.resident_blocks =
      static_cast<std::uint32_t>(std::clamp(std::min<double>(fits, each), 1.0, 64.0));
  request.most_blocks =
      static_cast<std::uint32_t>(std::min(each, kWaves * request.resident_blocks));
  request.dram_share = made->dram_share;
  const MachineRates rates = rates_of(*study.device);
  request.port_clocks = rates.port_clocks;
  if (study.issued) request.stalls = stall_counts(study.compiled->cubin, study.compiled->kernel);
  const double shared =
      static_cast<double>(study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes);
  request.l1_bytes =
      static_cast<std::uint64_t>(l1_bytes_beside(request.resident_blocks, shared, rates));
  auto timing = time_warps(*made->program, *made->trace, costs, made->model, request, stop);
  if (!timing) return std::move(timing).error();
  made->timing = *std::move(timing);
  made->copies = tile_copies(*made->program, *made->trace, costs, made->timing);
  made->moments = warp_moments(*made->program, costs, made->timing, *made->trace);
  for (const std::vector<WarpMoment>& moments : made->moments) {
    made->rasters.emplace_back(moments, made->timing.cycles);
  }
  made->kernel_seconds = seconds_of(study, made->timing);
  return std::shared_ptr<const Pipeline>(std::move(made));
}

std::uint32_t Pipeline::cycle_of(std::uint32_t warp, std::uint32_t event) const {
  if (warp >= timing.warps.size() || timing.warps[warp].empty()) return 0;
  if (warp >= study_events.size() || study_events[warp].empty()) return 0;
  const double share = share_of(study_events[warp], event);
  return std::min(timing.events[at_share(timing.warps[warp], share)].issue, timing.cycles);
}

std::uint32_t Pipeline::event_at(std::uint32_t warp, std::uint32_t cycle) const {
  if (warp >= timing.warps.size() || timing.warps[warp].empty()) return 0;
  if (warp >= study_events.size() || study_events[warp].empty()) return 0;
  const std::vector<std::uint32_t>& events = timing.warps[warp];
  const auto after = std::ranges::upper_bound(
      events, cycle, {}, [this](std::uint32_t e) { return timing.events[e].issue; });
  const std::uint32_t event = after == events.begin() ? events.front() : *std::prev(after);
  return at_share(study_events[warp], share_of(events, event));
}

Result<std::shared_ptr<const KernelStudy>> with_pipeline(std::shared_ptr<const KernelStudy> study,
                                                         const std::optional<LatencyModel>& model,
                                                         std::stop_token stop) {
  if (!study->issued) {
    if (auto coded = with_machine_code(study, stop)) study = *std::move(coded);
  }
  auto pipeline = pipeline_of(*study, model, stop);
  if (!pipeline) return std::move(pipeline).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->pipeline = *std::move(pipeline);
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

const ParameterSpec* stages_parameter(const CatalogueEntry& entry) {
  const auto found = std::ranges::find(entry.parameters, "STAGES", &ParameterSpec::name);
  return found == entry.parameters.end() ? nullptr : &*found;
}

Result<std::vector<PipelineAlternative>> pipeline_alternatives(const CatalogueEntry& entry,
                                                               const KernelStudy& study,
                                                               InputCache* inputs,
                                                               std::stop_token stop) {
  std::vector<PipelineAlternative> alternatives;
  const ParameterSpec* parameter = stages_parameter(entry);
  if (parameter == nullptr) return alternatives;
  for (const std::int64_t value : parameter->values) {
    if (value == study.instance.parameters.at(parameter->name) && study.pipeline) {
      alternatives.push_back({value, study.pipeline});
      continue;
    }
    ParameterSet parameters = study.instance.parameters;
    parameters[parameter->name] = value;
    const auto instance = instantiate(entry, parameters, study.instance.extents,
                                      factors_of(study.instance), *study.device);
    if (!instance) continue;  // the rules forbid it
    StudyRequest request;
    request.instance = *instance;
    request.inputs = inputs;
    request.compute_capability = study.device->compute_capability;
    request.block = flatten(study.trace->block, study.launch.grid);
    auto other = study_block(request, stop);
    if (other) other = with_resources(*other, *study.device, stop);
    if (!other) return std::move(other).error();
    other = with_pipeline(*other, std::nullopt, stop);
    if (!other) return std::move(other).error();
    alternatives.push_back({value, (*other)->pipeline});
  }
  return alternatives;
}

}  // namespace tilescope
