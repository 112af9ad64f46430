#pragma once

#include <cstddef>
#include <optional>

#include "scene/view/view.h"
#include "ui/drawing/imgui_canvas.h"

namespace tilescope {

struct WindowState;

// The mark of a picture that the keys are on. Marks are what explains itself: hits with a tooltip,
// in reading order.
struct MarkFocus {
  std::optional<View> view;  // whose picture it is in; absent: the keys are on none
  Hit hit;
  std::size_t place = 0;  // in the order, where that hit is no longer drawn
};

// Before the picture of the window that is open is drawn: what the keys ask of its marks, while the
// window has the focus. Tab then goes from mark to mark instead of from control to control.
struct MarkKeys {
  int step = 0;           // 1: the next, -1: the one before
  bool activate = false;  // Enter
  bool active = false;    // the picture's every hit is wanted
};
[[nodiscard]] MarkKeys take_mark_keys(WindowState& state, View view);

// After it is drawn: moves, shows the mark and its tooltip. Returns the mark with the focus;
// nullptr: none.
const Hit* show_focused_mark(WindowState& state, View view, const ImGuiCanvas& canvas,
                             const MarkKeys& keys);

}  // namespace tilescope
