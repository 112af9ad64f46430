#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// tune: all legal combinations of a kernel's parameters, ranked by the time model.
void add_tune_command(Command app, CommandContext& context);

}  // namespace tilescope
