#include "cli/trace_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/occupancy/occupancy.h"
#include "analysis/study/guessed_findings.h"
#include "analysis/study/kernel_study.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "cli/parser/command_line.h"
#include "cli/trace_report.h"
#include "cli/waiting_line.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "kernel/compile/compile.h"

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
  std::optional<DeviceModel> device = std::nullopt;  // none: the first of the architecture
};

// A buffer that is to be written into a file after the launch.
struct BufferOutput {
  std::size_t argument = 0;  // index into KernelInstance::arguments
  std::size_t buffer = 0;    // index into DeviceMemory::buffers()
  std::string file;
};

// ARG=FILE, where ARG is "C", "arg2" or an index.
Result<BufferOutput> parse_output(const KernelInstance& instance, const std::string& spec) {
  const auto equals = spec.find('=');
  if (equals == std::string::npos || equals + 1 == spec.size()) {
    return usage(fmt::format("--out {} is not ARG=FILE", spec), "For example --out 0=result.bin");
  }
  const std::string wanted = spec.substr(0, equals);
  BufferOutput output;
  output.file = spec.substr(equals + 1);
  std::error_code ignored;
  if (std::filesystem::equivalent(output.file, instance.file_name, ignored)) {
    return usage(fmt::format("--out {} would overwrite the kernel's own source", spec),
                 "Name another file");
  }
  for (; output.argument < instance.arguments.size(); ++output.argument) {
    const Argument& argument = instance.arguments[output.argument];
    if (!argument.is_pointer) continue;
    if (argument.name == wanted || std::to_string(output.argument) == wanted) return output;
    ++output.buffer;
  }
  return usage(fmt::format("--out {}: the kernel has no buffer '{}'", spec, wanted),
               "Name the argument, or give its index from 0");
}

// Before anything is computed: what is asked for can be written.
Result<std::vector<BufferOutput>> parse_outputs(const KernelInstance& instance,
                                                const std::vector<std::string>& specs) {
  std::vector<BufferOutput> outputs;
  for (const std::string& spec : specs) {
    auto output = parse_output(instance, spec);
    if (!output) return std::move(output).error();
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

// A named pipe that nobody reads holds its writer; one that is read ends with its last writer, so
// this stays one.
class OpenPipe {
 public:
  explicit OpenPipe(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::is_fifo(file, ignored)) return;
    descriptor_ = ::open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENXIO)
      print_error("tilescope: waiting for a reader of the named pipe {}\n", file);
  }
  ~OpenPipe() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;

 private:
  int descriptor_ = -1;
};

// As raw bytes.
Status write_output(const KernelInstance& instance, const DeviceMemory& memory,
                    const BufferOutput& output) {
  const auto& contents = *memory.buffers()[output.buffer].contents;
  const OpenPipe reader(output.file);
  return write_file(output.file, {reinterpret_cast<const char*>(contents.data()),
                                  instance.arguments[output.argument].buffer.bytes()});
}

int finish(const TraceArguments& arguments, const std::vector<BufferOutput>& outputs,
           const TraceReport& report_data, const DeviceMemory& memory) {
  print_out("{}\n", arguments.json ? trace_json(report_data) : trace_text(report_data));
  for (const BufferOutput& output : outputs) {
    if (Status written = write_output(report_data.study->instance, memory, output); !written) {
      return report(written.error());
    }
  }
  const std::vector<Finding>& findings = report_data.emulation->findings;
  if (const Finding* first = first_mistake(findings); first != nullptr) {
    print_error("tilescope: {}; the first: {}: {}\n", counted(count_mistakes(findings), "problem"),
                name_of(first->kind), first->message);
    return 2;
  }
  if (report_data.verification && !report_data.verification->ok()) {
    print_error("tilescope: the result is wrong: largest error {:.3g}, tolerance {:.3g}\n",
                report_data.verification->max_error, report_data.verification->tolerance);
    return 2;
  }
  return 0;
}

