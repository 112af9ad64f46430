#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time/measured_phases.h"
#include "core/device_table.h"
#include "core/result.h"
#include "gpu/messages.h"
#include "kernel/launch/gemm_factors.h"
#include "store/history.h"
#include "store/recorded_runs.h"

namespace tilescope {

// One finished point of `tilescope run`.
struct RunRow {
  KernelInstance instance;
  std::shared_ptr<const CompiledKernel> compiled;
  Result<RunResult> result = Error{};
  std::string worker = {};  // of several: which one measured it
  // Where the warps of block `phases_of` were, where that was asked for.
  std::optional<MeasuredPhases> phases = {};
  Dim3 phases_of = {};
  std::vector<std::string> phase_names = {};
};

// What a rate is a percentage of; absent where it is not known.
struct Peaks {
  std::optional<double> flop_per_second;   // SM clock x lanes x 2
  std::optional<double> bytes_per_second;  // datasheet
};
[[nodiscard]] Peaks peaks_of(const DeviceInfo& device, const std::vector<DeviceModel>& table);

// Operations per second of a GEMM, bytes per second of a transpose, nothing for a file.
struct Rate {
  double per_second = 0;
  bool is_flop = false;
  std::optional<double> percent_of_peak;
};
[[nodiscard]] std::optional<Rate> rate_of(const RunRow& row, const TimeSummary& times,
                                          const Peaks& peaks);

// "TILE 32  PAD 1"
[[nodiscard]] std::string values_text(const std::map<std::string, std::int64_t>& values);
// The same with the factors that are not 1 and 0: "TILE 32  beta 0.5"
[[nodiscard]] std::string point_text(const std::map<std::string, std::int64_t>& parameters,
                                     const GemmFactors& factors);

// For people: one kernel in full, or the head and one line of a table of several.
[[nodiscard]] std::string run_text(const RunRow& row, const DeviceInfo& device, const Peaks& peaks);
[[nodiscard]] std::string run_table_head(const DeviceInfo& device, const RunRow& first);
[[nodiscard]] std::string run_table_line(const RunRow& row, const Peaks& peaks);

[[nodiscard]] nlohmann::json run_json(const RunRow& row, const DeviceInfo& device,
                                      const Peaks& peaks);

// What `run --counters` and `sweep --counters` read: the emulator's and gpu/counter_reader.h.
[[nodiscard]] std::vector<std::string> all_counters();

// Says on stderr what is wrong with the row; its exit status.
int report_row(const RunRow& row);

// Opens the file for appending, or starts a new one for this machine. Fails when the file holds
// another machine's runs: one file is one machine.
[[nodiscard]] Result<RecordedRuns> open_record(const std::filesystem::path& file,
                                               const Machine& machine);

// A catalogue kernel's right result. What is wrong or failed is no record.
[[nodiscard]] bool is_record(const RunRow& row);

// "46.8 TFLOP/s" of a GEMM, "3,305 GB/s" of the rest, and in percent of the reference; "–" where
// there is none.
[[nodiscard]] std::string rate_text(const Measurement& run);
[[nodiscard]] std::string of_reference_text(const Measurement& run);

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
