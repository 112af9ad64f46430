#include "recorded_counters.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace tilescope {

Result<RecordedCounters> read_recorded_counters(const std::filesystem::path& file) {
  const auto wrong = [&](const char* what) {
    return Error{ErrorCode::kUsage, fmt::format("{}: {}", file.string(), what), "", {}};
  };
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return wrong("no JSON object");
  if (!json.contains("launches") || !json.contains("gpu")) return wrong("no counters");
  RecordedCounters counters;
  counters.gpu = json.value("gpu", "");
  counters.compiler = json.value("compiler", "");
  for (const auto& [name, launch] : json["launches"].items()) {
    if (!launch.contains("text") || !launch.contains("metrics"))
      return wrong("a launch of nothing");
    RecordedLaunch& recorded = counters.launches[name];
    recorded.text = launch.value("text", "");
    for (const auto& [metric, value] : launch["metrics"].items()) {
      if (!value.is_number_unsigned()) return wrong("a counter that is no whole number");
      recorded.metrics[metric] = value.get<std::uint64_t>();
    }
    if (!launch.contains("varies")) continue;
    for (const auto& [metric, range] : launch["varies"].items()) {
      if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() ||
          !range[1].is_number_unsigned()) {
        return wrong("a range that is not two whole numbers");
      }
      recorded.varies[metric] = {range[0].get<std::uint64_t>(), range[1].get<std::uint64_t>()};
    }
  }
  return counters;
}

}  // namespace tilescope
