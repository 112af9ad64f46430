#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope sweep`.
void add_sweep_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
