#include "cli/verify_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/memory/counters.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "cli/command.h"
#include "cli/gpu_session.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "core/parallel.h"
#include "core/quantity.h"

namespace tilescope {
namespace {

using nlohmann::json;

struct VerifyArguments {
  KernelArguments kernel;
  bool architecture_given = false;
  bool all = false;
  bool json = false;
  double deadline_seconds = 120;
};

using Verdict = CheckedCounter::Verdict;

// One launch: its counters, or why there are none.
struct LaunchComparison {
  KernelInstance instance;
  std::vector<CheckedCounter> counters;
  Status outcome = ok_status();

  [[nodiscard]] std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        counters, [&](const CheckedCounter& pair) { return pair.verdict() == verdict; }));
  }
};

constexpr const char* kBlocks = "blocks per SM";
constexpr int kReadings = 3;
constexpr const char* kQuietSize = "256";  // so few blocks that they hardly contend

// Counts every block of the kernel's machine code.
Result<std::shared_ptr<const KernelStudy>> emulate(const KernelInstance& instance,
                                                   int compute_capability,
                                                   const DeviceModel& device) {
  StudyRequest request;
  request.instance = instance;
  request.compute_capability = compute_capability;
  request.workers = processor_count();
  auto study = prepare_study(request, {});
  if (!study) return study;
  auto complete = with_resources(*study, device, {});
  if (!complete) return complete;
  return with_issued_counts(*complete, Counted::kGrid, request.workers, {});
}

class Verification {
 public:
  Verification(const VerifyArguments& arguments, GpuSession session, DeviceModel device)
      : arguments_(arguments), session_(std::move(session)), device_(std::move(device)) {}

  int run() {
    for (const Error& error : session_.points.skipped) {
      print_error("tilescope: skipped: {}\n", to_string(error));
    }
    if (!arguments_.json) {
      print_out("{}, driver {}: ◆ emulated (machine code) and ● measured\n\n", session_.device.name,
                session_.device.driver);
    }
    for (KernelInstance& instance : session_.points.instances) {
      launches_.push_back(compare(std::move(instance)));
      if (!arguments_.json) print(launches_.back());
      std::fflush(stdout);
    }
    return finish();
  }

 private:
  LaunchComparison compare(KernelInstance instance) {
    LaunchComparison launch;
    launch.instance = std::move(instance);
    const std::vector<std::string> names = metric_names();
    TimingOptions timing;
    timing.verify = false;
    timing.deadline_seconds = arguments_.deadline_seconds;
    std::vector<RunResult> readings;
    for (int i = 0; i < kReadings; ++i) {
      RunRow measured = measure(session_, launch.instance, timing, names);
      if (!measured.result) {
        launch.outcome = measured.result.error();
        return launch;
      }
      readings.push_back(*std::move(measured.result));
    }
    auto study = emulate(launch.instance, session_.compute_capability, device_);
    if (!study) {
      launch.outcome = study.error();
      return launch;
    }
    if ((*study)->issued_counters == nullptr) {
      launch.outcome = Error{ErrorCode::kKernel, (*study)->why_not_issued, "", {}};
      return launch;
    }
    std::vector<CounterValues> values;
    for (const RunResult& reading : readings) values.push_back(reading.counters);
    launch.counters = check_counters(**study, values);
    if ((*study)->occupancy) {
      const auto blocks = static_cast<std::uint64_t>(readings.front().blocks_per_multiprocessor);
      launch.counters.push_back(
          {kBlocks, static_cast<std::uint64_t>((*study)->occupancy->blocks_per_multiprocessor),
           blocks, blocks});
    }
    return launch;
  }

  static std::string name_of_launch(const KernelInstance& instance) {
    return fmt::format("{:<24} {:<16} {}", instance.id, size_of(instance),
                       point_text(instance.parameters, factors_of(instance)));
  }

  static void print(const LaunchComparison& launch) {
    const std::string name = name_of_launch(launch.instance);
    if (!launch.outcome) {
      print_out("–  not compared    {}\n     {}\n", name, to_string(launch.outcome.error()));
      return;
    }
    const std::size_t equal = launch.count(Verdict::kEqual);
    const bool all = launch.count(Verdict::kDifferent) == 0;
    print_out("{}  {:>2} of {:>2} equal  {}\n", all ? "✓" : "✗", equal, launch.counters.size(),
              name);
    for (const CheckedCounter& pair : launch.counters) {
      if (pair.verdict() == Verdict::kEqual) continue;
      const std::string range =
          pair.least == pair.most
              ? format_count(pair.least)
              : fmt::format("{} to {}", format_count(pair.least), format_count(pair.most));
      const std::string other =
          pair.other_turns ? fmt::format(" or {}", format_count(*pair.other_turns)) : "";
      print_out("   {} {:<58} ◆ {:>14}{}  ● {}\n",
                pair.verdict() == Verdict::kDifferent ? "DIFFERENT" : name_of(pair.verdict()),
                pair.name, format_count(pair.emulated), other, range);
    }
  }

