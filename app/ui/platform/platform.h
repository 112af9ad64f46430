#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "export/png_file.h"

namespace tilescope {

using Screenshot = PixelImage;  // of a finished frame

struct PlatformOptions {
  int width = 1920;  // pixels
  int height = 1080;
  std::string title = "Tilescope";
};

// Where frames are drawn and inputs come from. Two of them, under the same frame code: a GLFW
// window and an EGL framebuffer. UI thread only. Needs a current ImGui context when made, and holds
// an OpenGL 3.3 core context that stays current.
class Platform {
 public:
  virtual ~Platform() = default;

  // Before ImGui::NewFrame(): size, time and inputs.
  virtual void begin_frame() = 0;
  // After ImGui::Render(): draws it and shows it. Returns when the picture is finished. Headless
  // there is nobody to show it to: it is drawn when its pixels are read.
  virtual void end_frame() = 0;

  // Takes inputs that wait; blocks until there is one, but no longer than `most_seconds`
  // (negative: as long as it takes). True when there was one.
  virtual bool wait_for_input(double most_seconds) = 0;
  [[nodiscard]] virtual bool closed() const = 0;
  virtual void resize(int width, int height) = 0;
  virtual void set_title(const std::string&) {}  // of the window, where there is one

  [[nodiscard]] virtual float display_scale() const = 0;  // 1 on a plain display, 2 on a dense one
  // Of the frame that ended last; before the next one begins.
  [[nodiscard]] virtual Screenshot read_pixels() const = 0;
  [[nodiscard]] virtual std::string description()
      const = 0;  // "OpenGL 4.5, llvmpipe ..., EGL surfaceless"

  // Files that were dropped onto the window since the last call.
  [[nodiscard]] virtual std::vector<std::string> take_dropped_files() = 0;
};

}  // namespace tilescope
