#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/memory/counters.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/occupancy/occupancy.h"
#include "core/text.h"
#include "scene/occupancy/occupancy_scene.h"
#include "session/known_measurements.h"
#include "session/lane_addresses.h"
#include "session/lesson_figures.h"

namespace tilescope {
namespace {

using Asked = LessonFigure::Asked;
using Value = Result<LessonValue>;

Error missing(std::string message, std::string remedy = {}) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

constexpr double kSectorBytes = 32;

LessonValue emulated(double number, Unit unit = Unit::kNone) {
  return {.number = number, .unit = unit, .source = Source::kEmulated};
}

// Sums over the accesses of the launch, or of one line of it.
struct Accesses {
  double requests = 0;
  double amount = 0;  // sectors, or wavefronts
  double least = 0;
  double used_bytes = 0;
};
enum class Way : std::uint8_t { kLoads, kStores, kSharedLoads, kSharedStores };

bool reads(AccessKind access, bool is_shared) {
  if (access == AccessKind::kAsyncCopy) return !is_shared;  // it reads global, writes shared memory
  return access == AccessKind::kLoad || access == AccessKind::kLdmatrix;
}

Accesses accesses_of(const Asked& asked, Way way) {
  const KernelStudy& study = *asked.facts.study;
  const bool is_shared = way == Way::kSharedLoads || way == Way::kSharedStores;
  const bool is_load = way == Way::kLoads || way == Way::kSharedLoads;
  Accesses sum;
  for (const LineCounters& row : counters_by_line(*study.program, *study.counters)) {
    if (asked.line != 0 && row.line.line != asked.line) continue;
    if (row.access == AccessKind::kNone || reads(row.access, is_shared) != is_load) continue;
    const AccessCounters& counted = row.memory;
    if (is_shared && counted.wavefronts > 0) {
      const bool copies = row.access == AccessKind::kAsyncCopy;
      sum.requests += static_cast<double>(
          counted.requests - (copies ? 0 : counted.global_requests + counted.local_requests));
      sum.amount += static_cast<double>(counted.wavefronts);
      sum.least += static_cast<double>(counted.wavefronts_ideal);
    } else if (!is_shared && counted.global_requests > 0) {
      sum.requests += static_cast<double>(counted.global_requests);
      sum.amount += static_cast<double>(counted.sectors - counted.local_sectors);
      sum.least += static_cast<double>(counted.sectors_ideal);
      sum.used_bytes += static_cast<double>(counted.distinct_bytes);
    }
  }
  return sum;
}

template <Way kWay>
Value requests(const Asked& asked) {
  return emulated(accesses_of(asked, kWay).requests);
}
template <Way kWay>
Value amount(const Asked& asked) {
  return emulated(accesses_of(asked, kWay).amount);
}
template <Way kWay>
Value least_amount(const Asked& asked) {
  return emulated(accesses_of(asked, kWay).least);
}
template <Way kWay>
Value per_request(const Asked& asked) {
  const Accesses sum = accesses_of(asked, kWay);
  if (sum.requests == 0) return missing("nothing of this kind is accessed there");
  return emulated(sum.amount / sum.requests);
}
template <Way kWay>
Value least_per_request(const Asked& asked) {
  const Accesses sum = accesses_of(asked, kWay);
  if (sum.requests == 0) return missing("nothing of this kind is accessed there");
  return emulated(sum.least / sum.requests);
}
template <Way kWay>
Value efficiency(const Asked& asked) {
  const Accesses sum = accesses_of(asked, kWay);
  if (sum.amount == 0) return missing("nothing of this kind is accessed there");
  return emulated(100 * sum.used_bytes / (kSectorBytes * sum.amount), Unit::kPercent);
}

Value moved_bytes(const Asked& asked) {
  const double sectors =
      accesses_of(asked, Way::kLoads).amount + accesses_of(asked, Way::kStores).amount;
  return emulated(kSectorBytes * sectors, Unit::kBytes);
}

// Of the machine code, as a GPU issues them.
struct Executed {
  double instructions = 0;
  double lanes = 0;
  double divergent = 0;
};
Executed executed_of(const Asked& asked, bool issued) {
  const KernelStudy& study = *asked.facts.study;
  const bool as_issued = issued && study.issued_counters != nullptr;
  Executed sum;
  for (const LineCounters& row : as_issued ? counters_by_line(*study.issued, *study.issued_counters)
                                           : counters_by_line(*study.program, *study.counters)) {
    if (asked.line != 0 && row.line.line != asked.line) continue;
    sum.instructions += static_cast<double>(row.executed);
    sum.lanes += static_cast<double>(row.lanes);
    sum.divergent += static_cast<double>(row.divergent);
  }
  return sum;
}
Value instructions(const Asked& asked) {
  if (asked.facts.study->issued_counters == nullptr) {
    return missing("the machine code is not counted: " + asked.facts.study->why_not_issued);
  }
  return emulated(executed_of(asked, true).instructions);
}
Value divergent_branches(const Asked& asked) {
  return emulated(executed_of(asked, false).divergent);
}
Value lanes_working(const Asked& asked) {
  const Executed sum = executed_of(asked, false);
  if (sum.instructions == 0) return missing("nothing is executed there");
  return emulated(sum.lanes / sum.instructions);
}

// Times that a warp comes to a barrier of its block.
Value barriers(const Asked& asked) {
  const KernelStudy& study = *asked.facts.study;
  const auto& instructions = study.program->instructions();
  double sum = 0;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i].is_barrier) continue;
    if (asked.line != 0 && instructions[i].outermost.line != asked.line) continue;
    sum += static_cast<double>(study.counters->executed.warps[i]);
  }
  return emulated(sum);
}

