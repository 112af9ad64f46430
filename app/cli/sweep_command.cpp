#include "cli/sweep_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/gpu_session.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/point_sweep.h"
#include "cli/run_report.h"
#include "cli/worker_options.h"
#include "core/quantity.h"
#include "gpu/messages.h"
#include "store/rates.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct SweepArguments {
  KernelArguments kernel;
  bool architecture_given = false;
  TimingOptions timing;
  WorkerOptions workers;
  bool catalogue = false;
  bool each_value = false;
  bool again = false;
  bool counters = false;
  bool json = false;
  int best = 10;
};

double rate(const Measurement& run) {
  const double work = run.result.flop > 0 ? run.result.flop : run.result.bytes;
  const double seconds = run.result.kernel.median_seconds;
  return seconds > 0 ? work / seconds : 0;
}

void print_line(std::size_t place, const PointSweep::Row& row) {
  const Measurement& run = row.run;
  print_out("{} {:>3} {:>14} {:>8} {:>11}{} {:<24} {}\n",
            marker_of(row.known ? Source::kRecorded : Source::kMeasured), place, rate_text(run),
            of_reference_text(run), format(run.result.kernel.median_seconds, Unit::kSeconds),
            doubt_mark(run.result.conditions), run.of.kernel,
            point_text(run.of.parameters, run.of.factors));
}

json encoded(const Measurement& run) {
  json one = json::parse(encode_run(run));
  one["gpu"] = run.machine.gpu;
  return one;
}

// Best first, those of one GPU, problem and size together.
void print_rows(const std::vector<PointSweep::Row>& rows, const SweepArguments& arguments) {
  std::set<std::string> gpus;
  for (const auto& row : rows) gpus.insert(row.run.machine.gpu);
  std::map<std::string, std::vector<const PointSweep::Row*>> groups;
  for (const auto& row : rows) {
    const LaunchKey& of = row.run.of;
    std::string group = of.kernel.substr(0, of.kernel.find('/'));
    for (const auto& [name, value] : of.extents) group += fmt::format(" {} {}", name, value);
    if (!of.factors.empty()) group += " " + factors_text(of.factors, " ");
    if (gpus.size() > 1) group += ", " + row.run.machine.gpu;
    groups[group].push_back(&row);
  }
  json runs = json::array();
  for (auto& [group, members] : groups) {
    std::ranges::stable_sort(members, std::ranges::greater(),
                             [](const PointSweep::Row* row) { return rate(row->run); });
    if (!arguments.json) print_out("{}\n", group);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (arguments.json) {
        runs.push_back(encoded(members[i]->run));
      } else if (static_cast<int>(i) < arguments.best) {
        print_line(i + 1, *members[i]);
      } else {
        print_out("      and {} more: tilescope history lists them\n", members.size() - i);
        break;
      }
    }
  }
  if (arguments.json) {
    print_out("{}\n", json{{"runs", runs}}.dump(2));
  } else if (std::ranges::any_of(
                 rows, [](const auto& row) { return is_doubtful(row.run.result.conditions); })) {
    print_out("{}", kDoubtLegend);
  }
}

// The points as they are on this GPU; the first time, those that are not valid are told.
Result<std::vector<KernelInstance>> points_for(const SweepArguments& arguments,
                                               const DeviceInfo& device) {
  KernelArguments own = arguments.kernel;
  if (!arguments.architecture_given) {
    own.architecture = fmt::format("sm_{}", device.compute_capability);
  }
  int compute_capability = 0;
  auto points = expand_points(own, arguments.each_value, &compute_capability);
  if (!points) return points.error();
  if (!points->skipped.empty()) {
    print_error("tilescope: {} points are not valid and are skipped; the first: {}\n",
                points->skipped.size(), to_string(points->skipped.front()));
  }
  return std::move(points->instances);
}

int sweep_command(SweepArguments& arguments) {
  if (arguments.catalogue) {
    arguments.kernel.kernel_or_file = kAllKernels;
    arguments.each_value = true;
  }
  if (arguments.kernel.kernel_or_file.empty()) {
    return report({ErrorCode::kUsage, "no kernel is given", "Give one, or --catalogue", {}});
  }
  end_at_signals({SIGTERM});
  const Interrupt interrupt;
  int compute_capability = 0;  // what is wrong with the arguments is said before a GPU is asked
  const auto points = expand_points(arguments.kernel, arguments.each_value, &compute_capability);
  if (!points) return report(points.error());
  WorkerPool pool(worker_sources(arguments.workers, points->instances.size()));
  PointSweep sweep(
      pool, {arguments.timing, arguments.again, arguments.counters},
      [&](const DeviceInfo& device) { return points_for(arguments, device); }, interrupt);
  const int status = sweep.run();
  print_rows(sweep.rows(), arguments);
  return status;
}

}  // namespace

void add_sweep_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<SweepArguments>();
  arguments->timing.max_seconds = 0.25;
  CommandOptions command = app.add_subcommand(
      "sweep", "measure many parameters and sizes, add them to the history, and list the best");
  add_kernel_options(command, arguments->kernel);
  command.option("kernel").required(false);
  command.footer(
      "-p NAME=V1,V2 and --size S1,S2 give all combinations; a family (gemm) means all its "
      "kernels.\nCtrl-C stops after what is under way; the same command continues with the missing "
      "points.\nWith several GPUs each kind measures every point once, whichever of them is free; "
      "a "
      "worker that\nis lost gives its point to another and is started again.");
  add_timing_options(command, arguments->timing);
  add_worker_options(command, arguments->workers);
  command.add_flag("--catalogue", arguments->catalogue,
                   "every kernel and every value, one parameter at a time");
  command.add_flag("--each", arguments->each_value,
                   "also every value of each parameter, one at a time");
  command.add_flag("--again", arguments->again, "also measure points that the history already has");
  command.add_flag("--counters", arguments->counters,
                   "also read hardware counters, in separate launches");
  command.add_option("--best", arguments->best, "lines per problem and size in the table")
      .between(1, 1'000'000)
      .capture_default_str();
  command.add_flag("--json", arguments->json, "output JSON");
  command.callback([command, arguments, &context] {
    arguments->architecture_given = command.option("--arch").is_given();
    context.status = sweep_command(*arguments);
  });
}

}  // namespace tilescope
