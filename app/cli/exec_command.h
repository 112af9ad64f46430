#pragma once

#include "cli/command.h"

namespace tilescope {

class Command;

// tilescope exec PROGRAM|FILE.cu [-- ARGUMENTS]: a whole program, its launches on the emulator.
void add_exec_command(Command app, CommandContext& context);

}  // namespace tilescope
