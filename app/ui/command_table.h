#pragma once
#include <vector>

#include "kernel/catalogue.h"
#include "ui/commands.h"

namespace tilescope {

// All commands: the one table that keys, palette, menus and help are made of. To add one, add a
// row.
[[nodiscard]] std::vector<Command> make_commands(const Catalogue& catalogue);

}  // namespace tilescope
