#include "cli/gpu_session.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/option_errors.h"
#include "cli/resources.h"

namespace tilescope {
namespace {

Result<DeviceInfo> wait_for_device(const WorkerLink& link) {
  while (true) {  // the link itself gives up in time
    if (auto device = link.device()) return *std::move(device);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

Result<GpuSession> open_gpu_session(const KernelArguments& arguments, bool each_value,
                                    bool architecture_given) {
  GpuSession session;
  session.link = start_worker({});  // starts while the arguments are looked at
  auto points = expand_points(arguments, each_value, &session.compute_capability);
  if (!points) return points.error();
  auto device = wait_for_device(*session.link);
  if (!device) return device.error();
  if (!architecture_given) {
    KernelArguments own = arguments;
    own.architecture = fmt::format("sm_{}", device->compute_capability);
    points = expand_points(own, each_value, &session.compute_capability);
    if (!points) return points.error();
  }
  session.device = *std::move(device);
  session.points = *std::move(points);
  if (const auto resources = load_resources()) {
    session.peaks = peaks_of(session.device, resources->devices);
  }
  return session;
}

RunRow measure(GpuSession& session, KernelInstance instance, const TimingOptions& timing,
               const std::vector<std::string>& counters, bool reference_counters) {
  RunRow row;
  row.instance = std::move(instance);
  auto compiled = compile({row.instance, session.compute_capability, true}, std::stop_token());
  if (!compiled) {
    row.result = compiled.error();
    return row;
  }
  row.compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  RunRequest request;
  request.instance = row.instance;
  request.compiled = row.compiled;
  request.timing = timing;
  request.counters = counters;
  request.reference_counters = reference_counters;
  row.result = run_and_wait(*session.link, std::move(request));
  return row;
}

Status add_counters(GpuSession& session, TimingOptions timing, RunRow* row) {
  timing.verify = false;
  timing.deadline_seconds *= 10;  // a launch for each of the passes
  RunRow counted = measure(session, row->instance, timing, all_counters(), timing.reference);
  if (!counted.result) return counted.result.error();
  row->result->counters = std::move(counted.result->counters);
  row->result->unknown_counters = std::move(counted.result->unknown_counters);
  row->result->reference_counters = std::move(counted.result->reference_counters);
  return ok_status();
}

Status add_phases(GpuSession& session, TimingOptions timing, RunRow* row) {
  row->phases_of = unflatten(row->instance.grid.count() / 2, row->instance.grid);
  const auto stamped = with_phase_stamps(row->instance, row->phases_of);
  if (!stamped) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} marks no phase", row->instance.id),
                 "Write TILESCOPE_PHASE(load); and the like where the kernel begins to do "
                 "something else",
                 {}};
  }
  const auto program = decode_ptx(row->compiled->ptx, row->compiled->kernel, row->instance.source);
  if (!program) return program.error();
  const auto compiled = compile({*stamped, session.compute_capability, true}, std::stop_token());
  if (!compiled) return compiled.error();
  timing.reference = false;
  RunRequest request{row->instance, std::make_shared<const CompiledKernel>(*compiled), timing};
  request.has_phase_stamps = true;
  const auto result = run_and_wait(*session.link, std::move(request));
  if (!result) return result.error();
  row->phases = measured_phases(**program, row->instance, result->phase_stamps);
  row->phases->slowdown = result->kernel.median_seconds / row->result->kernel.median_seconds;
  row->phase_names = (*program)->phases();
  return ok_status();
}

void add_timing_options(CLI::App& command, TimingOptions& timing) {
  CLI::Option* warm =
      command.add_flag("!--warm", timing.cold, "leave the L2 as the same launch left it");
  command
      .add_flag_callback(
          "--cold", [] {}, "flush the L2 before each sample (default)")
      ->excludes(warm);
  command.add_option("--samples", timing.samples, "launches to time at most")
      ->check(between(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--relative-error", timing.relative_error,
                  "stop when the medians of kernel and reference are known to this part of "
                  "themselves; 0: take all samples")
      ->check(between(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--max-seconds", timing.max_seconds, "stop sampling after this long")
      ->check(between(0.0, 3600.0))
      ->capture_default_str();
  command
      .add_option("--deadline", timing.deadline_seconds,
                  "seconds after which the kernel counts as hanging and is stopped")
      ->check(between(0.1, 86400.0))
      ->capture_default_str();
}

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

}  // namespace tilescope
