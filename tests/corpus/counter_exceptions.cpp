#include "counter_exceptions.h"

#include <fstream>
#include <sstream>

#include "core/json_document.h"

namespace tilescope {

Result<CounterExceptions> read_exceptions(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  JsonDocument document(text.str(), file);
  const auto root = document.root();
  root.allow_only({"exceptions"});
  CounterExceptions exceptions;
  for (const auto& node : root["exceptions"].elements()) {
    node.allow_only({"reason", "metrics", "launches"});
    if (node["reason"].text().empty()) node.fail("an exception needs a reason");
    for (const auto& launch : node["launches"].elements()) {
      for (const auto& metric : node["metrics"].elements()) {
        const bool is_new = exceptions.emplace(launch.text(), metric.text()).second;
        if (!is_new) launch.fail("is excepted twice");
      }
    }
  }
  if (document.mistake()) return *document.mistake();
  return exceptions;
}

}  // namespace tilescope
