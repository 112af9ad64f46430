#pragma once
#include <string>

#include "cli/command.h"
#include "exec/program_run.h"

namespace tilescope {

class CommandOptions;

// What a program asks for at the end of a capture: the report of exec as JSON, with the
// instructions of each launch. One whose data is recorded names its session ("session"), and how
// trace and export are asked for it ("options"); "together" is a session of all. They are written
// beside the data.
[[nodiscard]] std::string capture_json(const ProgramResult& since, const DeviceModel& device,
                                       const Resources& resources);

// tilescope serve-program SOCKET,MEMORY: the emulator for a program that runs already
// (python/tilescope). Not for people.
void add_serve_program_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
