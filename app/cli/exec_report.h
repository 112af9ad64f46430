#pragma once

#include <string>

#include "exec/program_run.h"

namespace tilescope {

// The report of a program for a person: a table of its launches, then the problems in its kernels
// and in its host code.
[[nodiscard]] std::string exec_text(const ProgramResult& run, const DeviceModel& device);

// The same as JSON, indented.
[[nodiscard]] std::string exec_json(const ProgramResult& run, const DeviceModel& device);

// Findings of all launches, and mistakes of the host code.
[[nodiscard]] std::size_t count_problems(const ProgramResult& run);

}  // namespace tilescope
