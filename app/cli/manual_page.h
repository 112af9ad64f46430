#pragma once
#include <string>

#include "cli/parser/command_description.h"

namespace tilescope {

// The manual page tilescope(1), as man reads it.
[[nodiscard]] std::string manual_page(const CommandDescription& program);

}  // namespace tilescope
