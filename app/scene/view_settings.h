#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "scene/view/view.h"

namespace tilescope {

// Takes what a click on a hit of kind kSetting says; a name that no view's setting has changes
// nothing.
void change_setting(ViewSettings& settings, const Hit& hit);

// Whether change_setting() knows this name and takes this value. kUsage: it names what there is, or
// the setting's range.
[[nodiscard]] Status check_setting(std::string_view name, std::int64_t value);

}  // namespace tilescope
