#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/result.h"

namespace tilescope {

// What a GPU counted for one launch of the corpus.
struct RecordedLaunch {
  std::string text;                              // hash_of_text() of the code that ran
  std::map<std::string, std::uint64_t> metrics;  // "smsp__inst_executed.sum" ...; absent: 0
  // Least and most of several readings, for what depends on time.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> varies;
};

// A file that read_counters.py has written.
struct RecordedCounters {
  std::string gpu;
  std::string compiler;
  std::map<std::string, RecordedLaunch> launches;  // by name
};

[[nodiscard]] Result<RecordedCounters> read_recorded_counters(const std::filesystem::path& file);

}  // namespace tilescope
