#include "scene/view_settings.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/text.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr std::string_view kStep = "step:";  // and the key of a step of the waterfall: 0 is off

bool is_step(std::string_view name) {
  return name.starts_with(kStep) && name.size() > kStep.size();
}

const ViewSetting* find_setting(std::string_view name) {
  for (const ViewDescriptor& view : view_descriptors()) {
    if (const ViewSetting* found = view.setting(name)) return found;
  }
  return nullptr;
}

Error unknown_setting(std::string_view name) {
  std::vector<std::string> names;
  for (const ViewDescriptor& view : view_descriptors()) {
    for (const ViewSetting& setting : view.settings) names.emplace_back(setting.name);
  }
  const std::string meant = did_you_mean(name, names);
  return {ErrorCode::kUsage,
          fmt::format("there is no setting {}", name),
          fmt::format("{}Settings: {} and step:KEY",
                      meant.starts_with("Did you mean") ? meant + " " : "", fmt::join(names, ", ")),
          {}};
}

}  // namespace

void change_setting(ViewSettings& settings, const Hit& hit) {
  if (is_step(hit.name)) {
    const std::string key = hit.name.substr(kStep.size());
    if (hit.value == 0) {
      settings.steps_off.insert(key);
    } else {
      settings.steps_off.erase(key);
    }
    return;
  }
  const ViewSetting* setting = find_setting(hit.name);
  if (setting == nullptr || hit.value < setting->least || hit.value > setting->most) return;
  setting->set(settings, hit.value);
}

Status check_setting(std::string_view name, std::int64_t value) {
  const ViewSetting* found = find_setting(name);
  if (found == nullptr && !is_step(name)) return unknown_setting(name);
  const ViewSetting range = found == nullptr ? ViewSetting{name} : *found;
  if (value < range.least || value > range.most) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} cannot be {}", name, value),
                 fmt::format("It is {} to {}", range.least, range.most),
                 {}};
  }
  return ok_status();
}

}  // namespace tilescope
