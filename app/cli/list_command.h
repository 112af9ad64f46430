#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope list`.
void add_list_command(Command app, CommandContext& context);

}  // namespace tilescope
