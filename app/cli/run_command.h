#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope run`.
void add_run_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
