#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// model calibrate: measures a GPU for the model. model check: how far the modelled times are from
// measured ones.
void add_model_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
