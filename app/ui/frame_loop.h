#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "ui/script.h"
#include "ui/window.h"

namespace tilescope {

// How long frames took, for report-frames: the program's own part, and all of it with the drawing
// that OpenGL did (with software OpenGL the larger part, on the same cores).
class FrameTimes {
 public:
  struct Frame {
    double own_seconds = 0;    // taking results, panels, draw lists
    double whole_seconds = 0;  // until the picture was finished
  };
  void add(Frame frame) { frames_.push_back(frame); }
  void forget() { frames_.clear(); }
  [[nodiscard]] std::size_t count() const { return frames_.size(); }
  [[nodiscard]] Frame slowest() const;
  [[nodiscard]] Frame median() const;

 private:
  std::vector<Frame> frames_;
};

class Interface;
class Platform;
class Workbench;

// Draws a frame when there is a reason to: input, a result, something that moves, a script. Between
// them it sleeps; a window at rest draws nothing and wakes for nothing. UI thread only.
class FrameLoop {
 public:
  // All of them outlive the loop.
  FrameLoop(const WindowOptions& options, Workbench& workbench, Platform& platform,
            Interface& interface);

  // Loads the script, if there is one.
  Status prepare();
  // Until the window is closed, the script has ended or failed, or the screenshot is written.
  Status run();

 private:
  [[nodiscard]] bool scripted() const;
  void wait();
  void draw();
  void stand_at_step();
  [[nodiscard]] bool is_due() const;
  void show_title();
  bool picture_is_complete();
  bool waited_too_long();
  [[nodiscard]] Status write_incomplete_picture() const;
  ScriptHost host();
  [[nodiscard]] Status write_picture(const std::string& file) const;
  void report_frames();

  const WindowOptions& options_;
  Workbench& workbench_;
  Platform& platform_;
  Interface& interface_;
  std::optional<Script> script_;
  FrameTimes times_;
  int frames_due_;
  int quiet_frames_ = 0;
  std::optional<double> waiting_since_;  // for the screenshot, on Workbench::now_seconds()'s clock
  bool stood_at_step_ = false;
  std::string title_;
};

}  // namespace tilescope
