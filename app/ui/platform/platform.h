#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "export/png_file.h"

struct ImDrawData;

namespace tilescope {

using Screenshot = PixelImage;  // of a finished frame

struct PlatformOptions {
  int width = 1920;  // pixels
  int height = 1080;
  std::string title = "Tilescope";
  bool fits_screen = false;  // a smaller screen makes the window smaller
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

  // A second picture for another screen, after end_frame(): in a window of its own, whose keys go
  // to the first one. nullptr: there is none, and its window closes.
  virtual void show_beside(ImDrawData* /*page*/) {}
  // Its pixels as it was shown last; empty: there is none.
  [[nodiscard]] virtual Screenshot read_beside() const { return {}; }
  // Whether a person has closed its window since the last call.
  [[nodiscard]] virtual bool take_beside_closed() { return false; }

  // Files that were dropped onto the window since the last call.
  [[nodiscard]] virtual std::vector<std::string> take_dropped_files() = 0;
};

// Pixels of the framebuffer that is bound, bottom row of OpenGL turned to the last.
[[nodiscard]] Screenshot read_framebuffer(int width, int height);

// "OpenGL 4.5, llvmpipe (LLVM 15.0.6, 256 bits)" of the current context.
[[nodiscard]] std::string describe_gl();

// Whether anything at all was drawn: the window has no black part as large as itself.
[[nodiscard]] bool is_drawn(const Screenshot& picture);

// What OpenGL reports of its last calls, "out of memory" or the error's number; "" where all is
// well. Asking clears it.
[[nodiscard]] std::string take_gl_errors();

// Before the first OpenGL context. Mesa maps the index of its shader cache without having written
// it: where its disk is full, the first use ends the process (SIGBUS). There it has to do without.
void spare_full_disk_of_shader_cache();

// Whether the disk of this folder, which need not be there yet, has room for that index.
[[nodiscard]] bool has_room_for_shader_cache(const std::filesystem::path& folder);

}  // namespace tilescope
