#pragma once
#include <string>

#include "gpu/messages.h"
#include "store/history.h"
#include "store/recorded_runs.h"

namespace tilescope {

// What the worker measured as what is kept.
[[nodiscard]] RecordedMachine machine_of(const DeviceInfo& device, const CompiledKernel& compiled);
// Names how a file's kernel is launched, and on what (kernel/launch/file_launch.h). Empty for a
// kernel of the catalogue.
[[nodiscard]] std::string launch_digest(const KernelInstance& instance);
// What names a point: all but the result.
[[nodiscard]] RecordedRun point_of(const KernelInstance& instance, bool cold);
[[nodiscard]] RecordedRun recorded_run(const KernelInstance& instance, const RunResult& result);
// The same with the machine and this moment.
[[nodiscard]] HistoryEntry history_entry(const DeviceInfo& device, const CompiledKernel& compiled,
                                         const KernelInstance& instance, const RunResult& result);

// Today in UTC, "2026-11-30".
[[nodiscard]] std::string today();

}  // namespace tilescope
