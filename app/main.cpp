#include <fmt/format.h>

#include <csignal>
#include <new>
#include <system_error>
#include <thread>

#include "analysis/study/opened_file.h"
#include "build_config.h"
#include "cli/capture_command.h"
#include "cli/command.h"
#include "cli/completion_command.h"
#include "cli/doctor_command.h"
#include "cli/exec_command.h"
#include "cli/explain_command.h"
#include "cli/export_command.h"
#include "cli/fetch_command.h"
#include "cli/history_command.h"
#include "cli/learn_command.h"
#include "cli/lesson_command.h"
#include "cli/list_command.h"
#include "cli/model_command.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"
#include "cli/run_command.h"
#include "cli/sweep_command.h"
#include "cli/trace_command.h"
#include "cli/tune_command.h"
#include "cli/verify_command.h"
#include "core/allocation.h"
#include "core/job_pool.h"
#include "emulator/program_implementation.h"
#include "gpu/worker_link.h"
#include "kernel/compile/nvrtc_process.h"
#if TILESCOPE_UI
#include "ui/window.h"
#include "window_arguments.h"
#endif

namespace tilescope {
namespace {

// A word that is no command is a kernel to open: a file, or one of the catalogue.
Status check_kernel(const std::string& kernel) {
  if (kernel.empty() || can_be_opened(kernel) || kernel.ends_with(".tilescope")) {
    return ok_status();
  }
  auto resources = load_resources();
  if (!resources) return std::move(resources).error();
  if (resources->catalogue.find(kernel) != nullptr) return ok_status();
  return usage(fmt::format("there is no command and no kernel '{}'", kernel),
               "See tilescope --help");
}

int run_program(int argc, char** argv) {
  CommandLine line("tilescope",
                   "Shows what a CUDA kernel does to the GPU. Without a command the window opens.",
                   "tilescope " TILESCOPE_VERSION);
  CommandOptions app = line.program();
  app.require_subcommand(0, 1);
  app.footer(
      "Exit status: 0 done; 1 a mistake on the command line; 2 the kernel is wrong (problems were "
      "found); 3 the machine cannot; 4 the file does not compile.");
  CommandContext context;
  add_list_command(app, context);
  add_explain_command(app, context);
  add_lesson_command(app, context);
  add_learn_command(app, context);
  add_trace_command(app, context);
  add_exec_command(app, context);
  add_serve_program_command(app, context);
  add_run_command(app, context);
  add_sweep_command(app, context);
  add_model_command(app, context);
  add_tune_command(app, context);
  add_verify_command(app, context);
  add_history_command(app, context);
  add_export_command(app, context);
  add_doctor_command(app, context);
  add_fetch_command(app, context);
  add_completion_command(app, context);
  CommandOptions worker =
      app.add_subcommand("worker", "serves a GPU over stdin and stdout (started by the program)");
  int worker_device = 0;
  worker.add_option("--device", worker_device, "which of the GPUs that the driver shows")
      .between(0, 1023)
      .capture_default_str();
  std::string kernel;
  app.add_option("kernel", kernel,
                 "catalogue id (gemm/naive), or a .cu, .ptx or .tilescope file to open, or one "
                 "with device code: a cubin, a fat binary, a program");
#if TILESCOPE_UI
  WindowArguments window;
  add_window_options(app, window);
#endif
  if (lacks_instruction_set()) {
    print_error(
        "tilescope: it was built on another machine, so the emulator is slow here: see tilescope "
        "doctor\n");
  }
  if (const auto status = line.parse(argc, argv)) return *status;
  if (worker.is_named()) return worker_main(worker_device);
  if (app.has_named_subcommand()) return context.status;
  if (Status status = check_kernel(kernel); !status) return report(status.error());
#if TILESCOPE_UI
  auto options = window_options(window);
  if (!options) return report(options.error());
  (kernel.ends_with(".tilescope") ? options->session : options->kernel) = kernel;
  end_at_signals();
  // They inherit the priority of the thread that starts them.
  std::thread([] {
    work_behind_window();
    nvrtc().start_ahead(2);
  }).join();
  return run_window(*options);
#else
  return report(
      {ErrorCode::kMachine, "this build has no window", "Build it with -DTILESCOPE_UI=ON", {}});
#endif
}

// What the machine refuses deep inside, where nothing could be done about it: one message.
int run_guarded(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc&) {
    return report({ErrorCode::kMachine,
                   "there is not enough memory for this",
                   "Try a smaller grid, smaller buffers or fewer --workers",
                   {}});
  } catch (const std::system_error& problem) {
    return report({ErrorCode::kMachine,
                   fmt::format("the system refused: {}", problem.what()),
                   "Check the limits of this shell (ulimit -a)",
                   {}});
  }
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  if (const auto status = tilescope::serve_as_compile_worker(argc, argv)) return *status;
  tilescope::open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow fails as one that cannot be written
  tilescope::keep_freed_memory();
  return tilescope::end_output(tilescope::run_guarded(argc, argv));
}
