#include "cli/tune_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/opened_file.h"
#include "analysis/time/time_model.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "cli/options.h"
#include "cli/progress_line.h"
#include "cli/run_report.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/parameter_space.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct TuneArguments {
  KernelArguments kernel;
  bool by_model = false;
  std::size_t most = 1000;
  int best = 10;
  bool json = false;
};

// One combination, with its modelled time.
struct Candidate {
  KernelInstance instance;
  double seconds = 0;
  TimeBounds bounds;
  std::string why_not;  // no time can be modelled: a sentence
};

// Every legal combination of the parameters that the user did not fix.
Result<std::vector<Candidate>> candidates_of(const TuneArguments& arguments,
                                             const KernelInstance& start,
                                             const CatalogueEntry& entry,
                                             const DeviceModel& device) {
  const auto fixed = parse_parameters(arguments.kernel.parameters);
  if (!fixed) return fixed.error();
  std::set<std::string> explored;
  for (const auto& spec : entry.parameters) {
    if (!fixed->contains(spec.name)) explored.insert(spec.name);
  }
  const auto space = parameter_space(entry, start.parameters, explored, start.extents, device,
                                     arguments.most, std::stop_token());
  if (!space) return space.error();
  if (!space->complete) {
    return usage(fmt::format("there are more than {} legal combinations", arguments.most),
                 "Fix parameters with -p NAME=VALUE, or allow more with --most");
  }
  std::vector<Candidate> candidates;
  for (const std::vector<std::int64_t>& set : space->sets) {
    ParameterSet parameters;
    for (std::size_t i = 0; i < set.size(); ++i) parameters[entry.parameters[i].name] = set[i];
    auto instance = instantiate(entry, parameters, start.extents, device);
    if (!instance) return instance.error();
    if (Status set_them = set_factors(factors_of(start), &*instance); !set_them) {
      return set_them.error();
    }
    candidates.push_back({*std::move(instance), 0, {}, {}});
  }
  return candidates;
}

// Models all of them, several at once, and puts the fastest first; what cannot be modelled is last.
void rank(std::vector<Candidate>& candidates, const DeviceModel& device) {
  InputCache inputs;
  ProgressLine progress(candidates.size());
  for_each_parallel(candidates.size(), processor_count(), [&](std::size_t i) {
    Candidate& candidate = candidates[i];
    StudyRequest request;
    request.instance = candidate.instance;
    request.inputs = &inputs;
    request.compute_capability = device.compute_capability;
    if (const auto time = modelled_time(request, device, {})) {
      candidate.seconds = time->seconds;
      candidate.bounds = time->bounds;
    } else {
      candidate.why_not = to_string(time.error());
    }
    progress.step(point_text(candidate.instance.parameters, {}));
  });
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.why_not.empty() != b.why_not.empty()) return a.why_not.empty();
    return a.seconds < b.seconds;
  });
}

// The part of the GPU whose time the winner shortens most, beside the start.
Limit most_saved(const TimeBounds& start, const TimeBounds& winner) {
  std::size_t most = 0;
  for (std::size_t i = 1; i < kLimits; ++i) {
    if (start.seconds[i] - winner.seconds[i] > start.seconds[most] - winner.seconds[most]) most = i;
  }
  return static_cast<Limit>(most);
}

// Starting the launch may take longest of all.
std::string limit_of(const TimeBounds& bounds) {
  const Limit first = bounds.first();
  const bool is_launch = bounds.launch > bounds[first];
  return fmt::format("{} ({})", is_launch ? "the time of a launch" : name_of(first),
                     format(is_launch ? bounds.launch : bounds[first], Unit::kSeconds));
}

std::string why_it_wins(const Candidate& winner, const Candidate* start) {
  std::string text = fmt::format("The first is limited by {}.", limit_of(winner.bounds));
  if (start == nullptr || !start->why_not.empty()) return text;
  if (start->seconds <= winner.seconds) return text + " No combination beats the start.";
  text += fmt::format(" It takes {:.2f} of the start's time", winner.seconds / start->seconds);
  const Limit saved = most_saved(start->bounds, winner.bounds);
  if (start->bounds[saved] <= winner.bounds[saved]) return text + ".";
  return text + fmt::format("; what shrinks most is {}: from {} to {}.", name_of(saved),
                            format(start->bounds[saved], Unit::kSeconds),
                            format(winner.bounds[saved], Unit::kSeconds));
}

