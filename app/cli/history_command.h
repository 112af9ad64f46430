#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope history`.
void add_history_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
