#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope verify`.
void add_verify_command(Command app, CommandContext& context);

}  // namespace tilescope
