#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// lesson list | check [FILE…] | show NAME: the lessons, whether all that they say is true, and one
// of them as text.
void add_lesson_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
