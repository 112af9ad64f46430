#pragma once

#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "ui/state/commands.h"

namespace tilescope {

// All commands: the one table that keys, palette, menus and help are made of. To add one, add a
// row.
[[nodiscard]] std::vector<Command> make_commands(const Catalogue& catalogue);

}  // namespace tilescope
