#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope explain`.
void add_explain_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
