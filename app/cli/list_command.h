#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope list`.
void add_list_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
