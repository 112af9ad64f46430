#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// learn [NAME|FILE] | start [DIR] | watch [NAME] | check [DIR…] | grade DIR: exercises in a
// person's own editor, whether their files do what is asked, and the same for authors and classes.
void add_learn_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
