#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <new>
#include <system_error>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/resources.h"
#include "core/allocation.h"
#include "gpu/worker_link.h"
#if TILESCOPE_WITH_UI
#include "ui/window.h"
#endif

namespace tilescope {
namespace {

Error usage(std::string message) {
  return {ErrorCode::kUsage, std::move(message), "See tilescope --help", {}};
}

// A word that is no command is a kernel to open: a file, or one of the catalogue.
Status check_kernel(const std::string& kernel) {
  if (kernel.empty() || kernel.ends_with(".cu") || kernel.ends_with(".ptx") ||
      kernel.ends_with(".tilescope")) {
    return ok_status();
  }
  auto resources = load_resources();
  if (!resources) return std::move(resources).error();
  if (resources->catalogue.find(kernel) != nullptr) return ok_status();
  return usage(fmt::format("there is no command and no kernel '{}'", kernel));
}

#if TILESCOPE_WITH_UI
// The window's options as they are typed.
struct WindowArguments {
  WindowOptions options;
  std::string pixels;  // empty: the session's, else 1920x1080
  std::string view;
  std::string theme;
  std::vector<std::string> parameters;
  std::uint32_t step = 0;
  bool no_gpu = false;
};

void add_window_options(CLI::App& app, WindowArguments& window, CLI::Option** step) {
  app.add_option("-p,--parameter", window.parameters, "NAME=VALUE, repeatable");
  app.add_option("--size", window.options.size, "N, RxC or MxNxK");
  app.add_flag("--headless", window.options.headless, "draw into memory instead of a window");
  app.add_option("--screenshot", window.options.screenshot,
                 "write this PNG once all is computed, then end");
  app.add_option("--pixels", window.pixels, "WxH of the window; else the session's, or 1920x1080");
  app.add_option("--scale", window.options.scale, "interface scale")->capture_default_str();
  app.add_option("--view", window.view, "the one in front; export --help names them all");
  app.add_option("--theme", window.theme, "dark or light");
  app.add_flag("--lecture", window.options.lecture, "the view alone, for a projector");
  *step = app.add_option("--at", window.step, "k-step to stand at");
  app.add_option("--script", window.options.script, "file that drives the window");
  app.add_flag("--no-gpu", window.no_gpu, "start no worker");
  app.add_option("--session", window.options.session, "session file to open");
  app.add_flag(
      "--keep", window.options.keep,
      "keep the session and recover it, as a window does, with --headless or --script too");
}

Status complete(WindowArguments& window, const CLI::Option* step) {
  WindowOptions& options = window.options;
  char end = 0;
  options.sized = !window.pixels.empty();
  if (!options.sized) window.pixels = "1920x1080";
  if (std::sscanf(window.pixels.c_str(), "%dx%d%c", &options.width, &options.height, &end) != 2 ||
      options.width < 320 || options.height < 240 || options.width > 16384 ||
      options.height > 16384) {
    return usage(fmt::format("--pixels {} is not WxH from 320x240 to 16384x16384", window.pixels));
  }
  if (!window.view.empty() && !(options.view = parse_view(window.view))) {
    return usage(fmt::format("--view {}: there is no such view", window.view));
  }
  if (!window.theme.empty() && !(options.theme = parse_theme(window.theme))) {
    return usage(fmt::format("--theme {}: there is no such theme", window.theme));
  }
  for (const std::string& assignment : window.parameters) {
    char name[64] = {};
    long long value = 0;
    if (std::sscanf(assignment.c_str(), "%63[^=]=%lld%c", name, &value, &end) != 2) {
      return usage(fmt::format("-p {} is not NAME=WHOLE_NUMBER", assignment));
    }
    options.parameters[name] = value;
  }
  if (step->count() > 0) options.step = window.step;
  options.measure = !window.no_gpu;
  return ok_status();
}
#endif

int run_program(int argc, char** argv) {
  CLI::App app("Shows what a CUDA kernel does to the GPU. Without a command the window opens.",
               "tilescope");
  app.set_version_flag("--version", "tilescope " TILESCOPE_VERSION);
  app.require_subcommand(0, 1);
  CommandContext context;
  add_list_command(app, context);
  add_trace_command(app, context);
  add_run_command(app, context);
  add_sweep_command(app, context);
  add_verify_command(app, context);
  add_history_command(app, context);
  add_export_command(app, context);
  add_doctor_command(app, context);
  CLI::App* worker =
      app.add_subcommand("worker", "serves a GPU over stdin and stdout (started by the program)");
  std::string kernel;
  app.add_option("kernel", kernel,
                 "catalogue id (gemm/naive), or a .cu, .ptx or .tilescope file to open");
#if TILESCOPE_WITH_UI
  WindowArguments window;
  CLI::Option* step = nullptr;
  add_window_options(app, window, &step);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 1;
  }
  if (worker->parsed()) return worker_main();
  if (!app.get_subcommands().empty()) return context.status;
  if (Status status = check_kernel(kernel); !status) return report(status.error());
#if TILESCOPE_WITH_UI
  (kernel.ends_with(".tilescope") ? window.options.session : window.options.kernel) = kernel;
  if (Status status = complete(window, step); !status) return report(status.error());
  end_at_signals();
  return run_window(window.options);
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
                   "Look at the limits that hold here (ulimit -a)",
                   {}});
  }
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  tilescope::open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow fails as one that cannot be written
  tilescope::keep_freed_memory();
  return tilescope::end_output(tilescope::run_guarded(argc, argv));
}
