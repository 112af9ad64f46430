#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "gpu/worker_pool.h"
#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/drawing/palette.h"
#include "scene/views.h"

namespace tilescope {

struct WindowOptions {
  // EGL framebuffer instead of a GLFW window; without a display also for a screenshot or a script.
  bool headless = false;
  std::string screenshot;  // write this PNG once everything asked for is computed, then end
  // Then at the latest, saying that not all is there.
  double screenshot_seconds = 300;
  int width = 1920;
  int height = 1080;
  float scale = 1;  // interface scale; 0: from the display
  std::optional<View> view;
  std::optional<Theme> theme;
  bool lecture = false;
  std::string kernel;    // catalogue id or file; empty: what was left, else the usual kernel
  std::string session;   // file to open; its window's size is taken where none is asked for
  std::string lesson;    // to open, by its name
  std::string exercise;  // likewise
  bool sized = false;    // width and height were asked for
  bool keep = false;     // headless or scripted: keep and recover the document all the same
  ParameterSet parameters;
  std::string size;
  GemmFactors factors;
  std::optional<std::uint32_t> step;  // k-step to stand at
  std::string script;                 // file that drives the window (ui/script.h)
  bool measure = true;                // false: start no worker
  std::vector<WorkerSource> workers;  // empty: one of this machine
};

// Runs the interface until it is closed (or the screenshot is written). Exit status; every failure
// has printed one clear line on stderr (no display, no OpenGL 3.3, ...).
int run_window(const WindowOptions& options);

}  // namespace tilescope
