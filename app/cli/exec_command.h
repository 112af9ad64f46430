#pragma once

#include "cli/command.h"

namespace tilescope {

class CommandOptions;

// tilescope exec PROGRAM|FILE.cu [-- ARGUMENTS]: a whole program, its launches on the emulator.
void add_exec_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
