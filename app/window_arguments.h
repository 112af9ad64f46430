#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/worker_options.h"
#include "core/result.h"
#include "ui/window.h"

namespace tilescope {

class CommandOptions;

// The window's options as they are typed.
struct WindowArguments {
  WindowOptions options;  // those that need no reading
  std::string pixels;     // empty: the session's, else 1920x1080
  std::string view;
  std::string theme;
  std::vector<std::string> parameters;
  std::optional<double> alpha;  // of a GEMM of the catalogue
  std::optional<double> beta;
  std::optional<std::uint32_t> step;
  bool no_gpu = false;
  WorkerOptions workers;
};
void add_window_options(CommandOptions app, WindowArguments& window);

// All of them, read. Errors (kUsage) name the option.
[[nodiscard]] Result<WindowOptions> window_options(const WindowArguments& window);

}  // namespace tilescope
