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

#include "cli/exec_report.h"
#include "cli/options.h"
#include "core/file.h"
#include "core/parallel.h"
#include "exec/host_program.h"
#include "exec/program_run.h"

namespace tilescope {
namespace {

constexpr int kDoesNotCompile = 4;  // exit status
constexpr double kUsualBudget = 5;  // seconds

struct ExecArguments {
  std::string program;
  std::vector<std::string> words;  // of the program
  std::string nvcc;
  std::string device = "H100";
  double budget = kUsualBudget;
  bool no_check = false;
  bool json = false;
  bool quiet = false;
  std::string output;
  unsigned workers = 0;
};

std::vector<std::string> split(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

// The program, compiled where a CUDA file was given. `status`: what to end with where it fails.
Result<std::filesystem::path> program_of(const ExecArguments& arguments, int compute_capability) {
  if (!arguments.program.ends_with(".cu") && !arguments.program.ends_with(".cuh")) {
    // Without a folder in its name it is the one here, not one that $PATH finds.
    const std::filesystem::path program = std::filesystem::absolute(arguments.program);
    if (Status right = check_program(program); !right) return std::move(right).error();
    return program;
  }
  return build_program({arguments.program, split(arguments.nvcc), compute_capability}, {});
}

int finish(const ExecArguments& arguments, const ProgramRun& run, const DeviceModel& device) {
  if (!run.used_cuda) {
    print_error("tilescope: the program {} without a call of CUDA's runtime library\n", run.how);
    return run.exit_status == 0 ? 0 : 2;
  }
  const std::string text = arguments.json ? exec_json(run, device) + '\n' : exec_text(run, device);
  if (!arguments.output.empty()) {
    if (Status written = write_file(arguments.output, text); !written)
      return report(written.error());
  } else if (!arguments.quiet) {
    print_out("{}", text);
  }
  const std::size_t problems = count_problems(run);
  if (problems != 0) {
    print_error("tilescope: {} found\n", counted(problems, "problem"));
    return 2;
  }
  return run.exit_status == 0 ? 0 : 2;
}

int exec(const ExecArguments& arguments) {
  auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto index = find_named_device(arguments.device, resources->devices);
  if (!index) return report(index.error());
  ProgramOptions options;
  options.device = resources->devices[static_cast<std::size_t>(std::max(*index, 0))];
  const auto program = program_of(arguments, options.device.compute_capability);
  if (!program) {
    const int status = report(program.error());
    return program.error().code == ErrorCode::kKernel ? kDoesNotCompile : status;
  }
  options.program = *program;
  options.arguments = arguments.words;
  options.launcher.workers = arguments.workers != 0 ? arguments.workers : processor_count();
  options.launcher.check = !arguments.no_check;
  options.launcher.watch_seconds = arguments.budget;
  options.output_to_errors = arguments.json && arguments.output.empty();
  std::signal(SIGINT, SIG_IGN);  // ends the program; what it did until then is still reported
  const auto run = run_program(options);
  if (!run) return report(run.error());
  return finish(arguments, *run, options.device);
}

}  // namespace

void add_exec_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExecArguments>();
  CLI::App* command = app.add_subcommand(
      "exec", "run a whole CUDA program without a GPU: its launches are emulated and checked");
  command->add_option("program", arguments->program, "a program, or a .cu file with a main()")
      ->required();
  command->add_option("arguments", arguments->words, "-- ARGUMENTS of the program");
  command->add_option("--nvcc", arguments->nvcc,
                      "further files and options for nvcc: --nvcc \"b.cu -Iinclude -lm\"");
  command->add_option("--device", arguments->device,
                      "GPU that the program sees, by a part of its name; default: H100");
  command
      ->add_option("--budget", arguments->budget,
                   "seconds of each launch in which its blocks are checked and counted; the rest "
                   "is executed without; default: 5")
      ->check(between(0.0, 1e6));
  command->add_flag("--no-check", arguments->no_check,
                    "do not check for races and uninitialised reads (faster)");
  command->add_flag("--json", arguments->json,
                    "output JSON; what the program prints then goes to stderr");
  command->add_option("-o,--output", arguments->output, "write the report into a file");
  command->add_flag("--quiet", arguments->quiet, "print the program's own output alone");
  command->add_option("--workers", arguments->workers, "threads; default: all processors");
  command->callback([arguments, &context] { context.status = exec(*arguments); });
}

}  // namespace tilescope
