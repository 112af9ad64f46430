#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "store/measurement.h"

namespace tilescope {

// The runs of one GPU with one driver and compiler; a file in assets/recorded/.
struct RecordedRuns {
  Machine machine;                    // of each of them
  std::vector<std::string> commands;  // that made the file
  std::vector<Measurement> runs;

  // nullptr: there is none.
  [[nodiscard]] const Measurement* find(const LaunchKey& of) const;

  // Takes the place of the run with the same key but for its source, else is appended.
  void put(Measurement run);
};

// One run, without its machine, as a line of JSON, and back. Numbers keep six digits. decode_run()
// fails with what is wrong.
[[nodiscard]] std::string encode_run(const Measurement& run);
[[nodiscard]] Result<Measurement> decode_run(const std::string& json);

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
