#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tilescope {

struct RecordedTimes {
  double median_seconds = 0;
  double p5_seconds = 0;
  double p95_seconds = 0;

  friend bool operator==(const RecordedTimes&, const RecordedTimes&) = default;
};

// One kernel at one set of parameters and one size, measured earlier.
struct RecordedRun {
  std::string kernel;       // catalogue id
  std::string source_hash;  // kernel_source_hash() of what was compiled
  std::map<std::string, std::int64_t> parameters;
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, double> factors;  // a GEMM's alpha and beta that are not 1 and 0
  std::string launch;                     // launch_digest() of a file's kernel; else empty
  bool cold = true;
  int samples = 0;  // of each: they take turns
  RecordedTimes times;
  std::optional<RecordedTimes> reference;  // measured in turn with it
  std::string reference_name;
  std::optional<RecordedTimes> other;  // of a transpose: cuBLAS's
  std::string other_name;
  std::optional<double> max_error;  // absent: not verified
  double tolerance = 0;
  double flop = 0;  // of the problem, for rates; 0: its rate is bytes/s
  double bytes = 0;
  std::optional<double> sm_clock_hz;  // after the samples
  std::optional<double> sm_clock_before_hz;
  std::optional<double> temperature_celsius;         // after the samples
  std::optional<double> relative_error;              // of the median
  std::optional<double> reference_error;             // of the reference's median, likewise
  int throttled_samples = 0;                         // dropped, or all
  bool all_throttled = false;                        // then they were kept: there is nothing better
  std::string throttle_reasons;                      // "power cap"; empty: none
  std::map<std::string, double> counters;            // Nsight Compute's names; where they were read
  std::map<std::string, double> reference_counters;  // likewise
  std::string date;                                  // UTC, "2026-11-30"

  friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

// What a run was measured with.
struct RecordedMachine {
  std::string gpu;  // "NVIDIA H200"
  int compute_capability = 0;
  std::string driver;       // "580.159.04"
  std::string cuda_driver;  // "13.0"
  std::string compiler;     // "NVRTC 13.0"
  std::string cublas;       // "13.1.0"

  friend bool operator==(const RecordedMachine&, const RecordedMachine&) = default;
};

// The runs of one GPU with one driver and compiler; a file in assets/recorded/.
struct RecordedRuns : RecordedMachine {
  std::vector<std::string> commands;  // that made the file
  std::vector<RecordedRun> runs;

  // The run of exactly this kernel, source, parameters, size and factors; nullptr when there is
  // none.
  [[nodiscard]] const RecordedRun* find(std::string_view kernel, std::string_view source_hash,
                                        const std::map<std::string, std::int64_t>& parameters,
                                        const std::map<std::string, std::int64_t>& extents,
                                        bool cold,
                                        const std::map<std::string, double>& factors = {}) const;

  // Takes the place of the run with the same key, else is appended.
  void put(RecordedRun run);
};

// Names a kernel's source for recorded runs: equal for sources that differ in comments, white space
// and TILESCOPE_PHASE marks alone, which change nothing that is timed. 32 hexadecimal digits.
[[nodiscard]] std::string kernel_source_hash(std::string_view cuda_source);

// Names a text byte for byte. 32 hexadecimal digits.
[[nodiscard]] std::string text_digest(std::string_view text);

// One run as a line of JSON, and back. Numbers keep six digits. decode_run() fails with what is
// wrong.
[[nodiscard]] std::string encode_run(const RecordedRun& run);
[[nodiscard]] Result<RecordedRun> decode_run(const std::string& json);

// kUsage with the file and what is wrong in it.
[[nodiscard]] Result<RecordedRuns> load_recorded_runs(const std::filesystem::path& file);

// Every .json of the folder, by name. A missing folder holds none.
[[nodiscard]] Result<std::vector<RecordedRuns>> load_recorded_folder(
    const std::filesystem::path& folder);
// Those that come with the program: assets/recorded of its resources.
[[nodiscard]] Result<std::vector<RecordedRuns>> load_shipped_runs();

// One run a line, so that differences can be read; replaces the file as a whole or not at all.
Status save_recorded_runs(const RecordedRuns& recorded, const std::filesystem::path& file);

}  // namespace tilescope
