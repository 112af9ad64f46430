#include "cli/gpu_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"

namespace tilescope {

Result<DeviceInfo> wait_for_device(const WorkerLink& link) {
  while (true) {  // the link itself gives up in time
    if (auto device = link.device()) return *std::move(device);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

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
  if (const auto& resources = load_resources()) {
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

RunRequest counter_request(const RunRow& row, TimingOptions timing) {
  timing.verify = false;
  timing.deadline_seconds *= 10;  // a launch for each of the passes
  RunRequest request{row.instance, row.compiled, timing};
  request.counters = all_counters();
  request.reference_counters = timing.reference;
  return request;
}

void put_counters(RunResult counted, RunRow* row) {
  row->result->counters = std::move(counted.counters);
  row->result->unknown_counters = std::move(counted.unknown_counters);
  row->result->reference_counters = std::move(counted.reference_counters);
}

Status add_counters(GpuSession& session, TimingOptions timing, RunRow* row) {
  auto counted = run_and_wait(*session.link, counter_request(*row, timing));
  if (!counted) return counted.error();
  put_counters(*std::move(counted), row);
  return ok_status();
}

Status add_phases(GpuSession& session, TimingOptions timing, RunRow* row) {
  row->phases_of = unflatten(row->instance.grid.count() / 2, row->instance.grid);
  const auto stamped = with_phase_stamps(row->instance, row->phases_of);
  if (!stamped) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} has no phase marks", row->instance.id),
        "Write TILESCOPE_PHASE(load); and similar marks where the kernel starts another phase",
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

void add_timing_options(CommandOptions command, TimingOptions& timing) {
  CommandOption warm =
      command.add_flag("!--warm", timing.cold, "do not flush the L2 between launches");
  command.add_flag("--cold", "flush the L2 before each sample (default)").excludes(warm);
  command.add_option("--samples", timing.samples, "maximum number of timed launches")
      .between(1, 1'000'000)
      .capture_default_str();
  command
      .add_option("--relative-error", timing.relative_error,
                  "stop when the error of both medians is below this share; 0: take all samples")
      .between(0.0, 1.0)
      .capture_default_str();
  command.add_option("--max-seconds", timing.max_seconds, "stop sampling after this time")
      .between(0.0, 3600.0)
      .capture_default_str();
  command
      .add_option("--deadline", timing.deadline_seconds,
                  "seconds after which the kernel is stopped as hanging")
      .between(0.1, 86400.0)
      .capture_default_str();
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

namespace {

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

// {"A=1,2", "B=3"} -> {{"A=1", "B=3"}, {"A=2", "B=3"}}
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& assignments) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::string& assignment : assignments) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string name = assignment.substr(0, equals);
    std::vector<std::vector<std::string>> longer;
    for (const auto& one : all) {
      for (const std::string& value : split_at_commas(assignment.substr(equals))) {
        longer.push_back(one);
        // The first value still has its '='.
        longer.back().push_back(value.starts_with('=') || value.empty() ? name + value
                                                                        : name + '=' + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The kernels that a name stands for: all of a family, or itself.
std::vector<std::string> kernels_of(const std::string& name, const Resources* resources) {
  std::vector<std::string> ids;
  if (resources != nullptr) {
    for (const CatalogueEntry& entry : resources->catalogue.entries) {
      if (entry.family == name || name == kAllKernels) ids.push_back(entry.id);
    }
  }
  if (ids.empty()) ids.push_back(name);
  return ids;
}

// The parameters as given, then each parameter's other values.
std::vector<std::vector<std::string>> each_offer(const CatalogueEntry& entry,
                                                 const std::vector<std::string>& given) {
  std::vector<std::vector<std::string>> sets = {given};
  for (const ParameterSpec& parameter : entry.parameters) {
    std::vector<std::string> others = given;
    std::int64_t present = parameter.default_value;
    std::erase_if(others, [&](const std::string& assignment) {
      if (!assignment.starts_with(parameter.name + '=')) return false;
      present = std::strtoll(assignment.c_str() + parameter.name.size() + 1, nullptr, 10);
      return true;
    });
    for (const std::int64_t value : parameter.values) {
      if (value == present) continue;
      sets.push_back(others);
      sets.back().push_back(parameter.name + '=' + std::to_string(value));
    }
  }
  return sets;
}

class Expansion {
 public:
  Expansion(const KernelArguments& arguments, bool each_value, const Resources* resources)
      : arguments_(arguments), each_value_(each_value), resources_(resources) {}

  [[nodiscard]] std::vector<KernelArguments> points() const {
    std::vector<KernelArguments> points;
    const std::vector<std::string> sizes = split_at_commas(arguments_.size);
    for (const std::string& kernel : kernels_of(arguments_.kernel_or_file, resources_)) {
      for (std::size_t s = 0; s < sizes.size(); ++s) {
        for (const auto& parameters : parameter_sets(kernel, s == 0)) {
          KernelArguments point = arguments_;
          point.kernel_or_file = kernel;
          point.size = sizes[s];
          point.parameters = parameters;
          points.push_back(std::move(point));
        }
      }
    }
    return points;
  }

 private:
  [[nodiscard]] std::vector<std::vector<std::string>> parameter_sets(const std::string& kernel,
                                                                     bool first_size) const {
    const CatalogueEntry* entry =
        resources_ != nullptr ? resources_->catalogue.find(kernel) : nullptr;
    auto sets = combinations(arguments_.parameters);
    if (!each_value_ || !first_size || entry == nullptr) return sets;
    std::vector<std::vector<std::string>> all;
    for (const auto& set : sets) {
      for (auto& offer : each_offer(*entry, set)) all.push_back(std::move(offer));
    }
    return all;
  }

  const KernelArguments& arguments_;
  bool each_value_;
  const Resources* resources_;
};

}  // namespace

Result<RunPoints> expand_points(const KernelArguments& arguments, bool each_value,
                                int* compute_capability) {
  const Result<Resources>& resources = load_resources();
  const auto wanted = Expansion(arguments, each_value, resources ? &*resources : nullptr).points();
  RunPoints points;
  points.single = wanted.size() == 1;
  for (const KernelArguments& point : wanted) {
    auto instance = resolve_or_guess(point, compute_capability);
    if (instance) {
      points.instances.push_back(*std::move(instance));
    } else {
      points.skipped.push_back(std::move(instance).error());
    }
  }
  if (points.instances.empty()) return points.skipped.front();
  return points;
}

}  // namespace tilescope
