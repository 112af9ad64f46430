#include "session/lesson_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "analysis/memory/counters.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/time/study_depth.h"
#include "analysis/time/verdicts.h"
#include "core/text.h"
#include "scene/model/prepared.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/view/telling_selection.h"
#include "session/document.h"
#include "session/lane_addresses.h"
#include "session/lesson_launch.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostLaunches = 64;
constexpr double kSectorBytes = 32;

using Asked = LessonFigure::Asked;
using Value = Result<LessonValue>;

Error missing(std::string message, std::string remedy = {}) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

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
  return plain(static_cast<double>(asked.facts.study->launch.grid.count()));
}
Value threads_per_block(const Asked& asked) {
  return plain(static_cast<double>(asked.facts.study->launch.block.count()));
}
Value warps_per_block(const Asked& asked) {
  return plain(static_cast<double>((asked.facts.study->launch.block.count() + 31) / 32));
}
Value threads(const Asked& asked) {
  const Launch& launch = asked.facts.study->launch;
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
Value modelled_time(const Asked& asked) {
  if (!asked.facts.modelled_seconds) return missing("its time cannot be modelled");
  return LessonValue{.number = *asked.facts.modelled_seconds,
                     .unit = Unit::kSeconds,
                     .source = Source::kModelled,
                     .gpu = asked.facts.study->device->name};
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
Value of_reference(const Asked& asked) {
  const auto known = known_time(asked);
  if (!known) return known.error();
  if (known->reference_seconds <= 0) return missing("nothing was measured beside it");
  return timed(*known, 100 * known->reference_seconds / known->seconds, Unit::kPercent);
}
Value of_bandwidth(const Asked& asked) {
  auto reached = bandwidth(asked);
  if (!reached) return reached;
  const auto& device = asked.facts.study->device;
  if (device == nullptr) return missing("its device is not known");
  reached->number *= 100 / device->memory_bytes_per_second;
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
  return plain((*asked.facts.study->device).*kMember, kUnit);
}
Value multiprocessors(const Asked& asked) {
  return plain(asked.facts.study->device->multiprocessors);
}
Value peak_flop(const Asked& asked) {
  return plain(asked.facts.study->device->peak_fp32_flop_per_second(), Unit::kFlopPerSecond);
}

constexpr auto kTraced = FactsDepth::kTraced;
constexpr auto kResources = FactsDepth::kResources;
constexpr auto kIssued = FactsDepth::kIssued;

constexpr std::array kFigures{
    LessonFigure{"load_requests", "load requests to global memory, one per warp instruction", true,
                 kTraced, requests<Way::kLoads>},
    LessonFigure{"load_sectors", "sectors of 32 B that loads move from global memory", true,
                 kTraced, amount<Way::kLoads>},
    LessonFigure{"least_load_sectors", "the same if the lanes were coalesced", true, kTraced,
                 least_amount<Way::kLoads>},
    LessonFigure{"sectors_per_load", "sectors per load request", true, kTraced,
                 per_request<Way::kLoads>},
    LessonFigure{"load_efficiency", "bytes used of the bytes that loads move", true, kTraced,
                 efficiency<Way::kLoads>},
    LessonFigure{"store_requests", "store requests to global memory", true, kTraced,
                 requests<Way::kStores>},
    LessonFigure{"store_sectors", "sectors of 32 B that stores move to global memory", true,
                 kTraced, amount<Way::kStores>},
    LessonFigure{"least_store_sectors", "the same if the lanes were coalesced", true, kTraced,
                 least_amount<Way::kStores>},
    LessonFigure{"sectors_per_store", "sectors per store request", true, kTraced,
                 per_request<Way::kStores>},
    LessonFigure{"store_efficiency", "bytes used of the bytes that stores move", true, kTraced,
                 efficiency<Way::kStores>},
    LessonFigure{"moved_bytes", "bytes that loads and stores move, in whole sectors", true, kTraced,
                 moved_bytes},
    LessonFigure{"shared_load_wavefronts", "wavefronts of loads from shared memory", true, kTraced,
                 amount<Way::kSharedLoads>},
    LessonFigure{"wavefronts_per_load", "wavefronts per load from shared memory", true, kTraced,
                 per_request<Way::kSharedLoads>},
    LessonFigure{"least_wavefronts_per_load", "the same without bank conflicts", true, kTraced,
                 least_per_request<Way::kSharedLoads>},
    LessonFigure{"shared_store_wavefronts", "wavefronts of stores to shared memory", true, kTraced,
                 amount<Way::kSharedStores>},
    LessonFigure{"wavefronts_per_store", "wavefronts per store to shared memory", true, kTraced,
                 per_request<Way::kSharedStores>},
    LessonFigure{"least_wavefronts_per_store", "the same without bank conflicts", true, kTraced,
                 least_per_request<Way::kSharedStores>},
    LessonFigure{"shared_load_requests", "load requests to shared memory", true, kTraced,
                 requests<Way::kSharedLoads>},
    LessonFigure{"shared_store_requests", "store requests to shared memory", true, kTraced,
                 requests<Way::kSharedStores>},
    LessonFigure{"load_lanes", "which elements the lanes of a warp load, in words", true, kTraced,
                 lanes_of<Way::kLoads>},
    LessonFigure{"store_lanes", "which elements the lanes of a warp store, in words", true, kTraced,
                 lanes_of<Way::kStores>},
    LessonFigure{"shared_load_lanes", "the same of shared memory, with the banks", true, kTraced,
                 lanes_of<Way::kSharedLoads>},
    LessonFigure{"shared_store_lanes", "the same of stores to shared memory", true, kTraced,
                 lanes_of<Way::kSharedStores>},
    LessonFigure{"divergent_branches", "branches after which lanes of a warp take different paths",
                 true, kTraced, divergent_branches},
    LessonFigure{"barriers", "times that a warp comes to a barrier of its block", true, kTraced,
                 barriers},
    LessonFigure{"lanes_working", "lanes of 32 that work, on average over all instructions", true,
                 kTraced, lanes_working},
    LessonFigure{"instructions", "warp instructions of the machine code", true, kIssued,
                 instructions},
    LessonFigure{"blocks", "blocks of the grid", false, kTraced, blocks},
    LessonFigure{"threads", "threads of the grid", false, kTraced, threads},
    LessonFigure{"threads_per_block", "threads of a block", false, kTraced, threads_per_block},
    LessonFigure{"warps_per_block", "warps of a block", false, kTraced, warps_per_block},
    LessonFigure{"registers", "registers per thread", false, kResources, registers},
    LessonFigure{"shared_bytes", "shared memory per block", false, kResources, shared_bytes},
    LessonFigure{"blocks_per_sm", "blocks that run at the same time on one SM", false, kResources,
                 of_occupancy<&Occupancy::blocks_per_multiprocessor>},
    LessonFigure{"warps_per_sm", "warps that run at the same time on one SM", false, kResources,
                 of_occupancy<&Occupancy::warps_per_multiprocessor>},
    LessonFigure{"most_warps_per_sm", "warps that an SM has room for", false, kResources,
                 of_occupancy<&Occupancy::max_warps_per_multiprocessor>},
    LessonFigure{"occupancy", "warps per SM in percent of those that it has room for", false,
                 kResources, occupancy_share},
    LessonFigure{"occupancy_limit", "what prevents one more block on an SM, in words", false,
                 kResources, occupancy_limit},
    LessonFigure{"bytes_in_flight", "bytes that the warps of an SM can have under way", false,
                 kResources, of_flight<&BytesInFlight::possible>},
    LessonFigure{"bytes_needed",
                 "bytes that must be under way to keep an SM's share of the memory busy", false,
                 kResources, of_flight<&BytesInFlight::needed>},
    LessonFigure{"problem_bytes", "bytes that the problem must move at the least", false, kTraced,
                 problem_bytes},
    LessonFigure{"flop", "floating-point operations of the problem", false, kTraced, problem_flop},
    LessonFigure{"time", "measured on this GPU, else recorded", false, kTraced, time},
    LessonFigure{"bandwidth", "the problem's bytes per second of that time", false, kTraced,
                 bandwidth},
    LessonFigure{"rate", "the problem's operations per second of that time", false, kTraced, rate},
    LessonFigure{"of_reference", "the speed in percent of the device copy's or cuBLAS's", false,
                 kTraced, of_reference},
    LessonFigure{"of_bandwidth", "the bandwidth in percent of the datasheet's", false, kResources,
                 of_bandwidth},
    LessonFigure{"verdict", "low, okay (40 %), good (60 %) or excellent (75 %) of the bandwidth",
                 false, kResources, verdict},
    LessonFigure{"modelled_time", "the time model's estimate", false, kIssued, modelled_time},
    LessonFigure{"sms", "multiprocessors of the GPU", false, kResources, multiprocessors},
    LessonFigure{"peak_bandwidth", "the memory's bandwidth, of the datasheet", false, kResources,
                 of_device<&DeviceModel::memory_bytes_per_second, Unit::kBytesPerSecond>},
    LessonFigure{"peak_rate", "FP32 operations per second at the boost clock", false, kResources,
                 peak_flop},
};

const LessonFigure* find_figure(std::string_view name) {
  const auto* found = std::ranges::find(kFigures, name, &LessonFigure::name);
  return found != kFigures.end() ? found : nullptr;
}

void add_uses(const LessonParagraph& paragraph, const std::string& shown,
              std::vector<LessonUse>* uses) {
  for (const LessonRun& run : paragraph) {
    if (run.kind == LessonRun::Kind::kValue) uses->push_back({&run.value, shown, run.line});
  }
}

// As deep as one of the lesson's expressions asks for this launch.
FactsDepth depth_of(const Lesson& lesson, const LessonLaunch& launch) {
  FactsDepth depth = FactsDepth::kTraced;
  for (const LessonUse& use : expressions_of(lesson)) {
    for (const LessonQuantity& quantity : use.expression->quantities()) {
      const std::string& of = quantity.launch.empty() ? use.shown : quantity.launch;
      const LessonFigure* figure = find_figure(quantity.name);
      if (of == launch.name && figure != nullptr) depth = std::max(depth, figure->depth);
    }
  }
  return depth;
}

// The same launch of two lessons is studied once.
std::string key_of(const Lesson& lesson, const LessonLaunch& launch, FactsDepth depth) {
  std::string key = fmt::format("{} {} {}", static_cast<int>(depth), launch.kernel,
                                lesson.file.parent_path().string());
  for (const auto& [name, value] : launch.values) key += fmt::format(" {}={}", name, value);
  return key;
}

// Without the trace, which is large and was used.
LaunchFacts to_be_kept(LaunchFacts facts) {
  auto kept = std::make_shared<KernelStudy>(*facts.study);
  kept->trace = nullptr;
  kept->timeline = nullptr;
  kept->pipeline = nullptr;
  kept->memory = nullptr;
  facts.study = std::move(kept);
  return facts;
}

Result<LaunchFacts> study_launch(const VariantDocument& variant, const Catalogue& catalogue,
                                 const DeviceModel& device, FactsDepth depth, unsigned workers,
                                 const std::stop_token& stop) {
  auto instance = instance_of(variant, catalogue, device);
  if (!instance) return std::move(instance).error();
  auto facts = launch_facts(*std::move(instance), device, depth, workers, stop);
  if (!facts) return facts;
  facts->entry = catalogue.find(variant.kernel);
  return to_be_kept(*std::move(facts));
}

constexpr std::string_view kNotYet = "it is being computed";

bool is_under_way(const Error& error) {
  return error.code == ErrorCode::kCancelled && error.message == kNotYet;
}

}  // namespace

Result<LaunchFacts> launch_facts(KernelInstance instance, const DeviceModel& device,
                                 FactsDepth depth, unsigned workers, const std::stop_token& stop) {
  StudyRequest request;
  request.block = telling_block(instance.grid);
  request.instance = std::move(instance);
  request.compute_capability = device.compute_capability;
  request.workers = workers;
  auto study = study_block(request, stop);
  if (study && depth >= FactsDepth::kResources) study = with_resources(*study, device, stop);
  if (study && depth >= FactsDepth::kIssued) {
    study = with_depth(*study, {.issued = true, .workers = workers}, stop);
  }
  if (!study) return std::move(study).error();
  LaunchFacts facts;
  facts.study = *study;
  const auto prepared = prepare(**study);
  facts.accesses = line_accesses(**study, *prepared);
  if (depth >= FactsDepth::kResources) {
    ViewContext context;
    context.study = study->get();
    context.prepared = prepared;
    const auto picture = occupancy_picture(context);
    if (picture && picture->flight.possible > 0) facts.flight = picture->flight;
  }
  if (depth >= FactsDepth::kIssued) {
    if (const auto diagnosis = diagnose(**study)) {
      facts.modelled_seconds = diagnosis->bounds.total();
    }
  }
  return facts;
}

Result<LessonValue> figure_value(const LessonQuantity& quantity, const LaunchFacts& facts,
                                 const KnownMeasurements& known) {
  const KernelInstance& instance = facts.study->instance;
  for (const ParameterSet* set : {&instance.parameters, &instance.extents}) {
    const auto found = set->find(quantity.name);
    if (found != set->end()) return plain(static_cast<double>(found->second));
  }
  const LessonFigure* figure = find_figure(quantity.name);
  if (figure == nullptr) {
    std::vector<std::string> names;
    for (const LessonFigure& each : kFigures) names.emplace_back(each.name);
    return missing(fmt::format("there is no quantity {}", quantity.name),
                   did_you_mean(quantity.name, names));
  }
  LessonFigure::Asked asked{facts, 0, known};
  if (!quantity.source_line.empty()) {
    if (!figure->of_a_line) {
      return missing(fmt::format("{} is of a whole launch", quantity.name), "Leave out the line");
    }
    const auto line = find_source_line(instance.source, quantity.source_line);
    if (!line) return line.error();
    asked.line = *line;
  }
  return figure->value(asked);
}

FactsDepth depth_of(const LessonExpression& expression) {
  FactsDepth depth = FactsDepth::kTraced;
  for (const LessonQuantity& quantity : expression.quantities()) {
    const LessonFigure* figure = find_figure(quantity.name);
    if (figure != nullptr) depth = std::max(depth, figure->depth);
  }
  return depth;
}

std::span<const LessonFigure> lesson_figures() { return kFigures; }

std::vector<LessonUse> expressions_of(const Lesson& lesson) {
  std::vector<LessonUse> uses;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const std::string before = scene_at(lesson, i, false)->launch;
    const std::string after = scene_at(lesson, i, true)->launch;
    for (const LessonParagraph& each : step.text) add_uses(each, before, &uses);
    if (step.question) {
      for (const LessonQuestion::Choice& choice : step.question->choices) {
        add_uses(choice.words, after, &uses);
      }
      if (step.question->number) {
        uses.push_back({&*step.question->number, after, step.question->line});
      }
    }
    for (const LessonParagraph& each : step.answer) add_uses(each, after, &uses);
    for (const LessonClaim& claim : step.claims) {
      uses.push_back({&claim.condition, after, claim.line});
    }
  }
  return uses;
}

