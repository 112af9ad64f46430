#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope run`.
void add_run_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
