#include "window_arguments.h"

#include <fmt/format.h>

#include <tuple>

#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "cli/options.h"
#include "cli/parser/command_line.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostPooled = 1024;  // --launches limits it before

Error no_such(const char* option, const std::string& word, const char* what) {
  return usage(fmt::format("{} {}: there is no such {}", option, word, what),
               "See tilescope --help");
}

}  // namespace

void add_window_options(CommandOptions app, WindowArguments& window) {
  app.add_option("-p,--parameter", window.parameters, "NAME=VALUE, repeatable")
      .allow_extra_args(false);
  add_header_option(app);
  app.add_option("--size", window.options.size, "N, or the sizes of its problem: RxC, MxNxK");
  app.add_option("--alpha", window.alpha, "GEMM: C = alpha A B + beta C; default 1");
  app.add_option("--beta", window.beta, "GEMM: default 0 (C is not read)");
  app.add_flag("--headless", window.options.headless, "draw into memory instead of a window");
  app.add_option("--screenshot", window.options.screenshot,
                 "write this PNG when everything is computed, then exit");
  app.add_option("--wait", window.options.screenshot_seconds,
                 "maximum wait of --screenshot in seconds; after it the picture is incomplete and "
                 "the exit status is 3")
      .capture_default_str();
  app.add_option("--pixels", window.pixels,
                 "WxH of the window; default: the session's, or 1920x1080");
  app.add_option("--scale", window.options.scale, "interface scale").capture_default_str();
  app.add_option("--view", window.view, "the view in front; export --help lists all");
  app.add_option("--theme", window.theme, "dark or light");
  app.add_flag("--lecture", window.options.lecture, "only the view, for a projector");
  app.add_option("--at", window.step, "loop step (k) to show");
  app.add_option("--script", window.options.script, "script that controls the window");
  app.add_flag("--no-gpu", window.no_gpu, "do not use a GPU");
  add_worker_options(app, window.workers);
  app.add_option("--session", window.options.session, "session file to open");
  app.add_option("--lesson", window.options.lesson, "lesson to open; lesson list names them");
  app.add_option("--exercise", window.options.exercise, "exercise to open; learn lists them");
  app.add_flag("--keep", window.options.keep,
               "keep and restore the session also with --headless or --script");
}

Result<WindowOptions> window_options(const WindowArguments& window) {
  WindowOptions options = window.options;
  options.sized = !window.pixels.empty();
  if (options.sized) {
    const auto pixels = parse_pixels(window.pixels);
    if (!pixels) return pixels.error();
    std::tie(options.width, options.height) = *pixels;
  }
  if (!window.view.empty() && !(options.view = parse_view(window.view))) {
    return no_such("--view", window.view, "view");
  }
  if (!window.theme.empty() && !(options.theme = parse_theme(window.theme))) {
    return no_such("--theme", window.theme, "theme");
  }
  auto parameters = parse_parameters(window.parameters);
  if (!parameters) return parameters.error();
  options.parameters = *std::move(parameters);
  if (window.alpha) options.factors["alpha"] = *window.alpha;
  if (window.beta) options.factors["beta"] = *window.beta;
  options.step = window.step;
  options.measure = !window.no_gpu;
  if (window.workers.any()) options.workers = worker_sources(window.workers, kMostPooled);
  return options;
}

}  // namespace tilescope
