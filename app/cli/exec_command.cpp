#include "cli/exec_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/capture_command.h"
#include "cli/exec_report.h"
#include "cli/gpu_session.h"
#include "cli/kernel_arguments.h"
#include "cli/launch_session.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/progress_file.h"
#include "cli/trace_command.h"
#include "core/file.h"
#include "core/launch_folder.h"
#include "core/number_text.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "core/search_path.h"
#include "core/text.h"
#include "exec/gpu_run.h"
#include "exec/host_program.h"
#include "exec/program_build.h"
#include "exec/program_input.h"
#include "exec/program_run.h"
#include "gpu/gpu_device.h"
#include "gpu/worker_link.h"
#include "kernel/launch/file_launch.h"
#include "kernel/source/kernel_name.h"
#include "session/session_file.h"

namespace tilescope {
namespace {

constexpr double kUsualBudget = 5;  // seconds
constexpr double kUsualLimit = 30;
constexpr const char* kUsualDevice = "H100";

struct ExecArguments {
  std::string program;
  std::vector<std::string> words;  // of the program
  std::string nvcc;
  std::string device;  // empty: see Execution::choose_device()
  double budget = kUsualBudget;
  double limit = kUsualLimit;
  bool no_check = false;
  bool json = false;
  bool quiet = false;
  std::string output;
  std::string launch;  // KERNEL#N
  std::string save;
  bool open = false;
  bool only_gpu = false;
  bool only_emulated = false;
  std::string progress;
  unsigned workers = 0;
};

// --launch "sgemm#3": the third launch of a kernel whose name has this part; "#3": of any.
struct LaunchChoice {
  std::string kernel;
  std::uint64_t number = 1;  // from 1
};
Result<LaunchChoice> parse_launch(const std::string& text) {
  const std::size_t mark = text.rfind('#');
  LaunchChoice choice{text.substr(0, mark)};
  if (mark == std::string::npos) return choice;
  const auto number = parse_number<std::uint64_t>(text.substr(mark + 1));
  if (!number || *number == 0) {
    return usage(fmt::format("--launch {} is not KERNEL#N", text), "For example --launch sgemm#2");
  }
  choice.number = *number;
  return choice;
}

int show_launch(const ExecArguments& arguments, const ProgramResult& run,
                const DeviceModel& device) {
  if (run.record_error) return report(*run.record_error);
  if (run.records.empty()) {
    return report(usage(fmt::format("the program has no launch {}", arguments.launch),
                        "The table of launches without --launch names all"));
  }
  const RecordedLaunch& launch = run.records.front();
  for (const std::string& sentence : launch.left_out) print_error("tilescope: {}\n", sentence);
  return trace_kernel(arguments_of(launch, device), device, arguments.json);
}

// The recorded launches as a session: its variants, with their real data.
Status save_session(const ExecArguments& arguments, const ProgramResult& run,
                    const DeviceModel& device, const Resources& resources) {
  if (run.record_error && run.records.empty()) return *run.record_error;
  if (run.record_error) print_error("tilescope: {}\n", to_string(*run.record_error));
  if (run.records.empty())
    return usage("the program launches nothing that could be saved", "Give it arguments: -- ...");
  for (const RecordedLaunch& launch : run.records) {
    for (const std::string& sentence : launch.left_out)
      print_error("tilescope: launch {} ({}): {}\n", launch.number, launch.name, sentence);
  }
  return write_file(arguments.save, session_text(session_of(run.records, device),
                                                 {resources.catalogue, resources.devices}));
}

// Which launches are recorded, and where.
Status choose_records(const ExecArguments& arguments, LauncherOptions* launcher) {
  if (!arguments.launch.empty()) {
    const auto choice = parse_launch(arguments.launch);
    if (!choice) return choice.error();
    auto matches = std::make_shared<std::uint64_t>(0);
    launcher->recording.wants = [choice = *choice, matches](const auto& launch) {
      return launch.kernel.find(choice.kernel) != std::string::npos && ++*matches == choice.number;
    };
  } else if (!arguments.save.empty()) {
    auto count = std::make_shared<std::size_t>(0);
    launcher->recording.wants = [count](const auto& launch) {
      return launch.before == 0 && ++*count <= kMostSavedLaunches;
    };
  }
  // Data of a session lies beside it.
  launcher->recording.folder =
      arguments.save.empty()
          ? temporary_directory() / fmt::format("tilescope-launch-{}", ::getpid())
          : std::filesystem::absolute(arguments.save + ".data");
  return ok_status();
}

// The program, compiled where a CUDA file was given, for that compute capability.
Result<std::filesystem::path> program_of(const ExecArguments& arguments, int compute_capability) {
  std::error_code ignored;
  if (is_cuda_source(arguments.program) || is_host_source(arguments.program)) {
    if (!std::filesystem::is_regular_file(arguments.program, ignored))
      return usage(fmt::format("there is no file {}", arguments.program), "Check its name");
    return build_program({arguments.program, shell_words(arguments.nvcc), compute_capability}, {});
  }
  // Without a folder in its name it is the one here, else one that $PATH finds: python3.
  const std::filesystem::path program = std::filesystem::absolute(arguments.program);
  const bool is_here = std::filesystem::exists(program, ignored);
  if (is_here || arguments.program.find('/') != std::string::npos) return program;
  const std::filesystem::path found = find_on_path(arguments.program.c_str());
  if (found.empty()) {
    return usage(
        fmt::format("there is no program {}, neither here nor on $PATH", arguments.program),
        "Check its name");
  }
  return found;
}

// Into the file that was asked for, or to the end of what the program printed.
Status write_report(const ExecArguments& arguments, const std::string& text) {
  if (!arguments.output.empty()) return write_file(arguments.output, text);
  if (!arguments.quiet) print_out("{}", text);
  return ok_status();
}

// Without --save the session that --open shows lies in the cache.
ExecArguments with_place_to_save(ExecArguments arguments) {
  if (arguments.open && arguments.save.empty()) {
    const std::filesystem::path folder = launch_folder();
    clean_launch_folder(folder, {});
    arguments.save = (folder / fmt::format("{}.tilescope", ::getpid())).string();
  }
  return arguments;
}

// One program, on the machine's GPU, on the emulator, or first there and then here.
class Execution {
 public:
  Execution(const ExecArguments& arguments, const Resources& resources, ProgressFile& progress)
      : arguments_(arguments), resources_(resources), progress_(progress) {}

