#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "cli/run_report.h"
#include "core/result.h"
#include "store/history.h"
#include "store/measured_run.h"
#include "store/recorded_runs.h"

namespace tilescope {

// Opens the file for appending, or starts a new one for this machine. Fails when the file holds
// another machine's runs: one file is one machine.
[[nodiscard]] Result<RecordedRuns> open_record(const std::filesystem::path& file,
                                               const RecordedMachine& machine);

// A catalogue kernel's right result. What is wrong or failed is no record.
[[nodiscard]] bool is_record(const RunRow& row);

// "46.8 TFLOP/s" of a GEMM, "3,305 GB/s" of the rest, and in percent of the reference; "–" where
// there is none.
[[nodiscard]] std::string rate_text(const RecordedRun& run);
[[nodiscard]] std::string of_reference_text(const RecordedRun& run);

// Puts what is measured into the user's history. Where that cannot be written it says so once, on
// stderr, and the measuring goes on.
class HistoryKeeper {
 public:
  explicit HistoryKeeper(const DeviceInfo& device) : device_(device) {}

  // Without it nothing is kept.
  void open_history();
  // A result that is right, or that there is no reference for.
  void keep(const RunRow& row);
  // What is there already of this kernel, source, parameters, size and L2 state on this machine.
  [[nodiscard]] std::optional<HistoryEntry> find(const KernelInstance& instance,
                                                 const CompiledKernel& compiled, bool cold);

 private:
  void give_up(const Error& error);

  const DeviceInfo& device_;
  std::optional<History> history_;
};

}  // namespace tilescope
