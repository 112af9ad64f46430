#pragma once
#include <filesystem>
#include <string>

#include "cli/run_report.h"
#include "core/result.h"
#include "store/recorded_runs.h"

namespace tilescope {

// Opens the file for appending, or starts a new one for this GPU, driver and compiler. Fails when
// the file holds another machine's runs: one file is one machine.
[[nodiscard]] Result<RecordedRuns> open_record(const std::filesystem::path& file,
                                               const DeviceInfo& device,
                                               const std::string& compiler);

// Puts a catalogue kernel's right result in. What is wrong or failed is no record.
void record(const RunRow& row, RecordedRuns* recorded);

}  // namespace tilescope