// The launch itself.
LessonValue plain(double number, Unit unit = Unit::kNone) {
  return {.number = number, .unit = unit};
}
Value blocks(const Asked& asked) {
  return plain(static_cast<double>(asked.facts.study->instance.grid.count()));
}
Value threads_per_block(const Asked& asked) {
  return plain(static_cast<double>(asked.facts.study->instance.block.count()));
}
Value warps_per_block(const Asked& asked) {
  return plain(static_cast<double>((asked.facts.study->instance.block.count() + 31) / 32));
}
Value most_warps(const Asked& asked) {
  return plain(asked.facts.device->max_threads_per_multiprocessor / 32);
}
Value threads(const Asked& asked) {
  const KernelInstance& launch = asked.facts.study->instance;
  return plain(static_cast<double>(launch.grid.count()) *
               static_cast<double>(launch.block.count()));
}

Result<const Occupancy*> occupancy_there(const Asked& asked) {
  const KernelStudy& study = *asked.facts.study;
  if (!study.occupancy) return missing("its registers are not known");
  return &*study.occupancy;
}
Value registers(const Asked& asked) {
  if (const auto there = occupancy_there(asked); !there) return there.error();
  return emulated(asked.facts.study->compiled->resources.registers);
}
Value shared_bytes(const Asked& asked) {
  if (const auto there = occupancy_there(asked); !there) return there.error();
  const KernelStudy& study = *asked.facts.study;
  return emulated(study.compiled->resources.static_shared_bytes +
                      static_cast<double>(study.instance.dynamic_shared_bytes),
                  Unit::kBytes);
}
template <int Occupancy::*kMember>
Value of_occupancy(const Asked& asked) {
  const auto there = occupancy_there(asked);
  if (!there) return there.error();
  return emulated((*there)->*kMember);
}
Value occupancy_share(const Asked& asked) {
  const auto there = occupancy_there(asked);
  if (!there) return there.error();
  return emulated((*there)->percent(), Unit::kPercent);
}
Value occupancy_limit(const Asked& asked) {
  const auto there = occupancy_there(asked);
  if (!there) return there.error();
  LessonValue value{.source = Source::kEmulated};
  value.word = limits_in_words(**there);
  return value;
}
template <double BytesInFlight::*kMember>
Value of_flight(const Asked& asked) {
  if (!asked.facts.flight) return missing("it has no loads in flight");
  return LessonValue{
      .number = (*asked.facts.flight).*kMember, .unit = Unit::kBytes, .source = Source::kModelled};
}

