#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope doctor`.
void add_doctor_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
