#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope explain`.
void add_explain_command(Command app, CommandContext& context);

}  // namespace tilescope
