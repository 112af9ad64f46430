#pragma once
#include <span>

#include "ui/panels/panel.h"

namespace tilescope {

// All panels, in the order of the View menu. To add a panel, add a line there.
[[nodiscard]] std::span<const Panel> all_panels();

}  // namespace tilescope
