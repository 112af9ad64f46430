#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// tune: all legal combinations of a kernel's parameters, ranked by the time model.
void add_tune_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
