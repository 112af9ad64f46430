#include "cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <map>
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
#include "cli/gpu_session.h"
#include "cli/interrupt.h"
#include "cli/kernel_arguments.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/point_sweep.h"
#include "cli/progress_line.h"
#include "cli/run_report.h"
#include "cli/worker_options.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "gpu/gpu_device.h"
#include "kernel/launch/gemm_factors.h"
#include "kernel/launch/parameter_space.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct TuneArguments {
  KernelArguments kernel;
  bool by_model = false;
  bool on_gpu = false;
  double share = 5;  // percent of the combinations that are measured
  TimingOptions timing;
  WorkerOptions workers;
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

std::string why_it_wins(const Candidate& winner, const Candidate* start,
                        const MachineRates& rates) {
  std::string text = fmt::format("The first is limited by {}.", limit_of(winner.bounds));
  if (range_of(winner.bounds, rates)) {
    text += fmt::format(" It takes {}.", time_words(winner.bounds, rates));
  }
  if (start == nullptr || !start->why_not.empty()) return text;
  if (start->seconds <= winner.seconds) return text + " No combination beats the start.";
  text += fmt::format(" It takes {:.2f} of the start's time", winner.seconds / start->seconds);
  const Limit saved = most_saved(start->bounds, winner.bounds);
  if (start->bounds[saved] <= winner.bounds[saved]) return text + ".";
  return text + fmt::format("; what shrinks most is {}: from {} to {}.", name_of(saved),
                            format(start->bounds[saved], Unit::kSeconds),
                            format(winner.bounds[saved], Unit::kSeconds));
}