// What the lanes of the most wasteful access of this kind do.
template <Way kWay>
Value lanes_of(const Asked& asked) {
  const bool is_shared = kWay == Way::kSharedLoads || kWay == Way::kSharedStores;
  const bool is_load = kWay == Way::kLoads || kWay == Way::kSharedLoads;
  const LineAccess* worst = nullptr;
  for (const LineAccess& access : asked.facts.accesses) {
    if (asked.line != 0 && access.line != asked.line) continue;
    if (access.is_shared != is_shared || access.is_load != is_load) continue;
    if (worst == nullptr || access.excess > worst->excess) worst = &access;
  }
  if (worst == nullptr) return missing("nothing of this kind is accessed there");
  return LessonValue{.source = Source::kEmulated, .word = worst->lanes};
}

// Its problem and its time.
Value problem_bytes(const Asked& asked) {
  return plain(problem_cost(asked.facts.study->instance).bytes, Unit::kBytes);
}
Value problem_flop(const Asked& asked) {
  return plain(problem_cost(asked.facts.study->instance).flop);
}

Result<KnownTime> known_time(const Asked& asked) {
  const KernelInstance& instance = asked.facts.study->instance;
  const auto times = times_of(asked.known.of(instance, asked.facts.entry, /*cold=*/true));
  if (times.empty()) {
    return missing(fmt::format("no time of {} at this size is recorded", instance.title),
                   "Choose parameters and a size that are in docs/results.md");
  }
  return times.front();
}
LessonValue timed(const KnownTime& known, double number, Unit unit) {
  return {.number = number, .unit = unit, .source = known.source, .gpu = known.under.gpu};
}
Value time(const Asked& asked) {
  const auto known = known_time(asked);
  if (!known) return known.error();
  return timed(*known, known->seconds, Unit::kSeconds);
}
// What was measured of just this launch, with a cold or a warm L2.
Result<KnownMeasurement> known_measurement(const Asked& asked, bool cold) {
  const KernelInstance& instance = asked.facts.study->instance;
  const auto found = asked.known.of(instance, asked.facts.entry, cold);
  if (!found.empty()) return found.front();
  return missing(fmt::format("no time of {} with a {} L2 is recorded at this size", instance.title,
                             cold ? "cold" : "warm"),
                 "Choose parameters and a size that are in docs/results.md");
}
LessonValue measured(const KnownMeasurement& known, double number, Unit unit) {
  return {.number = number,
          .unit = unit,
          .source = known.source,
          .gpu = known.measurement->machine.gpu};
}
Value warm_time(const Asked& asked) {
  const auto known = known_measurement(asked, /*cold=*/false);
  if (!known) return known.error();
  return measured(*known, known->measurement->result.kernel.median_seconds, Unit::kSeconds);
}
template <double TimeSummary::*kMember>
Value of_samples(const Asked& asked) {
  const auto known = known_measurement(asked, /*cold=*/true);
  if (!known) return known.error();
  return measured(*known, known->measurement->result.kernel.*kMember, Unit::kSeconds);
}
Value sample_count(const Asked& asked) {
  const auto known = known_measurement(asked, /*cold=*/true);
  if (!known) return known.error();
  return measured(*known, known->measurement->result.kernel.count, Unit::kNone);
}
Value clock_rate(const Asked& asked) {
  const auto known = known_measurement(asked, /*cold=*/true);
  if (!known) return known.error();
  const auto& clock = known->measurement->result.conditions.sm_clock_after_hz;
  if (!clock) return missing("its clock was not read");
  return measured(*known, *clock, Unit::kHertz);
}
Value modelled_time(const Asked& asked) {
  if (!asked.facts.roofline) return missing("its time cannot be modelled");
  return LessonValue{.number = asked.facts.roofline->modelled_seconds,
                     .unit = Unit::kSeconds,
                     .source = Source::kModelled,
                     .gpu = asked.facts.device->name};
}
Value bandwidth(const Asked& asked) {
  const auto known = known_time(asked);
  if (!known) return known.error();
  const double bytes = problem_cost(asked.facts.study->instance).bytes;
  return timed(*known, bytes / known->seconds, Unit::kBytesPerSecond);
}
Value rate(const Asked& asked) {
  const auto known = known_time(asked);
  if (!known) return known.error();
  const double flop = problem_cost(asked.facts.study->instance).flop;
  return timed(*known, flop / known->seconds, Unit::kFlopPerSecond);
}
// What somebody published of the same idea, on another GPU.
Value published_rate(const Asked& asked) {
  const KernelInstance& instance = asked.facts.study->instance;
  const PublishedFigure* figure =
      asked.facts.entry == nullptr
          ? nullptr
          : asked.known.recorded.published(*asked.facts.entry, instance.parameters,
                                           instance.extents, factors_of(instance));
  if (figure == nullptr) {
    return missing(fmt::format("nobody published a speed of {} at this size", instance.title),
                   "See assets/published/seeds.json");
  }
  const ProblemCost cost = problem_cost(instance);
  const bool in_flop = instance.rated_in_flop();
  return LessonValue{.number = figure->unit == "ms"
                                   ? (in_flop ? cost.flop : cost.bytes) / (figure->value / 1e3)
                                   : figure->value * 1e9,
                     .unit = in_flop ? Unit::kFlopPerSecond : Unit::kBytesPerSecond,
                     .source = Source::kRecorded,
                     .gpu = figure->gpu};
}
Value published_time(const Asked& asked) {
  auto rate = published_rate(asked);
  if (!rate) return rate;
  const ProblemCost cost = problem_cost(asked.facts.study->instance);
  rate->number = (rate->unit == Unit::kFlopPerSecond ? cost.flop : cost.bytes) / rate->number;
  rate->unit = Unit::kSeconds;
  return rate;
}
Value of_reference(const Asked& asked) {
  const auto known = known_time(asked);
  if (!known) return known.error();
  if (known->reference_seconds <= 0) return missing("nothing was measured beside it");
  return timed(*known, 100 * known->reference_seconds / known->seconds, Unit::kPercent);
}
Value of_bandwidth(const Asked& asked) {
  auto reached = bandwidth(asked);
  if (!reached) return reached;
  reached->number *= 100 / asked.facts.device->memory_bytes_per_second;
  reached->unit = Unit::kPercent;
  return reached;
}
Value verdict(const Asked& asked) {
  auto share = of_bandwidth(asked);
  if (share) share->word = bandwidth_verdict(share->number);
  return share;
}
template <double DeviceModel::*kMember, Unit kUnit>
Value of_device(const Asked& asked) {
  return plain((*asked.facts.device).*kMember, kUnit);
}
Value multiprocessors(const Asked& asked) { return plain(asked.facts.device->multiprocessors); }
Value peak_flop(const Asked& asked) {
  return plain(asked.facts.device->peak_fp32_flop_per_second(), Unit::kFlopPerSecond);
}

