#pragma once
#include <string>

#include "cli/command.h"
#include "exec/program_run.h"

namespace CLI {
class App;
}

namespace tilescope {

// What a program asks for at the end of a capture: the report of exec as JSON, where each launch
// whose data is recorded names its session ("session"); "together" is one of all. The sessions are
// written beside the data.
[[nodiscard]] std::string capture_json(const ProgramResult& since, const DeviceModel& device,
                                       const Resources& resources);

// tilescope serve-program SOCKET,MEMORY: the emulator for a program that runs already
// (python/tilescope). Not for people.
void add_serve_program_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
