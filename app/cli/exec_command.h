#pragma once

#include "cli/command.h"

namespace CLI {
class App;
}

namespace tilescope {

// tilescope exec PROGRAM|FILE.cu [-- ARGUMENTS]: a whole program, its launches on the emulator.
void add_exec_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
