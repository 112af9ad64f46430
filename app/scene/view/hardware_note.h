#pragma once

#include <span>
#include <string_view>

#include "scene/drawing/pen.h"
#include "scene/view/view.h"

namespace tilescope {

// "● equal to the counters of the NVIDIA H200": how the launch's emulated counters whose names
// contain one of `parts` stand beside the hardware's. Ends at `right` and begins no further left
// than `left`; nothing where none were read. Returns where it begins, else `right`.
float draw_hardware_note(Pen& pen, float left, float right, float y, const ViewContext& context,
                         std::span<const std::string_view> parts);

}  // namespace tilescope
