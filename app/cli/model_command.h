#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// model calibrate: measures a GPU for the model. model check: how far the modelled times are from
// measured ones.
void add_model_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
