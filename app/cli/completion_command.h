#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// `tilescope completion SHELL`: the script with which a shell completes all commands of `app`, or
// the manual page.
void add_completion_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
