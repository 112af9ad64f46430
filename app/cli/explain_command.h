#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope explain`.
void add_explain_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
