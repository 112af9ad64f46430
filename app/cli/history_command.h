#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope history`.
void add_history_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
