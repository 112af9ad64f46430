#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope doctor`.
void add_doctor_command(Command app, CommandContext& context);

}  // namespace tilescope
