#include "scene/view/setting_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/text.h"
#include "scene/view/view.h"

namespace tilescope {
namespace {

// A setting of ViewSettings by the name that change_setting() knows it by.
struct Setting {
  std::string_view name;
  std::int64_t least = 0;
  std::int64_t most = 1;
};
constexpr std::array kSettings{
    Setting{"heat"},
    Setting{"device", -1, 1000},
    Setting{"latency_cycles", 0, 1'000'000},
    Setting{"lane_window", 0, std::int64_t{1} << 40},
    Setting{"compare_base", 0, 3},
    Setting{"compare_mode", 0, static_cast<std::int64_t>(CompareMode::kOverlay)},
    Setting{"compare_pane", -1, 3},
    Setting{"compare_view", -1, static_cast<std::int64_t>(View::kCompare) - 1},
    Setting{"compare_part", 0, 2},
    Setting{"compare_ladder"},
};
constexpr std::string_view kStep = "step:";  // and the key of a step of the waterfall: 0 is off

}  // namespace

Status check_setting(std::string_view name, std::int64_t value) {
  const bool is_step = name.starts_with(kStep) && name.size() > kStep.size();
  const auto* found = std::ranges::find(kSettings, name, &Setting::name);
  if (found == kSettings.end() && !is_step) {
    std::vector<std::string> names;
    names.reserve(kSettings.size());
    for (const Setting& setting : kSettings) names.emplace_back(setting.name);
    const std::string meant = did_you_mean(name, names);
    return Error{
        ErrorCode::kUsage,
        fmt::format("there is no setting {}", name),
        fmt::format("{}Settings: {} and step:KEY",
                    meant.starts_with("Did you mean") ? meant + " " : "", fmt::join(names, ", ")),
        {}};
  }
  const Setting range = is_step ? Setting{name} : *found;
  if (value < range.least || value > range.most) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} cannot be {}", name, value),
                 fmt::format("It is {} to {}", range.least, range.most),
                 {}};
  }
  return ok_status();
}

}  // namespace tilescope
