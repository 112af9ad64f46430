#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// model calibrate: measures a GPU for the model. model check: how far the modelled times are from
// measured ones.
void add_model_command(Command app, CommandContext& context);

}  // namespace tilescope