// What the hardware counted in exactly this launch, by Nsight Compute's name.
Value hardware_counter(const Asked& asked, const std::string& name) {
  const KernelInstance& instance = asked.facts.study->instance;
  std::vector<std::string> names;
  for (const KnownMeasurement& known : asked.known.of(instance, asked.facts.entry, true)) {
    const Measurement& measurement = *known.measurement;
    const auto found = measurement.result.counters.find(name);
    if (found != measurement.result.counters.end()) {
      const bool is_share = name.find("pct") != std::string::npos;
      const bool is_bytes = name.find("bytes") != std::string::npos;
      return LessonValue{.number = found->second,
                         .unit = is_share   ? Unit::kPercent
                                 : is_bytes ? Unit::kBytes
                                            : Unit::kNone,
                         .source = known.source,
                         .gpu = measurement.machine.gpu};
    }
    for (const auto& [each, value] : measurement.result.counters) names.push_back(each);
  }
  if (names.empty()) {
    return missing(fmt::format("no counters of {} at this size are recorded", instance.title),
                   "Choose a launch whose counters are in docs/results.md");
  }
  return missing(fmt::format("there is no counter {}", name), did_you_mean(name, names));
}
Value counted_by_hardware(const Asked& asked) {
  return hardware_counter(asked, std::string(asked.word));
}
// "long scoreboard" as Nsight writes it.
std::string metric_word(std::string_view words) {
  std::string metric(words);
  std::ranges::replace(metric, ' ', '_');
  return metric;
}
Value stalled(const Asked& asked) {
  return hardware_counter(asked, "smsp__average_warps_issue_stalled_" + metric_word(asked.word) +
                                     "_per_issue_active.ratio");
}
template <const char* kMetric>
Value of_hardware(const Asked& asked) {
  return hardware_counter(asked, kMetric);
}
constexpr char kIssueSlots[] = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr char kFmaPipe[] = "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active";
constexpr char kTensorPipe[] = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr char kActiveWarps[] = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr char kL1Hits[] = "l1tex__t_sector_hit_rate.pct";
constexpr char kL2Hits[] = "lts__t_sector_hit_rate.pct";

