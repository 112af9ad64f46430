#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope verify`.
void add_verify_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
