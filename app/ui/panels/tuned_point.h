#pragma once
#include <string_view>

#include "ui/desk/desk.h"

namespace tilescope {

// A row of the tuner's tables stands for a point: a kernel as it ships, its parameters, the size
// and the factors that it was measured with.
inline constexpr std::string_view kClickSets = " A click sets the kernel to it.";

// px of a parameter's column.
[[nodiscard]] float parameter_width(const ParameterSpec& spec);
[[nodiscard]] bool stands_at(const Variant& variant, const ChartKey& point);
// Sets the active variant to it: one step of undo.
void go_to_tried(Desk& desk, const ChartKey& point);

}  // namespace tilescope