bool same_contents(const DeviceMemory& a, const DeviceMemory& b) {
  // The library compares bytes one by one.
  return std::ranges::equal(a.buffers(), b.buffers(), [](const auto& one, const auto& other) {
    return one.contents->size() == other.contents->size() &&
           (one.contents->empty() ||
            std::memcmp(one.contents->data(), other.contents->data(), one.contents->size()) == 0);
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
  const WaitingLine line("counting the machine code of " + study->instance.title);
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
  } else if (const Finding* wrong = first_mistake(run->emulation.findings);
             !run->emulation.complete || (sound && wrong != nullptr)) {
    counts.why_not = wrong == nullptr ? "the machine code could not be emulated" : wrong->message;
  } else {
    counts.study = *std::move(with_code);
    counts.run = *std::move(run);
  }
  return counts;
}

// Why it is not faster: the counts there are, and what one traced block tells of its waits.
void add_diagnosis(TraceReport& report_data) {
  constexpr std::size_t kMostEvents = 1U << 20;
  KernelStudy study = *report_data.study;
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  const std::uint64_t middle = study.launch.grid.count() / 2;
  auto block = trace_block(*study.program, study.launch, memory, middle, kMostEvents, {});
  if (!block) return;
  study.trace = std::make_shared<const BlockTrace>(*std::move(block));
  study.counters = std::make_shared<const LaunchCounters>(*report_data.written);
  if (report_data.issued != nullptr) {
    study.issued_counters = std::make_shared<const LaunchCounters>(*report_data.issued);
  }
  report_data.not_modelled = not_modelled(study);
  report_data.diagnosis = diagnose(study);
}

// A driver refuses to launch what fits on no SM.
Status check_occupancy(const KernelStudy& study, const DeviceModel& device) {
  if (!study.occupancy || study.occupancy->blocks_per_multiprocessor > 0) return ok_status();
  return usage(fmt::format("no block of {} fits on an SM of {}, limited by {}",
                           study.instance.title, device.name, limits_in_words(*study.occupancy)),
               "Make the block smaller, or give it less shared memory");
}

// A cooperative launch is refused where its blocks are not all on the GPU at once.
Status check_whole_grid(const KernelStudy& study, const DeviceModel& device) {
  if (study.launch.grid_workspace == 0 || !study.occupancy) return ok_status();
  const auto at_once = static_cast<std::uint64_t>(study.occupancy->blocks_per_multiprocessor) *
                       static_cast<std::uint64_t>(device.multiprocessors);
  if (study.launch.grid.count() <= at_once) return ok_status();
  return usage(
      fmt::format("the blocks of {} wait for each other (this_grid().sync()), and of its {} "
                  "blocks {} holds {} at once",
                  study.instance.title, format_count(study.launch.grid.count()), device.name,
                  format_count(at_once)),
      fmt::format("Give it a grid of at most {} blocks", format_count(at_once)));
}

// An hour at the least, one block after the other.
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 28;
Status check_grid(const KernelInstance& instance, bool sample) {
  if (sample || instance.grid.count() <= kMostBlocks) return ok_status();
  return usage(
      fmt::format("a grid of {} blocks is too large to emulate as a whole; the maximum is {}",
                  format_count(instance.grid.count()), format_count(kMostBlocks)),
      "--sample counts a few blocks and scales; this is exact if all blocks do the same");
}

int trace(const TraceArguments& arguments) {
  end_at_signals();
  StudyRequest request;
  request.workers = arguments.workers != 0 ? arguments.workers : processor_count();
  bool is_made_up = false;
  auto instance = resolve_or_guess(arguments.kernel, &request.compute_capability, &is_made_up);
  if (!instance) return report(instance.error());
  if (Status grid = check_grid(*instance, arguments.sample); !grid) return report(grid.error());
  const auto outputs = parse_outputs(*instance, arguments.outputs);
  if (!outputs) return report(outputs.error());
  request.instance = *std::move(instance);
  const auto study = [&] {
    const WaitingLine line("compiling " + request.instance.title);
    // Its machine code is needed below; with that the PTX comes from the cache.
    static_cast<void>(compile({request.instance, request.compute_capability, true}, {}));
    return prepare_study(request, {});
  }();
  if (!study) return report(in_file(study.error(), request.instance));

  auto resources = load_resources();
  if (!resources) return report(resources.error());
  const DeviceModel device =
      arguments.device.value_or(device_model_for(resources->devices, request.compute_capability));
  auto complete = with_resources(*study, device, {});
  if (!complete) return report(complete.error());
  if (Status fits = check_occupancy(**complete, device); !fits) return report(fits.error());
  if (Status fits = check_whole_grid(**complete, device); !fits) return report(fits.error());

  const Checks checks = arguments.no_check ? Checks::kOff : Checks::kOn;
  auto run = [&] {
    const WaitingLine line(fmt::format("emulating {} of {}",
                                       counted(request.instance.grid.count(), "block"),
                                       request.instance.title));
    return arguments.sample ? run_sample(**complete, request.workers, {}, checks)
                            : run_grid(**complete, request.workers, {}, checks);
  }();
  if (!run) return report(run.error());
  if (is_made_up) note_guess(request.instance, &run->emulation.findings);
  TraceReport traced;
  traced.written = &run->counters;
  traced.emulation = &run->emulation;
  traced.verification = run->verification;
  IssuedCounts issued;
  if (!run->emulation.complete) {
    issued.why_not = "the kernel did not finish";
  } else if (!arguments.as_written) {
    issued = count_as_issued(*complete, arguments, request.workers,
                             first_mistake(run->emulation.findings) == nullptr);
  }
  traced.study = issued.study != nullptr ? issued.study.get() : complete->get();
  traced.issued = issued.run ? &issued.run->counters : nullptr;
  traced.why_not_issued = issued.why_not;
  traced.same_result = !issued.run || same_contents(*run->memory, *issued.run->memory);
  if (run->emulation.complete && first_mistake(run->emulation.findings) == nullptr) {
    add_diagnosis(traced);
  }
  return finish(arguments, *outputs, traced, *run->memory);
}

}  // namespace

int trace_kernel(const KernelArguments& kernel, const DeviceModel& device, bool as_json) {
  TraceArguments arguments;
  arguments.kernel = kernel;
  arguments.device = device;
  arguments.json = as_json;
  return trace(arguments);
}

void add_trace_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<TraceArguments>();
  CommandOptions command =
      app.add_subcommand("trace",
                         "emulate a kernel on the CPU and count its accesses and "
                         "instructions, per launch and per line");
  add_kernel_options(command, arguments->kernel);
  command.add_flag("--json", arguments->json, "output JSON");
  command.add_flag("--sample", arguments->sample,
                   "emulate a few blocks and scale, instead of the whole grid");
  command.add_flag("--as-written", arguments->as_written,
                   "count the PTX instead of the machine code (faster)");
  command.add_flag("--no-check", arguments->no_check,
                   "do not check for races and uninitialised reads (faster)");
  command.add_option("--out", arguments->outputs,
                     "ARG=FILE: write a buffer as raw bytes after the launch");
  command.add_option("--workers", arguments->workers, "threads; default: all processors");
  command.callback([arguments, &context] { context.status = trace(*arguments); });
}

}  // namespace tilescope
