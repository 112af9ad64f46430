#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// tune: all legal combinations of a kernel's parameters, ranked by the time model.
void add_tune_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
