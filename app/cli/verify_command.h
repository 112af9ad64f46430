#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope verify`.
void add_verify_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