  // The exit status.
  Result<int> run();

 private:
  Status choose_places();
  Status choose_device();
  Status measure();
  Status emulate();
  Result<int> finish();
  Result<int> show();
  [[nodiscard]] bool keeps_data() const {
    return !arguments_.launch.empty() || !arguments_.save.empty();
  }

  const ExecArguments& arguments_;
  const Resources& resources_;
  ProgressFile& progress_;
  bool on_gpu_ = false;
  bool on_emulator_ = false;
  DeviceModel device_;
  std::filesystem::path program_;
  std::optional<GpuRun> measured_;
  std::optional<ProgramResult> emulated_;
  std::filesystem::path record_folder_;
};

Status Execution::choose_places() {
  const bool has_gpu = machine_has_gpu();
  if (arguments_.only_gpu && keeps_data()) {
    return usage("--gpu measures launches and keeps no data of them",
                 "Leave out --gpu for --launch, --save and --open");
  }
  if (arguments_.only_gpu && !has_gpu)
    return Error{ErrorCode::kMachine, "this machine has no NVIDIA GPU", "Leave out --gpu", {}};
  // A launch that is shown is not measured.
  on_gpu_ =
      arguments_.only_gpu || (has_gpu && !arguments_.only_emulated && arguments_.launch.empty());
  on_emulator_ = !arguments_.only_gpu;
  return ok_status();
}

// The one that was asked for; else the GPU that the program runs on, so that its measured times and
// the modelled ones are of one device; else the H100.
Status Execution::choose_device() {
  const bool is_chosen = !arguments_.device.empty();
  const auto index =
      find_named_device(is_chosen ? arguments_.device : kUsualDevice, resources_.devices);
  if (!index) return index.error();
  device_ = resources_.devices[static_cast<std::size_t>(std::max(*index, 0))];
  if (!on_gpu_) return ok_status();
  const auto worker = start_worker({});
  const auto gpu = wait_for_device(*worker);
  if (gpu && !is_chosen) device_ = model_of(*gpu, resources_.devices);
  if (gpu) return ok_status();
  if (arguments_.only_gpu) return gpu.error();
  on_gpu_ = false;
  print_error("tilescope: the program is only emulated, because the GPU cannot be used: {}\n",
              to_string(gpu.error()));
  return ok_status();
}

Status Execution::measure() {
  GpuRunOptions options{program_, arguments_.words};
  if (arguments_.json && arguments_.output.empty()) options.output = STDERR_FILENO;
  auto run = run_on_gpu(options);
  if (!run) return std::move(run).error();
  measured_ = *std::move(run);
  return ok_status();
}

Status Execution::emulate() {
  if (Status right = check_program(program_); !right) return right;
  ProgramOptions options;
  options.device = device_;
  options.program = program_;
  options.arguments = arguments_.words;
  options.launcher.workers = arguments_.workers != 0 ? arguments_.workers : processor_count();
  options.launcher.check = !arguments_.no_check;
  options.launcher.watch_seconds = arguments_.budget;
  options.launcher.limit_seconds = arguments_.limit;
  options.on_launch = [this](const Launcher::Outcome& outcome) {
    progress_.launched(short_name(outcome.group->kernel->name));
  };
  options.on_report = [this](const ProgramResult& since) {
    return capture_json(since, device_, resources_);
  };
  if (arguments_.json && arguments_.output.empty()) options.output = STDERR_FILENO;
  options.is_silent = measured_.has_value();  // it has printed everything on the GPU
  for (const std::string& library : libraries_that_need_a_gpu(program_))
    print_error("tilescope: the program uses {}, whose calls fail on the emulator\n", library);
  if (Status chosen = choose_records(arguments_, &options.launcher); !chosen) return chosen;
  record_folder_ = options.launcher.recording.folder;
  auto run = run_program(options);
  if (!run) return std::move(run).error();
  emulated_ = *std::move(run);
  return ok_status();
}

Result<int> Execution::show() {
  const int status = show_launch(arguments_, *emulated_, device_);
  std::error_code ignored;
  if (arguments_.save.empty()) std::filesystem::remove_all(record_folder_, ignored);
  return status;
}

// Why a program may have ended early.
std::string what_it_lacks(const ExecArguments& arguments) {
  constexpr std::uintmax_t kMostBytes = 4 << 20;
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::current_path(unknown);
  const bool is_text = is_cuda_source(arguments.program) || is_host_source(arguments.program);
  const auto text = is_text ? read_file(arguments.program, kMostBytes) : std::nullopt;
  if (text) {
    std::string lacks = missing_input(*text, arguments.program, arguments.words.size(), folder);
    if (!lacks.empty()) return lacks;
  }
  return fmt::format("{}It looks for files in {}, and may wait for lines on its standard input",
                     arguments.words.empty() ? "Arguments for it go behind --. " : "",
                     folder.string());
}

Result<int> Execution::finish() {
  const GpuRun* measured = measured_ ? &*measured_ : nullptr;
  const int status = measured != nullptr ? measured->exit_status : emulated_->exit_status;
  if (!emulated_) {
    progress_.ended(measured->how, 0);
    const std::string text =
        arguments_.json ? gpu_run_json(*measured) + '\n' : gpu_run_text(*measured);
    if (Status written = write_report(arguments_, text); !written) return written.error();
    return status == 0 ? 0 : 2;
  }
  const ProgramResult& run = *emulated_;
  const std::size_t problems = count_problems(run);
  progress_.ended(run.how, problems);
  if (!run.used_cuda && measured == nullptr) {
    print_error("tilescope: the program {} before it used the device. {}\n", run.how,
                what_it_lacks(arguments_));
    return status == 0 ? 0 : 2;
  }
  const std::string text = arguments_.json ? exec_json(run, device_, measured) + '\n'
                                           : exec_text(run, device_, measured);
  if (Status written = write_report(arguments_, text); !written) return written.error();
  if (problems != 0) print_error("tilescope: {} found\n", counted(problems, "problem"));
  if (problems != 0 || status != 0) return 2;
  // Where a launch was left in its middle, what the program says of its results means nothing.
  constexpr int kMachineCannot = 3;
  const bool is_whole =
      std::ranges::none_of(run.groups, [](const auto& group) { return group->cut_short != 0; });
  return is_whole ? 0 : kMachineCannot;
}

Result<int> Execution::run() {
  if (Status chosen = choose_places(); !chosen) return chosen.error();
  if (Status chosen = choose_device(); !chosen) return chosen.error();
  auto program = program_of(arguments_, device_.compute_capability);
  if (!program) return std::move(program).error();
  program_ = *std::move(program);
  std::signal(SIGINT, SIG_IGN);  // ends the program; what it did until then is still reported
  progress_.running();
  if (on_gpu_) {
    if (Status done = measure(); !done) return done.error();
    constexpr int kInterrupted = 128 + SIGINT;
    on_emulator_ &= measured_->exit_status != kInterrupted;
  }
  if (on_emulator_) {
    if (Status done = emulate(); !done) {
      if (!measured_ || keeps_data()) return done.error();
      print_error("tilescope: the program is measured, but not emulated: {}\n",
                  to_string(done.error()));
    }
  }
  if (!arguments_.launch.empty() && emulated_) return show();
  // Before the report says that the program has ended, for whoever watches it.
  const Status saved = arguments_.save.empty() || !emulated_
                           ? ok_status()
                           : save_session(arguments_, *emulated_, device_, resources_);
  const Result<int> status = finish();
  if (status && !saved) return saved.error();
  return status;
}

int exec(const ExecArguments& given) {
  const ExecArguments arguments = with_place_to_save(given);
  ProgressFile progress(arguments.progress);
  const auto fail = [&](const Error& error) {
    progress.failed(error);
    return report(error);
  };
  const auto& resources = load_resources();
  if (!resources) return fail(resources.error());
  const auto status = Execution(arguments, *resources, progress).run();
  if (!status) return fail(status.error());
  if (!arguments.open) return *status;
  std::fflush(nullptr);
  std::signal(SIGINT, SIG_DFL);
  ::execl(program_file().c_str(), "tilescope", arguments.save.c_str(), nullptr);
  return report({ErrorCode::kMachine, "the window cannot be started", "", {}});
}

}  // namespace

void add_exec_command(CommandOptions app, CommandContext& context) {
  auto arguments = std::make_shared<ExecArguments>();
  CommandOptions command = app.add_subcommand(
      "exec",
      "run a whole CUDA program: its launches are emulated and checked, and measured on a GPU");
  command.alias("capture");  // as Python calls it
  command
      .add_option("program", arguments->program, "a program, or a .cu or .cpp file with a main()")
      .required();
  command.add_option("arguments", arguments->words, "-- ARGUMENTS of the program");
  command.add_option("--nvcc", arguments->nvcc,
                     "further files and options for nvcc: --nvcc \"b.cu -Iinclude -lm\"");
  add_header_option(command);
  command.add_option("--device", arguments->device,
                     "GPU that the emulated program sees, by a part of its name; default: this "
                     "machine's, else H100");
  command
      .add_option("--budget", arguments->budget,
                  "seconds of each launch in which its blocks are checked and counted; the rest "
                  "is executed without; default: 5")
      .between(0.0, 1e6);
  command
      .add_option("--limit", arguments->limit,
                  "seconds for all launches of a kernel with the same grid and block; what is left "
                  "then is not executed, which the report says; default: 30")
      .between(0.0, 1e9);
  command.add_flag("--no-check", arguments->no_check,
                   "do not check for races and uninitialised reads (faster)");
  command.add_flag("--json", arguments->json,
                   "output JSON; what the program prints then goes to stderr");
  command.add_option("--launch", arguments->launch,
                     "KERNEL#N: show this launch as trace does, with its real data");
  command.add_option(
      "--save", arguments->save,
      "FILE.tilescope: the first launch of each kernel with its data, as a session (at most 16)");
  CommandOption gpu =
      command.add_flag("--gpu", arguments->only_gpu,
                       "run on this machine's GPU alone: launches are measured, not checked");
  command
      .add_flag("--emulate", arguments->only_emulated,
                "run on the emulator alone: launches are checked, not measured")
      .excludes(gpu);
  command.add_option("--progress", arguments->progress,
                     "append to a file how far the program has come, a line of JSON each time");
  command.add_flag("--open", arguments->open, "open these launches in the window");
  command.add_option("-o,--output", arguments->output, "write the report into a file");
  command.add_flag("--quiet", arguments->quiet, "print the program's own output alone");
  command.add_option("--workers", arguments->workers, "threads; default: all processors");
  command.callback([arguments, &context] { context.status = exec(*arguments); });
}

}  // namespace tilescope