// Under its roofs.
Value roof(const Asked& asked) {
  const auto& figure = asked.facts.roofline;
  if (!figure) return missing("its time cannot be modelled");
  return LessonValue{.number = figure->allowed(),
                     .unit = figure->computes ? Unit::kFlopPerSecond : Unit::kBytesPerSecond,
                     .source = Source::kModelled,
                     .gpu = asked.facts.device->name};
}
Value roof_name(const Asked& asked) {
  if (!asked.facts.roofline) return missing("its time cannot be modelled");
  LessonValue value{.source = Source::kModelled, .gpu = asked.facts.device->name};
  switch (asked.facts.roofline->roof()) {
    case RooflineFigure::Roof::kDram:
      value.word = "DRAM bandwidth";
      break;
    case RooflineFigure::Roof::kL2:
      value.word = "L2 bandwidth";
      break;
    case RooflineFigure::Roof::kL1:
      value.word = "L1 and shared memory";
      break;
    case RooflineFigure::Roof::kPeak:
      value.word = "arithmetic";
      break;
  }
  return value;
}
Value unit_peak(const Asked& asked) {
  if (!asked.facts.roofline) return missing("its time cannot be modelled");
  if (asked.facts.roofline->peak <= 0) return missing("the peak of its units is not known");
  return plain(asked.facts.roofline->peak, Unit::kFlopPerSecond);
}

// Of one block in modelled cycles, as the pipeline view has it.
LessonValue modelled(const Asked& asked, double number, Unit unit) {
  return {
      .number = number, .unit = unit, .source = Source::kModelled, .gpu = asked.facts.device->name};
}
template <double PipelineFigure::*kMember, Unit kUnit>
Value of_pipeline(const Asked& asked) {
  if (!asked.facts.pipeline) return missing("its pipeline cannot be modelled");
  return modelled(asked, (*asked.facts.pipeline).*kMember, kUnit);
}
Value waits(const Asked& asked) {
  if (!asked.facts.pipeline) return missing("its pipeline cannot be modelled");
  std::vector<std::string> names;
  for (std::size_t i = 1; i < kStallCount; ++i) {
    names.emplace_back(name_of(static_cast<Stall>(i)));
    if (names.back() == asked.word) {
      return modelled(asked, asked.facts.pipeline->waits[i], Unit::kPercent);
    }
  }
  return missing(fmt::format("there is no stall reason '{}'", asked.word),
                 did_you_mean(std::string(asked.word), names));
}

