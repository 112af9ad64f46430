#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// `tilescope completion SHELL`: the script with which a shell completes all commands of `app`, or
// the manual page.
void add_completion_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
