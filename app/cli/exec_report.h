#pragma once

#include <string>

#include "exec/program_run.h"

namespace tilescope {

// What a program did, for a person: a table of its launches, then what is wrong, in the kernels and
// in the host code.
[[nodiscard]] std::string exec_text(const ProgramResult& run, const DeviceModel& device);

// The same as JSON, indented.
[[nodiscard]] std::string exec_json(const ProgramResult& run, const DeviceModel& device);

// Findings of all launches, and mistakes of the host code.
[[nodiscard]] std::size_t count_problems(const ProgramResult& run);

}  // namespace tilescope