json json_of(const Candidate& candidate) {
  json row = {{"parameters", candidate.instance.parameters}};
  if (!candidate.why_not.empty()) {
    row["why_not"] = candidate.why_not;
    return row;
  }
  row["modelled_seconds"] = candidate.seconds;
  row["limited_by"] = name_of(candidate.bounds.first());
  return row;
}

void print_table(const std::vector<Candidate>& ranked, int best) {
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const Candidate& candidate = ranked[i];
    if (static_cast<int>(i) >= best) {
      print_out("      and {} more: --best lists them\n", ranked.size() - i);
      return;
    }
    const std::string point =
        point_text(candidate.instance.parameters, factors_of(candidate.instance));
    if (!candidate.why_not.empty()) {
      print_out("{} {:>3} {:>11}  {}  {}\n", marker_of(Source::kModelled), i + 1, "–", point,
                candidate.why_not);
    } else {
      print_out("{} {:>3} {:>11}  {}\n", marker_of(Source::kModelled), i + 1,
                format(candidate.seconds, Unit::kSeconds), point);
    }
  }
}

int tune(const TuneArguments& arguments) {
  end_at_signals();
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const std::string& kernel = arguments.kernel.kernel_or_file;
  if (can_be_opened(kernel)) {
    return report(
        usage(fmt::format("{}: only kernels of the catalogue have parameters to tune", kernel),
              "'tilescope list' shows them"));
  }
  int capability = 0;
  const auto start = resolve_instance(arguments.kernel, &capability);
  if (!start) return report(start.error());
  const CatalogueEntry* entry = resources->catalogue.find(start->id);
  if (entry == nullptr) return report(usage(fmt::format("{} is no kernel", kernel)));
  const DeviceModel& device = device_model_for(resources->devices, capability);
  auto candidates = candidates_of(arguments, *start, *entry, device);
  if (!candidates) return report(candidates.error());
  rank(*candidates, device);
  const auto same = std::ranges::find_if(*candidates, [&](const Candidate& candidate) {
    return candidate.instance.parameters == start->parameters;
  });
  if (candidates->empty() || !candidates->front().why_not.empty()) {
    return report({ErrorCode::kKernel,
                   "no combination's time could be modelled",
                   candidates->empty() ? "" : candidates->front().why_not,
                   {}});
  }
  const std::string why =
      why_it_wins(candidates->front(), same == candidates->end() ? nullptr : &*same);
  if (arguments.json) {
    json encoded = {{"kernel", start->id},
                    {"size", start->extents},
                    {"gpu", device.name},
                    {"why", why},
                    {"ranked", json::array()}};
    for (const Candidate& candidate : *candidates) encoded["ranked"].push_back(json_of(candidate));
    print_out("{}\n", encoded.dump(2));
    return 0;
  }
  print_out("{} {}, {} combinations modelled on {}\n", start->id, size_of(*start),
            candidates->size(), device.name);
  print_table(*candidates, arguments.best);
  print_out("{}\n", why);
  return 0;
}

}  // namespace

void add_tune_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App* command = app.add_subcommand(
      "tune", "rank all legal combinations of a kernel's parameters; needs no GPU");
  add_kernel_options(*command, arguments->kernel);
  command->footer("-p NAME=VALUE fixes a parameter; the others take every value of theirs.");
  command->add_flag("--model", arguments->by_model, "rank by the time model")->required();
  command->add_option("--most", arguments->most, "combinations that are modelled at the most")
      ->check(between(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--best", arguments->best, "lines of the table")
      ->check(between(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "output JSON, of every combination");
  command->callback([arguments, &context] { context.status = tune(*arguments); });
}

}  // namespace tilescope
