#include "cli/exec_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "cli/exec_report.h"
#include "cli/kernel_arguments.h"
#include "cli/options.h"
#include "cli/trace_command.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/quantity.h"
#include "exec/gpu_run.h"
#include "exec/host_program.h"
#include "exec/program_run.h"
#include "kernel/compile/compile.h"
#include "kernel/launch/file_launch.h"
#include "session/session_file.h"

namespace tilescope {
namespace {

constexpr double kUsualBudget = 5;  // seconds
constexpr double kUsualLimit = 30;

struct ExecArguments {
  std::string program;
  std::vector<std::string> words;  // of the program
  std::string nvcc;
  std::string device = "H100";
  double budget = kUsualBudget;
  double limit = kUsualLimit;
  bool no_check = false;
  bool json = false;
  bool quiet = false;
  std::string output;
  std::string launch;  // KERNEL#N
  std::string save;
  bool open = false;
  bool on_gpu = false;
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
  const std::string number = text.substr(mark + 1);
  if (number.empty() || !CLI::detail::lexical_cast(number, choice.number) || choice.number == 0) {
    return usage(fmt::format("--launch {} is not KERNEL#N", text), "For example --launch sgemm#2");
  }
  return choice;
}

// As --arg takes it.
std::vector<std::string> argument_texts(const LaunchForm& form) {
  const auto text = launch_text(form);
  return text ? text->arguments : std::vector<std::string>();
}

// The recorded launch as `trace` would be asked for it, by its source or by its PTX.
KernelArguments as_arguments(const RecordedLaunch& launch, bool by_source, int compute_capability) {
  KernelArguments arguments;
  arguments.kernel_or_file = by_source ? launch.source : launch.ptx;
  arguments.kernel = by_source ? launch.name : launch.symbol;
  arguments.grid = launch.form.grid;
  arguments.block = launch.form.block;
  arguments.shared_bytes = static_cast<std::uint32_t>(std::stoul(launch.form.dynamic_shared));
  arguments.arguments = argument_texts(launch.form);
  arguments.architecture = fmt::format("sm_{}", compute_capability);
  return arguments;
}

// Whether the kernel's source compiles by itself, so that the launch can be shown with it.
bool compiles_alone(const RecordedLaunch& launch, int compute_capability) {
  if (launch.source.empty()) return false;
  StudyRequest request;
  auto instance =
      resolve_instance(as_arguments(launch, true, compute_capability), &request.compute_capability);
  if (!instance) return false;
  return compile({*std::move(instance), compute_capability, false}, {}).ok();
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
  const bool by_source = compiles_alone(launch, device.compute_capability);
  return trace_kernel(as_arguments(launch, by_source, device.compute_capability), device,
                      arguments.json);
}

// The recorded launches as a session: its variants, with their real data.
Status save_session(const ExecArguments& arguments, const ProgramResult& run,
                    const DeviceModel& device, const Resources& resources) {
  if (run.record_error) return *run.record_error;
  if (run.records.empty())
    return usage("the program launches nothing that could be saved", "Give it arguments: -- ...");
  Document document;
  for (const RecordedLaunch& launch : run.records) {
    const bool by_source = compiles_alone(launch, device.compute_capability);
    VariantDocument variant;
    variant.file = std::filesystem::absolute(by_source ? launch.source : launch.ptx).string();
    const auto text = read_file(variant.file, kMostSourceBytes);
    if (!text) continue;
    variant.original = share_text(*text);
    variant.launch = launch.form;
    if (!by_source) variant.launch.kernel = launch.symbol;
    document.variants.push_back(std::move(variant));
  }
  complete_own_kernels(&document);
  return write_file(arguments.save,
                    session_text(document, {resources.catalogue, resources.devices}));
}

// Which launches are recorded, and where.
Status choose_records(const ExecArguments& arguments, LauncherOptions* launcher) {
  if (!arguments.launch.empty()) {
    const auto choice = parse_launch(arguments.launch);
    if (!choice) return choice.error();
    auto matches = std::make_shared<std::uint64_t>(0);
    launcher->record = [choice = *choice, matches](const std::string& kernel, std::uint64_t) {
      return kernel.find(choice.kernel) != std::string::npos && ++*matches == choice.number;
    };
  } else if (!arguments.save.empty()) {
    auto count = std::make_shared<std::size_t>(0);
    launcher->record = [count](const std::string&, std::uint64_t before) {
      return before == 0 && ++*count <= kMostDocumentVariants;
    };
  }
  // Data of a session lies beside it.
  launcher->record_folder =
      arguments.save.empty()
          ? temporary_directory() / fmt::format("tilescope-launch-{}", ::getpid())
          : std::filesystem::absolute(arguments.save + ".data");
  return ok_status();
}

std::vector<std::string> split_at_spaces(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

// The program, compiled where a CUDA file was given, for that compute capability.
Result<std::filesystem::path> program_of(const ExecArguments& arguments, int compute_capability) {
  std::error_code ignored;
  if (!is_cuda_source(arguments.program)) {
    // Without a folder in its name it is the one here; on a GPU also one that $PATH finds: python3.
    const std::filesystem::path program = std::filesystem::absolute(arguments.program);
    if (arguments.on_gpu) {
      if (!std::filesystem::exists(program, ignored))
        return std::filesystem::path(arguments.program);
    } else if (Status right = check_program(program); !right) {
      return std::move(right).error();
    }
    return program;
  }
  if (!std::filesystem::is_regular_file(arguments.program, ignored)) {
    return usage(fmt::format("there is no file {}", arguments.program), "Check its name");
  }
  return build_program({arguments.program, split_at_spaces(arguments.nvcc), compute_capability},
                       {});
}

// Into the file that was asked for, or to the end of what the program printed.
Status write_report(const ExecArguments& arguments, const std::string& text) {
  if (!arguments.output.empty()) return write_file(arguments.output, text);
  if (!arguments.quiet) print_out("{}", text);
  return ok_status();
}

int finish(const ExecArguments& arguments, const ProgramResult& run, const DeviceModel& device) {
  if (!run.used_cuda) {
    print_error("tilescope: the program {} before it used the device\n", run.how);
    return run.exit_status == 0 ? 0 : 2;
  }
  const std::string text = arguments.json ? exec_json(run, device) + '\n' : exec_text(run, device);
  if (Status written = write_report(arguments, text); !written) return report(written.error());
  const std::size_t problems = count_problems(run);
  if (problems != 0) {
    print_error("tilescope: {} found\n", counted(problems, "problem"));
    return 2;
  }
  return run.exit_status == 0 ? 0 : 2;
}

// Without --save the session that --open shows lies in the cache.
ExecArguments with_place_to_save(ExecArguments arguments) {
  if (arguments.open && arguments.save.empty()) {
    const std::filesystem::path folder = cache_directory() / "launches";
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    arguments.save = (folder / fmt::format("{}.tilescope", ::getpid())).string();
  }
  return arguments;
}

// On this machine's GPU, as it is: launches are measured, not checked.
int exec_on_gpu(const ExecArguments& arguments) {
  if (!arguments.launch.empty() || !arguments.save.empty() || arguments.open) {
    return report(usage("--gpu measures launches and keeps no data of them",
                        "Leave out --gpu for --launch, --save and --open"));
  }
  if (!machine_has_gpu())
    return report({ErrorCode::kMachine, "this machine has no NVIDIA GPU", "Leave out --gpu", {}});
  const auto program = program_of(arguments, 0);
  if (!program) return report(program.error());
  GpuRunOptions options{*program, arguments.words};
  if (arguments.json && arguments.output.empty()) options.output = STDERR_FILENO;
  std::signal(SIGINT, SIG_IGN);  // ends the program; what it did until then is still reported
  const auto run = run_on_gpu(options);
  if (!run) return report(run.error());
  const std::string text = arguments.json ? gpu_run_json(*run) + '\n' : gpu_run_text(*run);
  if (Status written = write_report(arguments, text); !written) return report(written.error());
  return run->exit_status == 0 ? 0 : 2;
}

int exec(const ExecArguments& given) {
  if (given.on_gpu) return exec_on_gpu(given);
  const ExecArguments arguments = with_place_to_save(given);
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto index = find_named_device(arguments.device, resources->devices);
  if (!index) return report(index.error());
  ProgramOptions options;
  options.device = resources->devices[static_cast<std::size_t>(std::max(*index, 0))];
  const auto program = program_of(arguments, options.device.compute_capability);
  if (!program) return report(program.error());
  options.program = *program;
  options.arguments = arguments.words;
  options.launcher.workers = arguments.workers != 0 ? arguments.workers : processor_count();
  options.launcher.check = !arguments.no_check;
  options.launcher.watch_seconds = arguments.budget;
  options.launcher.limit_seconds = arguments.limit;
  if (arguments.json && arguments.output.empty()) options.output = STDERR_FILENO;
  for (const std::string& library : libraries_that_need_a_gpu(*program))
    print_error("tilescope: the program uses {}, whose calls fail without a GPU\n", library);
  if (Status chosen = choose_records(arguments, &options.launcher); !chosen)
    return report(chosen.error());
  std::signal(SIGINT, SIG_IGN);  // ends the program; what it did until then is still reported
  const auto run = run_program(options);
  if (!run) return report(run.error());
  if (!arguments.save.empty()) {
    if (Status saved = save_session(arguments, *run, options.device, *resources); !saved)
      return report(saved.error());
  }
  if (!arguments.launch.empty()) {
    const int status = show_launch(arguments, *run, options.device);
    std::error_code ignored;
    if (arguments.save.empty())
      std::filesystem::remove_all(options.launcher.record_folder, ignored);
    return status;
  }
  const int status = finish(arguments, *run, options.device);
  if (!arguments.open) return status;
  std::fflush(nullptr);
  std::signal(SIGINT, SIG_DFL);
  ::execl(program_file().c_str(), "tilescope", arguments.save.c_str(), nullptr);
  return report({ErrorCode::kMachine, "the window cannot be started", "", {}});
}

}  // namespace

void add_exec_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExecArguments>();
  CLI::App* command = app.add_subcommand(
      "exec",
      "run a whole CUDA program: its launches are emulated and checked, or measured on the GPU");
  command->add_option("program", arguments->program, "a program, or a .cu file with a main()")
      ->required();
  command->add_option("arguments", arguments->words, "-- ARGUMENTS of the program");
  command->add_option("--nvcc", arguments->nvcc,
                      "further files and options for nvcc: --nvcc \"b.cu -Iinclude -lm\"");
  add_header_option(*command);
  command->add_option("--device", arguments->device,
                      "GPU that the program sees, by a part of its name; default: H100");
  command
      ->add_option("--budget", arguments->budget,
                   "seconds of each launch in which its blocks are checked and counted; the rest "
                   "is executed without; default: 5")
      ->check(between(0.0, 1e6));
  command
      ->add_option(
          "--limit", arguments->limit,
          "seconds for all launches of a kernel with the same grid and block; what is left "
          "then is not executed, which the report says; default: 30")
      ->check(between(0.0, 1e9));
  command->add_flag("--no-check", arguments->no_check,
                    "do not check for races and uninitialised reads (faster)");
  command->add_flag("--json", arguments->json,
                    "output JSON; what the program prints then goes to stderr");
  command->add_option("--launch", arguments->launch,
                      "KERNEL#N: show this launch as trace does, with its real data");
  command->add_option(
      "--save", arguments->save,
      "FILE.tilescope: the first launch of each kernel with its data, as a session");
  command->add_flag("--gpu", arguments->on_gpu,
                    "run on this machine's GPU instead: launches are measured, not checked");
  command->add_flag("--open", arguments->open, "open these launches in the window");
  command->add_option("-o,--output", arguments->output, "write the report into a file");
  command->add_flag("--quiet", arguments->quiet, "print the program's own output alone");
  command->add_option("--workers", arguments->workers, "threads; default: all processors");
  command->callback([arguments, &context] { context.status = exec(*arguments); });
}

}  // namespace tilescope