  [[nodiscard]] json json_of(const LaunchComparison& launch) const {
    json encoded = {{"kernel", launch.instance.id},
                    {"parameters", launch.instance.parameters},
                    {"extents", launch.instance.extents},
                    {"factors", factors_of(launch.instance)}};
    if (!launch.outcome) {
      encoded["error"] = to_string(launch.outcome.error());
      return encoded;
    }
    encoded["counters"] = json::array();
    for (const CheckedCounter& pair : launch.counters) {
      encoded["counters"].push_back({{"name", pair.name},
                                     {"emulated", pair.emulated},
                                     {"measured_least", pair.least},
                                     {"measured_most", pair.most},
                                     {"verdict", name_of(pair.verdict())}});
      if (pair.other_turns) encoded["counters"].back()["emulated_other_turns"] = *pair.other_turns;
    }
    return encoded;
  }

  int finish() const {
    std::size_t compared = 0;
    std::size_t by_turns = 0;
    std::size_t contended = 0;
    std::size_t different = 0;
    std::size_t failed = 0;
    json launches = json::array();
    for (const LaunchComparison& launch : launches_) {
      compared += launch.counters.size();
      by_turns += launch.count(Verdict::kByTurns);
      contended += launch.count(Verdict::kContended);
      different += launch.count(Verdict::kDifferent);
      if (!launch.outcome) ++failed;
      launches.push_back(json_of(launch));
    }
    if (arguments_.json) {
      const json whole = {{"gpu", session_.device.name},
                          {"driver", session_.device.driver},
                          {"launches", std::move(launches)},
                          {"compared", compared},
                          {"by_turns", by_turns},
                          {"contended", contended},
                          {"different", different}};
      print_out("{}\n", whole.dump(2));
    } else {
      print_out(
          "\n{} launches, {} counters compared: {} different, {} contended (the hardware counts "
          "more, and differently each time){}\n",
          launches_.size(), format_count(compared), format_count(different),
          format_count(contended),
          by_turns == 0
              ? ""
              : fmt::format(", {} that depend on the order of warps and blocks", by_turns));
    }
    if (failed != 0) {
      const auto first = std::ranges::find_if(
          launches_, [](const LaunchComparison& launch) { return !launch.outcome; });
      print_error("tilescope: {} of {} launches could not be compared\n", failed, launches_.size());
      return report(first->outcome.error());
    }
    if (different == 0) return 0;
    print_error("tilescope: {} of {} counters differ\n", different, compared);
    return 2;
  }

  const VerifyArguments& arguments_;
  GpuSession session_;
  DeviceModel device_;
  std::vector<LaunchComparison> launches_;
};

int verify_command(VerifyArguments& arguments) {
  end_at_signals();
  if (arguments.all) {
    arguments.kernel.kernel_or_file = kAllKernels;
    if (arguments.kernel.size.empty()) arguments.kernel.size = kQuietSize;
  }
  if (arguments.kernel.kernel_or_file.empty()) {
    return report({ErrorCode::kUsage, "no kernel is given", "Give one, or --all", {}});
  }
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  auto session = open_gpu_session(arguments.kernel, false, arguments.architecture_given);
  if (!session) return report(session.error());
  DeviceModel device = device_model_for(resources->devices, session->compute_capability);
  return Verification(arguments, *std::move(session), std::move(device)).run();
}

}  // namespace

void add_verify_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<VerifyArguments>();
  CommandOptions command = app.add_subcommand(
      "verify", "compare emulated counters with hardware counters; exit status 2 if they differ");
  add_kernel_options(command, arguments->kernel);
  command.option("kernel").required(false);
  command.add_flag("--all", arguments->all,
                   "every kernel of the catalogue, with size 256 unless --size is given");
  command.add_flag("--json", arguments->json, "output JSON");
  command
      .add_option("--deadline", arguments->deadline_seconds,
                  "seconds after which a kernel is stopped as hanging")
      .between(0.1, 86400.0)
      .capture_default_str();
  command.callback([command, arguments, &context] {
    arguments->architecture_given = command.option("--arch").is_given();
    context.status = verify_command(*arguments);
  });
}

}  // namespace tilescope
