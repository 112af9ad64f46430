#pragma once

#include "scene/coalescing/coalescing_scene.h"

namespace tilescope {

// Global memory instructions by line, worst first, and their totals.
void draw_global_table(Pen& pen, const Rect& area, const ViewContext& context,
                       std::uint32_t current_line);
[[nodiscard]] std::vector<GlobalTotal> global_totals(const std::vector<GlobalLine>& lines);

}  // namespace tilescope
