#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope history`.
void add_history_command(Command app, CommandContext& context);

}  // namespace tilescope
