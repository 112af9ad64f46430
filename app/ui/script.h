#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

struct Desk;

// What one line of a script does. The language, one command a line, # begins a comment:
//   kernel ID | set NAME VALUE | drag NAME FROM TO FRAMES | size NAME VALUE | view NAME | theme
//   NAME step N (k-step, from 0) | event N | phase N (on, or back) | loop IN OUT|off (events) |
//   bookmark set|go|remove DIGIT | line N | lane N | warp N | zoom FACTOR | play | pause
//   unit flop/s|bytes/s|time|peak|reference (of all charts) |
//   tune start|pause|go-on|stop|reset | tune with|without NAME (explores that parameter) |
//   lecture on|off | panel TITLE on|off|front | pixels W H | text-scale FACTOR
//   open FILE (kernel or session) | edit on|off | type-line N [WORDS] (instead of line N of the
//   source) | export FILE (the view in front) | save FILE (the session) | note WORDS | do NAME (a
//   command of the palette, ui/commands.h) variant add|N | source cuda|ptx|sass | frames N |
//   wait-idle [SECONDS] | screenshot FILE | report-frames
struct ScriptCommand {
  int line = 0;
  std::vector<std::string> words;
};
// Every unknown command and missing word is an error with its line.
[[nodiscard]] Result<std::vector<ScriptCommand>> parse_script(const std::string& text,
                                                              const std::string& file);

// What a script needs of the loop that it runs in.
struct ScriptHost {
  std::function<Status(const std::string&)> screenshot;  // of the frame drawn last
  std::function<bool()> idle;                            // nothing is computed or measured
  std::function<void(int, int)> resize;
  std::function<void()> report_frames;
};

// Drives the interface, a command or a piece of one before each frame.
class Script {
 public:
  explicit Script(std::vector<ScriptCommand> commands) : commands_(std::move(commands)) {}

  // Acts until a frame has to be drawn. False once the script has ended.
  [[nodiscard]] Result<bool> advance(Desk& desk, const ScriptHost& host);

 private:
  [[nodiscard]] Status act(const ScriptCommand& command, Desk& desk, const ScriptHost& host);
  [[nodiscard]] Status drag(Desk& desk);

  std::vector<ScriptCommand> commands_;
  std::size_t next_ = 0;
  int frames_left_ = 0;    // of the frames that a command asked for
  int settle_ = 0;         // quiet frames seen while waiting
  bool waiting_ = false;   // for idle
  double wait_until_ = 0;  // seconds; 0: not set
  struct Drag {
    std::string name;
    std::int64_t from = 0;
    std::int64_t to = 0;
    int frames = 0;
    int done = 0;
  } drag_;
};

}  // namespace tilescope
