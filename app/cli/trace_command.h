#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope trace`.
void add_trace_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
