#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope list`.
void add_list_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
