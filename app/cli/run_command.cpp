#include "cli/run_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/resources.h"
#include "cli/run_points.h"
#include "cli/run_record.h"
#include "cli/run_report.h"
#include "gpu/worker_link.h"

namespace tilescope {
namespace {

Result<DeviceInfo> wait_for_device(const WorkerLink& link) {
  while (true) {  // the link itself gives up in time
    if (auto device = link.device()) return *std::move(device);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// This process's arguments as a person would repeat them, without this machine's folders.
std::string typed_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string typed = "tilescope";
  std::string word;
  std::getline(file, word, '\0');  // the program itself
  while (std::getline(file, word, '\0')) {
    typed += ' ' + (word.starts_with('/') ? std::filesystem::path(word).filename().string() : word);
  }
  return typed;
}

// Everything that the points of one command share.
class RunSession {
 public:
  RunSession(const RunArguments& arguments, WorkerLink& link, DeviceInfo device, Peaks peaks)
      : arguments_(arguments), link_(link), device_(std::move(device)), peaks_(peaks) {}

  int run_all(RunPoints points, int compute_capability) {
    for (const Error& error : points.skipped) {
      fmt::print(stderr, "tilescope: skipped: {}\n", to_string(error));
    }
    for (KernelInstance& instance : points.instances) {
      RunRow row = run_one(std::move(instance), compute_capability);
      if (Status s = keep(row); !s) return report(s.error());
      show(row, points.single);
      if (!row.result && row.result.error().message.starts_with("no device")) break;
    }
    if (arguments_.json) print_json(points.single);
    return status_;
  }

 private:
  RunRow run_one(KernelInstance instance, int compute_capability) {
    RunRow row;
    row.instance = std::move(instance);
    auto compiled = compile({row.instance, compute_capability, true}, std::stop_token());
    if (!compiled) {
      row.result = compiled.error();
      return row;
    }
    row.compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
    RunRequest request;
    request.instance = row.instance;
    request.compiled = row.compiled;
    request.timing.cold = !arguments_.warm;
    request.timing.samples = arguments_.samples;
    request.timing.max_seconds = arguments_.max_seconds;
    request.timing.deadline_seconds = arguments_.deadline_seconds;
    row.result = run_and_wait(link_, std::move(request));
    return row;
  }

  // Saved after each, so that nothing is lost when a later one ends the command.
  Status keep(const RunRow& row) {
    if (arguments_.record.empty() || row.compiled == nullptr) return ok_status();
    if (!recorded_) {
      auto opened = open_record(arguments_.record, device_, row.compiled->compiler);
      if (!opened) return opened.error();
      recorded_ = *std::move(opened);
      auto& commands = recorded_->commands;
      if (std::find(commands.begin(), commands.end(), arguments_.typed) == commands.end()) {
        commands.push_back(arguments_.typed);
      }
    }
    record(row, &*recorded_);
    return save_recorded_runs(*recorded_, arguments_.record);
  }

  void show(const RunRow& row, bool single) {
    if (arguments_.json) {
      rows_.push_back(run_json(row, device_, peaks_));
    } else if (single && row.result) {
      fmt::print("{}", run_text(row, device_, peaks_));
    } else if (!single) {
      if (!std::exchange(head_printed_, true) && row.compiled != nullptr) {
        fmt::print("{}", run_table_head(device_, row));
      }
      fmt::print("{}", run_table_line(row, peaks_));
      std::fflush(stdout);
    }
    if (!row.result) {
      status_ = std::max(status_, report(row.result.error()));
    } else if (!row.result->correct) {
      fmt::print(stderr,
                 "tilescope: {}: the result is wrong: largest error {:.3g}, tolerance {:.3g}\n",
                 row.instance.id, row.result->max_error.value_or(0), row.result->tolerance);
      status_ = std::max(status_, 2);
    }
  }

  void print_json(bool single) const {
    fmt::print("{}\n", single ? rows_.front().dump(2) : nlohmann::json{{"runs", rows_}}.dump(2));
  }

  const RunArguments& arguments_;
  WorkerLink& link_;
  DeviceInfo device_;
  Peaks peaks_;
  std::optional<RecordedRuns> recorded_;
  std::vector<nlohmann::json> rows_;
  bool head_printed_ = false;
  int status_ = 0;
};

}  // namespace

int run_command(const RunArguments& arguments) {
  const auto link = start_worker({});  // starts while the arguments are looked at
  int compute_capability = 0;
  auto points = expand_points(arguments.kernel, arguments.each_value, &compute_capability);
  if (!points) return report(points.error());
  auto device = wait_for_device(*link);
  if (!device) return report(device.error());
  if (!arguments.architecture_given) {
    KernelArguments own = arguments.kernel;
    own.architecture = fmt::format("sm_{}", device->compute_capability);
    points = expand_points(own, arguments.each_value, &compute_capability);
    if (!points) return report(points.error());
  }
  const auto resources = load_resources();
  const Peaks peaks = resources ? peaks_of(*device, resources->devices) : Peaks{};
  return RunSession(arguments, *link, *device, peaks)
      .run_all(*std::move(points), compute_capability);
}

void add_run_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app.add_subcommand("run", "verify and time on the GPU, beside cuBLAS or a device copy");
  add_kernel_options(*command, arguments->kernel);
  command->footer(
      "Several at once: -p NAME=V1,V2 and --size S1,S2; a family (gemm) stands for its kernels.");
  auto cold = std::make_shared<bool>(false);
  CLI::Option* warm_flag =
      command->add_flag("--warm", arguments->warm, "leave the L2 as the same launch left it");
  command->add_flag("--cold", *cold, "flush the L2 before each sample (default)")
      ->excludes(warm_flag);
  command->add_option("--samples", arguments->samples, "launches to time")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--max-seconds", arguments->max_seconds, "stop sampling after this long")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command
      ->add_option("--deadline", arguments->deadline_seconds,
                   "seconds after which the kernel counts as hanging and is stopped")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command->add_flag("--each", arguments->each_value,
                    "also every value that is offered for each parameter, one at a time");
  command->add_flag("--json", arguments->json, "for programs");
  command->add_option("--record", arguments->record,
                      "append the right results to this file of recorded runs");
  command->callback([command, arguments, cold, &context] {
    arguments->architecture_given = command->get_option("--arch")->count() > 0;
    arguments->typed = typed_command();
    context.status = run_command(*arguments);
  });
}

}  // namespace tilescope
