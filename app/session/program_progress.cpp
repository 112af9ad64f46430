#include "session/program_progress.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

using nlohmann::json;

constexpr std::array kPhases{"compiling", "running", "ended"};  // by ProgramProgress::Phase

}  // namespace

std::string progress_line(const ProgramProgress& progress) {
  const json line = {{"phase", kPhases.at(static_cast<std::size_t>(progress.phase))},
                     {"launches", progress.launches},
                     {"kernel", progress.kernel},
                     {"problems", progress.problems},
                     {"how", progress.how},
                     {"error", progress.error}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::optional<ProgramProgress> last_progress(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return std::nullopt;
  text = text.substr(0, end);
  const json line = json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  if (!line.is_object()) return std::nullopt;
  try {
    const auto phase = std::ranges::find(kPhases, line.value("phase", std::string()));
    if (phase == kPhases.end()) return std::nullopt;
    ProgramProgress progress;
    progress.phase = static_cast<ProgramProgress::Phase>(phase - kPhases.begin());
    progress.launches = line.value("launches", std::uint64_t{0});
    progress.kernel = line.value("kernel", std::string());
    progress.problems = line.value("problems", std::uint64_t{0});
    progress.how = line.value("how", std::string());
    progress.error = line.value("error", std::string());
    return progress;
  } catch (const json::exception&) {
    return std::nullopt;  // a value of another type
  }
}

}  // namespace tilescope