json json_of(const Candidate& candidate, const MachineRates& rates) {
  json row = {{"parameters", candidate.instance.parameters}};
  if (!candidate.why_not.empty()) {
    row["why_not"] = candidate.why_not;
    return row;
  }
  row["modelled_seconds"] = candidate.seconds;
  row["limited_by"] = name_of(candidate.bounds.first());
  if (const auto range = range_of(candidate.bounds, rates)) {
    row["range"] = {{"least_seconds", range->least}, {"most_seconds", range->most}};
  }
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

// The kernel's starting point, and what is tuned.
struct Task {
  KernelInstance start;
  const CatalogueEntry* entry = nullptr;
  int compute_capability = 0;
};

Result<Task> task_of(const KernelArguments& arguments, const Catalogue& catalogue) {
  const std::string& kernel = arguments.kernel_or_file;
  if (can_be_opened(kernel)) {
    return usage(fmt::format("{}: only kernels of the catalogue have parameters to tune", kernel),
                 "'tilescope list' shows them");
  }
  Task task;
  auto start = resolve_instance(arguments, &task.compute_capability);
  if (!start) return start.error();
  task.start = *std::move(start);
  task.entry = catalogue.find(task.start.id);
  if (task.entry == nullptr) return usage(fmt::format("{} is no kernel", kernel));
  return task;
}

// Every legal combination, the fastest by the model first; an error where none could be modelled.
Result<std::vector<Candidate>> ranked_candidates(const TuneArguments& arguments, const Task& task,
                                                 const DeviceModel& device) {
  auto candidates = candidates_of(arguments, task.start, *task.entry, device);
  if (!candidates) return candidates.error();
  rank(*candidates, device);
  if (!candidates->empty() && candidates->front().why_not.empty()) return candidates;
  return Error{ErrorCode::kKernel,
               "no combination's time could be modelled",
               candidates->empty() ? "" : candidates->front().why_not,
               {}};
}

const Candidate* find(const std::vector<Candidate>& candidates, const ParameterSet& parameters) {
  const auto same = std::ranges::find_if(candidates, [&](const Candidate& candidate) {
    return candidate.instance.parameters == parameters;
  });
  return same == candidates.end() ? nullptr : &*same;
}

int tune_by_model(const TuneArguments& arguments, const Task& task,
                  const std::vector<DeviceModel>& devices) {
  const DeviceModel& device = device_model_for(devices, task.compute_capability);
  const auto candidates = ranked_candidates(arguments, task, device);
  if (!candidates) return report(candidates.error());
  const KernelInstance& start = task.start;
  const MachineRates rates = rates_of(device);
  const std::string why =
      why_it_wins(candidates->front(), find(*candidates, start.parameters), rates);
  if (arguments.json) {
    json encoded = {{"kernel", start.id},
                    {"size", start.extents},
                    {"gpu", device.name},
                    {"why", why},
                    {"ranked", json::array()}};
    for (const Candidate& candidate : *candidates) {
      encoded["ranked"].push_back(json_of(candidate, rates));
    }
    print_out("{}\n", encoded.dump(2));
    return 0;
  }
  print_out("{} {}, {} combinations modelled on {}\n", start.id, size_of(start), candidates->size(),
            name_with_calibration(device));
  print_table(*candidates, arguments.best);
  print_out("{}\n", why);
  return 0;
}

// The first `share` percent of what can be modelled, at least one, and the start.
std::vector<KernelInstance> worth_measuring(const std::vector<Candidate>& ranked, double share,
                                            const ParameterSet& start) {
  const auto wanted = static_cast<std::size_t>(
      std::max(1.0, std::floor(share / 100 * static_cast<double>(ranked.size()))));
  std::vector<KernelInstance> chosen;
  for (std::size_t i = 0; i < ranked.size() && ranked[i].why_not.empty(); ++i) {
    if (i < wanted || ranked[i].instance.parameters == start) chosen.push_back(ranked[i].instance);
  }
  return chosen;
}

// What was measured on one kind of GPU, the fastest first.
void print_measured(const TuneArguments& arguments, const Task& task, const std::string& gpu,
                    const std::vector<Candidate>& ranked,
                    const std::vector<PointSweep::Row>& rows) {
  std::vector<const Measurement*> runs;
  for (const auto& row : rows) {
    if (row.run.machine.gpu == gpu) runs.push_back(&row.run);
  }
  const auto seconds = [](const Measurement* run) { return run->result.kernel.median_seconds; };
  std::ranges::stable_sort(runs, {}, seconds);
  const auto start = std::ranges::find(runs, task.start.parameters,
                                       [](const Measurement* run) { return run->of.parameters; });
  const auto modelled = [&](const Measurement* run) {
    const Candidate* candidate = find(ranked, run->of.parameters);
    return candidate == nullptr ? 0 : candidate->seconds;
  };
  if (arguments.json) {
    json encoded = {{"kernel", task.start.id},
                    {"size", task.start.extents},
                    {"gpu", gpu},
                    {"combinations", ranked.size()},
                    {"measured", json::array()}};
    for (const Measurement* run : runs) {
      encoded["measured"].push_back({{"parameters", run->of.parameters},
                                     {"seconds", seconds(run)},
                                     {"modelled_seconds", modelled(run)},
                                     {"worker", run->worker}});
    }
    print_out("{}\n", encoded.dump(2));
    return;
  }
  print_out("{} {}, {} of {} combinations measured on {}; beside each, what was modelled\n",
            task.start.id, size_of(task.start), runs.size(), ranked.size(), gpu);
  for (std::size_t i = 0; i < runs.size() && static_cast<int>(i) < arguments.best; ++i) {
    print_out("{} {:>3} {:>11}{} {} {:>11}  {}\n", marker_of(Source::kMeasured), i + 1,
              format(seconds(runs[i]), Unit::kSeconds), doubt_mark(runs[i]->result.conditions),
              marker_of(Source::kModelled), format(modelled(runs[i]), Unit::kSeconds),
              point_text(runs[i]->of.parameters, runs[i]->of.factors));
  }
  if (start != runs.end() && start != runs.begin()) {
    print_out("The first takes {:.2f} of the start's time ({}).\n",
              seconds(runs.front()) / seconds(*start), format(seconds(*start), Unit::kSeconds));
  } else if (start != runs.end()) {
    print_out("None of them beats the start.\n");
  }
}

// The model chooses, on each kind of GPU, what is measured there.
int tune_on_gpu(const TuneArguments& arguments, const Task& task,
                const std::vector<DeviceModel>& devices) {
  const Interrupt interrupt;
  std::map<std::string, std::vector<Candidate>> ranked;  // by GPU
  const auto points_for = [&](const DeviceInfo& info) -> Result<std::vector<KernelInstance>> {
    auto candidates = ranked_candidates(arguments, task, model_of(info, devices));
    if (!candidates) return candidates.error();
    auto chosen = worth_measuring(*candidates, arguments.share, task.start.parameters);
    ranked[info.name] = *std::move(candidates);
    return chosen;
  };
  WorkerPool pool(worker_sources(arguments.workers, arguments.most));
  PointSweep sweep(pool, {arguments.timing, false, false}, points_for, interrupt);
  const int status = sweep.run();
  for (const auto& [gpu, candidates] : ranked) {
    print_measured(arguments, task, gpu, candidates, sweep.rows());
  }
  return status;
}

int tune(const TuneArguments& arguments) {
  const bool on_gpu = arguments.on_gpu || arguments.workers.any();
  if (on_gpu == arguments.by_model) {
    return report(usage(on_gpu ? "either the model ranks or a GPU" : "it is not said how to rank",
                        "Give --model, or --gpu to measure what the model puts first"));
  }
  if (on_gpu) {
    end_at_signals({SIGTERM});
  } else {
    end_at_signals();
  }
  const auto& resources = load_resources();
  if (!resources) return report(resources.error());
  const auto task = task_of(arguments.kernel, resources->catalogue);
  if (!task) return report(task.error());
  return on_gpu ? tune_on_gpu(arguments, *task, resources->devices)
                : tune_by_model(arguments, *task, resources->devices);
}

}  // namespace

void add_tune_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<TuneArguments>();
  arguments->timing.max_seconds = 0.25;
  CommandOptions command =
      app.add_subcommand("tune",
                         "rank all legal combinations of a kernel's parameters by "
                         "the time model, or measure those that "
                         "the model puts first");
  add_kernel_options(command, arguments->kernel);
  command.footer("-p NAME=VALUE fixes a parameter; the others take every value of theirs.");
  command.add_flag("--model", arguments->by_model, "rank by the time model; needs no GPU");
  command.add_flag("--gpu", arguments->on_gpu,
                   "measure the combinations that the model puts first, and the start");
  command.add_option("--share", arguments->share, "percent of the combinations that are measured")
      .between(0.0, 100.0)
      .capture_default_str();
  add_timing_options(command, arguments->timing);
  add_worker_options(command, arguments->workers);
  command.add_option("--most", arguments->most, "combinations that are modelled at the most")
      .between(1, 1'000'000)
      .capture_default_str();
  command.add_option("--best", arguments->best, "lines of the table")
      .between(1, 1'000'000)
      .capture_default_str();
  command.add_flag("--json", arguments->json, "output JSON, of every combination");
  command.callback([arguments, &context] { context.status = tune(*arguments); });
}

}  // namespace tilescope
