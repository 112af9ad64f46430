#pragma once

#include <string>

#include "exec/gpu_run.h"
#include "exec/program_run.h"

namespace tilescope {

// The report of a program for a person: a table of its launches, then the problems in its kernels
// and in its host code. `measured`: of the same program on a GPU; nullptr: it did not run on one.
[[nodiscard]] std::string exec_text(const ProgramResult& run, const DeviceModel& device,
                                    const GpuRun* measured);

// The same as JSON, indented.
[[nodiscard]] std::string exec_json(const ProgramResult& run, const DeviceModel& device,
                                    const GpuRun* measured);

// Of a run on a GPU: its launches with their measured times.
[[nodiscard]] std::string gpu_run_text(const GpuRun& run);
[[nodiscard]] std::string gpu_run_json(const GpuRun& run);

// Findings of all launches, and mistakes of the host code.
[[nodiscard]] std::size_t count_problems(const ProgramResult& run);

}  // namespace tilescope