constexpr auto kInstance = FactsDepth::kInstance;
constexpr auto kTraced = FactsDepth::kTraced;
constexpr auto kResources = FactsDepth::kResources;
constexpr auto kIssued = FactsDepth::kIssued;
constexpr auto kPipelined = FactsDepth::kPipelined;
constexpr auto kLaunch = LessonFigure::Of::kLaunch;
constexpr auto kLine = LessonFigure::Of::kLine;
constexpr auto kName = LessonFigure::Of::kName;

constexpr std::array kFigures{
    LessonFigure{"load_requests", "load requests to global memory, one per warp instruction", kLine,
                 kTraced, requests<Way::kLoads>},
    LessonFigure{"load_sectors", "sectors of 32 B that loads move from global memory", kLine,
                 kTraced, amount<Way::kLoads>},
    LessonFigure{"least_load_sectors", "the same if the lanes were coalesced", kLine, kTraced,
                 least_amount<Way::kLoads>},
    LessonFigure{"sectors_per_load", "sectors per load request", kLine, kTraced,
                 per_request<Way::kLoads>},
    LessonFigure{"load_efficiency", "bytes used of the bytes that loads move", kLine, kTraced,
                 efficiency<Way::kLoads>},
    LessonFigure{"store_requests", "store requests to global memory", kLine, kTraced,
                 requests<Way::kStores>},
    LessonFigure{"store_sectors", "sectors of 32 B that stores move to global memory", kLine,
                 kTraced, amount<Way::kStores>},
    LessonFigure{"least_store_sectors", "the same if the lanes were coalesced", kLine, kTraced,
                 least_amount<Way::kStores>},
    LessonFigure{"sectors_per_store", "sectors per store request", kLine, kTraced,
                 per_request<Way::kStores>},
    LessonFigure{"store_efficiency", "bytes used of the bytes that stores move", kLine, kTraced,
                 efficiency<Way::kStores>},
    LessonFigure{"moved_bytes", "bytes that loads and stores move, in whole sectors", kLine,
                 kTraced, moved_bytes},
    LessonFigure{"shared_load_wavefronts", "wavefronts of loads from shared memory", kLine, kTraced,
                 amount<Way::kSharedLoads>},
    LessonFigure{"wavefronts_per_load", "wavefronts per load from shared memory", kLine, kTraced,
                 per_request<Way::kSharedLoads>},
    LessonFigure{"least_wavefronts_per_load", "the same without bank conflicts", kLine, kTraced,
                 least_per_request<Way::kSharedLoads>},
    LessonFigure{"shared_store_wavefronts", "wavefronts of stores to shared memory", kLine, kTraced,
                 amount<Way::kSharedStores>},
    LessonFigure{"wavefronts_per_store", "wavefronts per store to shared memory", kLine, kTraced,
                 per_request<Way::kSharedStores>},
    LessonFigure{"least_wavefronts_per_store", "the same without bank conflicts", kLine, kTraced,
                 least_per_request<Way::kSharedStores>},
    LessonFigure{"shared_load_requests", "load requests to shared memory", kLine, kTraced,
                 requests<Way::kSharedLoads>},
    LessonFigure{"shared_store_requests", "store requests to shared memory", kLine, kTraced,
                 requests<Way::kSharedStores>},
    LessonFigure{"load_lanes", "which elements the lanes of a warp load, in words", kLine, kTraced,
                 lanes_of<Way::kLoads>},
    LessonFigure{"store_lanes", "which elements the lanes of a warp store, in words", kLine,
                 kTraced, lanes_of<Way::kStores>},
    LessonFigure{"shared_load_lanes", "the same of shared memory, with the banks", kLine, kTraced,
                 lanes_of<Way::kSharedLoads>},
    LessonFigure{"shared_store_lanes", "the same of stores to shared memory", kLine, kTraced,
                 lanes_of<Way::kSharedStores>},
    LessonFigure{"barriers", "times that a warp comes to a barrier of its block", kLine, kTraced,
                 barriers},
    LessonFigure{"divergent_branches", "branches after which lanes of a warp take different paths",
                 kLine, kTraced, divergent_branches},
    LessonFigure{"lanes_working", "lanes of 32 that work, on average over all instructions", kLine,
                 kTraced, lanes_working},
    LessonFigure{"instructions", "warp instructions of the machine code", kLine, kIssued,
                 instructions},
    LessonFigure{"blocks", "blocks of the grid", kLaunch, kInstance, blocks},
    LessonFigure{"threads", "threads of the grid", kLaunch, kInstance, threads},
    LessonFigure{"threads_per_block", "threads of a block", kLaunch, kInstance, threads_per_block},
    LessonFigure{"warps_per_block", "warps of a block", kLaunch, kInstance, warps_per_block},
    LessonFigure{"registers", "registers per thread", kLaunch, kResources, registers},
    LessonFigure{"shared_bytes", "shared memory per block", kLaunch, kResources, shared_bytes},
    LessonFigure{"blocks_per_sm", "blocks that run at the same time on one SM", kLaunch, kResources,
                 of_occupancy<&Occupancy::blocks_per_multiprocessor>},
    LessonFigure{"warps_per_sm", "warps that run at the same time on one SM", kLaunch, kResources,
                 of_occupancy<&Occupancy::warps_per_multiprocessor>},
    LessonFigure{"most_warps_per_sm", "warps that an SM has room for", kLaunch, kInstance,
                 most_warps},
    LessonFigure{"occupancy", "warps per SM in percent of those that it has room for", kLaunch,
                 kResources, occupancy_share},
    LessonFigure{"occupancy_limit", "what prevents one more block on an SM, in words", kLaunch,
                 kResources, occupancy_limit},
    LessonFigure{"bytes_in_flight", "bytes that the warps of an SM can have under way", kLaunch,
                 kResources, of_flight<&BytesInFlight::possible>},
    LessonFigure{"bytes_needed",
                 "bytes that must be under way to keep an SM's share of the memory busy", kLaunch,
                 kResources, of_flight<&BytesInFlight::needed>},
    LessonFigure{"problem_bytes", "bytes that the problem must move at the least", kLaunch,
                 kInstance, problem_bytes},
    LessonFigure{"flop", "floating-point operations of the problem", kLaunch, kInstance,
                 problem_flop},
    LessonFigure{"time", "measured on this GPU, else recorded", kLaunch, kInstance, time},
    LessonFigure{"bandwidth", "the problem's bytes per second of that time", kLaunch, kInstance,
                 bandwidth},
    LessonFigure{"rate", "the problem's operations per second of that time", kLaunch, kInstance,
                 rate},
    LessonFigure{"of_reference", "the speed in percent of the device copy's or cuBLAS's", kLaunch,
                 kInstance, of_reference},
    LessonFigure{"of_bandwidth", "the bandwidth in percent of the datasheet's", kLaunch, kInstance,
                 of_bandwidth},
    LessonFigure{"verdict", "low, okay (40 %), good (60 %) or excellent (75 %) of the bandwidth",
                 kLaunch, kInstance, verdict},
    LessonFigure{"warm_time", "its time with what fits already in L2", kLaunch, kInstance,
                 warm_time},
    LessonFigure{"fast_time", "5 % of the launches took less than this", kLaunch, kInstance,
                 of_samples<&TimeSummary::p5_seconds>},
    LessonFigure{"slow_time", "5 % of the launches took longer than this", kLaunch, kInstance,
                 of_samples<&TimeSummary::p95_seconds>},
    LessonFigure{"samples", "launches that the time is the median of", kLaunch, kInstance,
                 sample_count},
    LessonFigure{"clock", "clock of the SMs while it was measured", kLaunch, kInstance, clock_rate},
    LessonFigure{"modelled_time", "the time model's estimate", kLaunch, kIssued, modelled_time},
    LessonFigure{"sms", "multiprocessors of the GPU", kLaunch, kInstance, multiprocessors},
    LessonFigure{"peak_bandwidth", "the memory's bandwidth, of the datasheet", kLaunch, kInstance,
                 of_device<&DeviceModel::memory_bytes_per_second, Unit::kBytesPerSecond>},
    LessonFigure{"peak_rate", "FP32 operations per second at the boost clock", kLaunch, kInstance,
                 peak_flop},
    LessonFigure{"published_time", "what a course text published of the same step on its GPU",
                 kLaunch, kInstance, published_time},
    LessonFigure{"published_rate", "the same as operations or bytes per second", kLaunch, kInstance,
                 published_rate},
    LessonFigure{"roof", "the lowest of the roofline's roofs over it", kLaunch, kIssued, roof},
    LessonFigure{"roof_name", "what that roof is, in words", kLaunch, kIssued, roof_name},
    LessonFigure{"unit_peak",
                 "operations per second of the units it computes with, tensor cores or FP32",
                 kLaunch, kIssued, unit_peak},
    LessonFigure{"stalled",
                 "cycles per instruction that warps wait for this reason, by the hardware's "
                 "counters: stalled(\"long scoreboard\")",
                 kName, kInstance, stalled},
    LessonFigure{
        "counted",
        "a hardware counter by Nsight Compute's name: counted(\"smsp__inst_executed.sum\")", kName,
        kInstance, counted_by_hardware},
    LessonFigure{"issue_slots_used",
                 "cycles in which a scheduler issues, by the hardware's counters", kLaunch,
                 kInstance, of_hardware<kIssueSlots>},
    LessonFigure{"fma_pipe_used", "of the FMA units' rate, by the hardware's counters", kLaunch,
                 kInstance, of_hardware<kFmaPipe>},
    LessonFigure{"tensor_pipe_used", "of the tensor cores' cycles, by the hardware's counters",
                 kLaunch, kInstance, of_hardware<kTensorPipe>},
    LessonFigure{"active_warps",
                 "warps on an SM in percent of its room, by the hardware's counters", kLaunch,
                 kInstance, of_hardware<kActiveWarps>},
    LessonFigure{"l1_hits", "sectors found in L1, by the hardware's counters", kLaunch, kInstance,
                 of_hardware<kL1Hits>},
    LessonFigure{"l2_hits", "sectors found in L2, by the hardware's counters", kLaunch, kInstance,
                 of_hardware<kL2Hits>},
    LessonFigure{
        "waits",
        "the warps' time that they wait for this reason, by the model: waits(\"long scoreboard\")",
        kName, kPipelined, waits},
    LessonFigure{"copy_cycles", "cycles until a tile is in shared memory", kLaunch, kPipelined,
                 of_pipeline<&PipelineFigure::copy_cycles, Unit::kCycles>},
    LessonFigure{"use_cycles", "cycles that a tile is used", kLaunch, kPipelined,
                 of_pipeline<&PipelineFigure::use_cycles, Unit::kCycles>},
    LessonFigure{"copies_in_flight", "copies of tiles under way at once, on average", kLaunch,
                 kPipelined, of_pipeline<&PipelineFigure::in_flight, Unit::kNone>},
};

}  // namespace

std::span<const LessonFigure> lesson_figures() { return kFigures; }

}  // namespace tilescope
