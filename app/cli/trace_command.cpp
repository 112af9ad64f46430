#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>

#include "analysis/launch_memory.h"
#include "cli/command.h"
#include "cli/resources.h"
#include "cli/trace_report.h"
#include "core/parallel.h"

namespace tilescope {
namespace {

struct TraceArguments {
  KernelArguments kernel;
  bool json = false;
  bool sample = false;
  bool as_written = false;
  bool no_check = false;
  std::vector<std::string> outputs;
  unsigned workers = 0;
};

// Writes buffer ARG ("C", "arg2" or its index) as raw bytes.
Status write_output(const KernelInstance& instance, const DeviceMemory& memory,
                    const std::string& spec) {
  const auto equals = spec.find('=');
  if (equals == std::string::npos) return usage(fmt::format("--out {} is not ARG=FILE", spec));
  const std::string wanted = spec.substr(0, equals);
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
    const Argument& argument = instance.arguments[i];
    if (!argument.is_pointer) continue;
    if (argument.name == wanted || std::to_string(i) == wanted) {
      const auto& contents = *memory.buffers()[buffer].contents;
      std::ofstream file(spec.substr(equals + 1), std::ios::binary);
      file.write(reinterpret_cast<const char*>(contents.data()),
                 static_cast<std::streamsize>(argument.buffer.bytes()));
      if (!file.flush()) {
        return Error{
            ErrorCode::kMachine, fmt::format("cannot write {}", spec.substr(equals + 1)), "", {}};
      }
      return ok_status();
    }
    ++buffer;
  }
  return usage(fmt::format("--out {}: the kernel has no buffer '{}'", spec, wanted),
               "Name the argument, or give its index from 0");
}

int finish(const TraceArguments& arguments, const TraceReport& report_data,
           const DeviceMemory& memory) {
  fmt::print("{}\n", arguments.json ? trace_json(report_data) : trace_text(report_data));
  for (const std::string& output : arguments.outputs) {
    if (Status written = write_output(report_data.study->instance, memory, output); !written) {
      return report(written.error());
    }
  }
  if (!report_data.emulation->findings.empty()) {
    const Finding& first = report_data.emulation->findings.front();
    fmt::print(stderr, "tilescope: {} finding{}; the first: {}: {}\n",
               report_data.emulation->findings.size(),
               report_data.emulation->findings.size() == 1 ? "" : "s", name_of(first.kind),
               first.message);
    return 2;
  }
  if (report_data.verification && !report_data.verification->ok()) {
    fmt::print(stderr, "tilescope: the result is wrong: largest error {:.3g}, tolerance {:.3g}\n",
               report_data.verification->max_error, report_data.verification->tolerance);
    return 2;
  }
  return 0;
}

bool same_contents(const DeviceMemory& a, const DeviceMemory& b) {
  return std::ranges::equal(a.buffers(), b.buffers(), [](const auto& one, const auto& other) {
    return *one.contents == *other.contents;
  });
}

// The same launch of the machine code. `sound`: nothing was found in the kernel as written, so what
// is found now is a mistake of ours.
struct IssuedCounts {
  std::shared_ptr<const KernelStudy> study;
  std::optional<GridRun> run;
  std::string why_not;  // there is no run
};
IssuedCounts count_as_issued(const std::shared_ptr<const KernelStudy>& study,
                             const TraceArguments& arguments, unsigned workers, bool sound) {
  IssuedCounts counts;
  auto with_code = with_machine_code(study, {});
  if (!with_code) {
    counts.why_not = to_string(with_code.error());
    return counts;
  }
  auto run = arguments.sample ? run_issued_sample(**with_code, workers, {})
                              : run_issued_grid(**with_code, workers, {});
  if (!run) {
    counts.why_not = to_string(run.error());
  } else if (!run->emulation.complete || (sound && !run->emulation.findings.empty())) {
    counts.why_not = run->emulation.findings.empty() ? "the machine code could not be followed"
                                                     : run->emulation.findings.front().message;
  } else {
    counts.study = *std::move(with_code);
    counts.run = *std::move(run);
  }
  return counts;
}

// Why it is not faster: the counts there are, and what one traced block tells of its waits.
std::optional<Diagnosis> diagnosis_of(const TraceReport& report_data) {
  constexpr std::size_t kMostEvents = 1U << 20;
  KernelStudy study = *report_data.study;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  const std::uint64_t middle = study.launch.grid.count() / 2;
  auto block = trace_block(*study.program, study.launch, memory, middle, kMostEvents, {});
  if (!block) return std::nullopt;
  study.trace = std::make_shared<const BlockTrace>(*std::move(block));
  study.counters = std::make_shared<const LaunchCounters>(*report_data.written);
  if (report_data.issued != nullptr) {
    study.issued_counters = std::make_shared<const LaunchCounters>(*report_data.issued);
  }
  return diagnose(study);
}

int trace(const TraceArguments& arguments) {
  StudyRequest request;
  request.workers = arguments.workers != 0 ? arguments.workers : processor_count();
  auto instance = resolve_instance(arguments.kernel, &request.compute_capability);
  if (!instance) return report(instance.error());
  request.instance = *std::move(instance);
  auto study = prepare_study(request, {});
  if (!study) return report(study.error());

  auto resources = load_resources();
  if (!resources) return report(resources.error());
  const DeviceModel device = device_model_for(resources->devices, request.compute_capability);
  auto complete = with_resources(*study, device, {});
  if (!complete) return report(complete.error());

  const Checks checks = arguments.no_check ? Checks::kOff : Checks::kOn;
  auto run = arguments.sample ? run_sample(**complete, request.workers, {}, checks)
                              : run_grid(**complete, request.workers, {}, checks);
  if (!run) return report(run.error());
  TraceReport traced;
  traced.written = &run->counters;
  traced.emulation = &run->emulation;
  traced.verification = run->verification;
  IssuedCounts issued;
  if (!run->emulation.complete) {
    issued.why_not = "the kernel did not come to its end";
  } else if (!arguments.as_written) {
    issued =
        count_as_issued(*complete, arguments, request.workers, run->emulation.findings.empty());
  }
  traced.study = issued.study != nullptr ? issued.study.get() : complete->get();
  traced.issued = issued.run ? &issued.run->counters : nullptr;
  traced.why_not_issued = issued.why_not;
  traced.same_result = !issued.run || same_contents(*run->memory, *issued.run->memory);
  if (run->emulation.complete && run->emulation.findings.empty()) {
    traced.diagnosis = diagnosis_of(traced);
  }
  return finish(arguments, traced, *run->memory);
}

}  // namespace

void add_trace_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<TraceArguments>();
  CLI::App* command = app.add_subcommand(
      "trace",
      "emulate a kernel on the CPU and count what it does, per launch and per source line");
  add_kernel_options(*command, arguments->kernel);
  command->add_flag("--json", arguments->json, "for programs");
  command->add_flag("--sample", arguments->sample,
                    "a few blocks, scaled, instead of the whole grid");
  command->add_flag("--as-written", arguments->as_written,
                    "count the PTX's instructions instead of the machine code's, which is quicker");
  command->add_flag("--no-check", arguments->no_check,
                    "look for no races or uninitialised reads: faster");
  command->add_option("--out", arguments->outputs,
                      "ARG=FILE: write a buffer as raw bytes after the launch");
  command->add_option("--workers", arguments->workers, "threads; default: all processors");
  command->callback([arguments, &context] { context.status = trace(*arguments); });
}

}  // namespace tilescope