LessonFigures::LessonFigures(const Catalogue& catalogue, DeviceModel device, RunJob run,
                             unsigned workers)
    : catalogue_(catalogue),
      device_(std::move(device)),
      workers_(workers),
      facts_(std::move(run), kMostLaunches) {}

Result<std::shared_ptr<const LaunchFacts>> LessonFigures::facts(const Lesson& lesson,
                                                                const LessonLaunch& launch) {
  const FactsDepth depth = depth_of(lesson, launch);
  const std::string key = key_of(lesson, launch, depth);
  if (auto known = facts_.find(key)) return known;
  auto variant = variant_of(lesson, launch, catalogue_, device_);
  if (!variant) return std::move(variant).error();
  return facts_.get(key, "lesson " + key, [&] {
    return [variant = *variant, this_catalogue = &catalogue_, device = device_, depth,
            workers = workers_](const std::stop_token& stop) {
      return study_launch(variant, *this_catalogue, device, depth, workers, stop);
    };
  });
}

LessonLookup LessonFigures::lookup(const Lesson& lesson, const std::string& shown,
                                   const KnownMeasurements& known) {
  return [this, &lesson, shown, &known](const LessonQuantity& quantity) -> Result<LessonValue> {
    const std::string& name = quantity.launch.empty() ? shown : quantity.launch;
    const LessonLaunch* launch = lesson.launch(name);
    if (launch == nullptr) {
      std::vector<std::string> names;
      for (const LessonLaunch& each : lesson.launches) names.push_back(each.name);
      return missing(fmt::format("the head names no launch '{}'", name), did_you_mean(name, names));
    }
    const auto there = facts(lesson, *launch);
    if (!there) return there.error();
    if (*there == nullptr) return Error{ErrorCode::kCancelled, std::string(kNotYet), "", {}};
    return figure_value(quantity, **there, known);
  };
}

