#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Whether change_setting() takes this value under this name. An unknown name is an error that lists
// what there is, a value out of place one that says the range.
[[nodiscard]] Status check_setting(std::string_view name, std::int64_t value);

}  // namespace tilescope
