#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// lesson list | check [FILE…] | show NAME: the lessons, whether all that they say is true, and one
// of them as text.
void add_lesson_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
