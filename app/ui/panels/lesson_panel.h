#pragma once

#include "ui/state/layout.h"

namespace tilescope {

class PanelSurface;
struct WindowState;

// The open lesson beside its view: the text of the step in a column at the left, or in a lecture in
// a band above; the line of source that it is about, and what may be turned, below. `top`: px,
// where the bar above ends. Returns what of the window is taken; nothing where no lesson is open.
PanelInsets draw_lesson(WindowState& state, float top);
// The chart of a scene that has one, over the view that the frame leaves room for; where it is
// dragged, its number follows.
void draw_lesson_chart(WindowState& state, float top, const PanelInsets& frame);
// The choices of the open step's question, one under the other; a click or its digit chooses.
// `magnify`: of their text. Returns the y below. Precondition: the step has a question.
float draw_lesson_choices(PanelSurface& surface, float x, float y, float room, float magnify);

}  // namespace tilescope