LessonFigures::Value LessonFigures::value(const Lesson& lesson, const std::string& shown,
                                          const LessonExpression& expression,
                                          const KnownMeasurements& known) {
  auto value = expression.evaluate(lookup(lesson, shown, known));
  if (value) return std::optional(*std::move(value));
  if (is_under_way(value.error())) return std::optional<LessonValue>();
  return std::move(value).error();
}

LessonFigures::Compared LessonFigures::compare(const Lesson& lesson, const std::string& shown,
                                               const LessonExpression& condition,
                                               const KnownMeasurements& known) {
  auto compared = condition.compare(lookup(lesson, shown, known));
  if (compared) return std::optional(*std::move(compared));
  if (is_under_way(compared.error())) return std::optional<LessonExpression::Compared>();
  return std::move(compared).error();
}

void LessonFigures::prepare(const Lesson& lesson) {
  std::set<std::string> asked;
  for (const LessonUse& use : expressions_of(lesson)) {
    for (const LessonQuantity& quantity : use.expression->quantities()) {
      const std::string& name = quantity.launch.empty() ? use.shown : quantity.launch;
      const LessonLaunch* launch = lesson.launch(name);
      if (launch == nullptr || !asked.insert(name).second) continue;
      (void)facts(lesson, *launch);  // what cannot be studied is said where it is shown
    }
  }
}

}  // namespace tilescope
