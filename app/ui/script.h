#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

struct WindowState;

// What one line of a script does, in its words; # begins a comment. The commands, and how each is
// written: ui/script.cpp.
struct ScriptCommand {
  int line = 0;
  std::vector<std::string> words;
};
// Every unknown command, and one that is not written as it should be, is an error with its line.
[[nodiscard]] Result<std::vector<ScriptCommand>> parse_script(const std::string& text,
                                                              const std::string& file);

// What a script needs of the loop that it runs in.
struct ScriptHost {
  std::function<Status(const std::string&)> screenshot;  // of the frame drawn last
  std::function<bool()> idle;                            // nothing is computed or measured
  std::function<void(int, int)> resize;
  std::function<void()> report_frames;
  std::function<Status(const std::string&)> presenter_screenshot = {};  // of the speaker's page
};

// What a command has begun, and the frames after it go on with.
struct ScriptProgress {
  struct Drag {  // of a parameter, over its values
    int line = 0;
    std::string name{};
    std::int64_t from = 0;
    std::int64_t to = 0;
    int frames = 0;
    int done = 0;
  };
  Drag drag;
  int frames_left = 0;    // of the frames that a command asked for
  int settle = 0;         // quiet frames seen while waiting
  bool waiting = false;   // for idle
  double wait_until = 0;  // seconds; 0: not set
  // The command has begun something that is not done: it acts again after the next frame.
  bool again = false;
  bool begun = false;
  double again_until = 0;  // seconds
};

// Drives the interface, a command or a piece of one before each frame. The first command that fails
// ends it with the script's line and the reason.
class Script {
 public:
  explicit Script(std::vector<ScriptCommand> commands) : commands_(std::move(commands)) {}

  // Acts until a frame has to be drawn. False once the script has ended.
  [[nodiscard]] Result<bool> advance(WindowState& state, const ScriptHost& host);

 private:
  [[nodiscard]] Status drag(WindowState& state);

  std::vector<ScriptCommand> commands_;
  std::size_t next_ = 0;
  ScriptProgress progress_;
};

}  // namespace tilescope
