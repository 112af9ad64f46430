#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// `tilescope completion SHELL`: the script with which a shell completes all commands of `app`, or
// the manual page.
void add_completion_command(Command app, CommandContext& context);

}  // namespace tilescope
