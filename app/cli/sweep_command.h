#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope sweep`.
void add_sweep_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
