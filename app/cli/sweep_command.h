#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope sweep`.
void add_sweep_command(Command app, CommandContext& context);

}  // namespace tilescope
