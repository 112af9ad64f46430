#pragma once

#include <cstdint>
#include <string>

#include "ui/state/panel_surface.h"

namespace tilescope {

// The line of source that is spoken of, from 1: the selected one, else that of what the selected
// warp does; 0: none.
[[nodiscard]] std::uint32_t line_in_hand(const Variant& variant);

// A line of the active variant's source behind its number, between x and `right`: smaller than
// `size` where it would not fit, and cut with a mark at last. Line 0: nothing.
void draw_code(PanelSurface& surface, Point where, float right, std::uint32_t line, float size);

// The active variant's source around a line, which is marked, as many lines as `area` has room for,
// up to nine. Returns where it ends: area.y where there is no room for three.
float draw_excerpt(PanelSurface& surface, const Rect& area, std::uint32_t line, float size);

// The same as draw_code on the surface's middle, below the kernel's name where there is room for
// both. Line 0: the kernel alone.
void draw_source_line(PanelSurface& surface, float right, std::uint32_t line, float size);

// The values that a parameter may have, to be clicked, at the surface's right end; nothing where
// the active kernel has no such parameter. Returns where they begin.
float draw_parameter_values(PanelSurface& surface, const std::string& parameter, float size);

// The same in less room: its name and value between two arrows.
float draw_parameter_stepper(PanelSurface& surface, const std::string& parameter, float size);

}  // namespace tilescope
