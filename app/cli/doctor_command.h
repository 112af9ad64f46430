#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope doctor`.
void add_doctor_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
