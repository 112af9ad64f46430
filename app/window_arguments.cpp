#include "window_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <tuple>

#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "cli/options.h"

namespace tilescope {
namespace {

Error no_such(const char* option, const std::string& word, const char* what) {
  return usage(fmt::format("{} {}: there is no such {}", option, word, what),
               "See tilescope --help");
}

}  // namespace

void add_window_options(CLI::App& app, WindowArguments& window) {
  app.add_option("-p,--parameter", window.parameters, "NAME=VALUE, repeatable");
  app.add_option("--size", window.options.size, "N, or the sizes of its problem: RxC, MxNxK");
  app.add_option("--alpha", window.alpha, "GEMM: C = alpha A B + beta C; 1");
  app.add_option("--beta", window.beta, "GEMM: 0, and C is not read");
  app.add_flag("--headless", window.options.headless, "draw into memory instead of a window");
  app.add_option("--screenshot", window.options.screenshot,
                 "write this PNG once all is computed, then end");
  app.add_option("--wait", window.options.screenshot_seconds,
                 "seconds that --screenshot waits at most; then it shows what there is, and the "
                 "exit status is 3")
      ->capture_default_str();
  app.add_option("--pixels", window.pixels, "WxH of the window; else the session's, or 1920x1080");
  app.add_option("--scale", window.options.scale, "interface scale")->capture_default_str();
  app.add_option("--view", window.view, "the one in front; export --help names them all");
  app.add_option("--theme", window.theme, "dark or light");
  app.add_flag("--lecture", window.options.lecture, "the view alone, for a projector");
  app.add_option("--at", window.step, "k-step to stand at");
  app.add_option("--script", window.options.script, "file that drives the window");
  app.add_flag("--no-gpu", window.no_gpu, "start no worker");
  app.add_option("--session", window.options.session, "session file to open");
  app.add_flag(
      "--keep", window.options.keep,
      "keep the session and recover it, as a window does, with --headless or --script too");
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
  return options;
}

}  // namespace tilescope
