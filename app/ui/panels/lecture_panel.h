#pragma once

#include <string>

#include "ui/state/layout.h"

namespace tilescope {

struct WindowState;

// What a lecture has around the panels: the line of source that is spoken of, whole; where scenes
// are presented, the name of the one that is shown, above, and the strip of all, below.
void draw_lecture(WindowState& state, const PanelInsets& frame);
// The kernels or the charts over the view, while they are called for.
void draw_lecture_overlay(WindowState& state, float top, const PanelInsets& frame);
// Blank screen, spotlight and pen, over everything.
void draw_lecture_aids(WindowState& state);

// "12:07", "1:02:07"
[[nodiscard]] std::string clock_words(double seconds);

}  // namespace tilescope
