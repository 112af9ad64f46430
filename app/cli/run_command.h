#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope run`.
void add_run_command(Command app, CommandContext& context);

}  // namespace tilescope
