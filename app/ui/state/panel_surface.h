#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "scene/drawing/canvas.h"
#include "ui/drawing/imgui_canvas.h"
#include "ui/state/window_state.h"

namespace tilescope {

// What a control on a surface reports.
struct Touch {
  bool hovered = false;
  bool held = false;
  bool clicked = false;
  bool double_clicked = false;
};

// The page that a panel draws on: the canvas of the ImGui window that is open, in units of design,
// with controls on it. Width and height are those of the window's content.
class PanelSurface {
 public:
  explicit PanelSurface(WindowState& state, float magnify = 1);

  [[nodiscard]] WindowState& state() { return state_; }
  [[nodiscard]] const WindowState& state() const { return state_; }
  [[nodiscard]] Canvas& canvas() { return canvas_; }
  [[nodiscard]] const Canvas& canvas() const { return canvas_; }
  [[nodiscard]] float width() const { return width_; }
  [[nodiscard]] float height() const { return height_; }
  [[nodiscard]] Theme theme() const { return state_.theme(); }
  [[nodiscard]] float scale() const { return scale_; }  // px per unit
  [[nodiscard]] Point screen(Point p) const {
    return {origin_.x + p.x * scale_, origin_.y + p.y * scale_};
  }
  [[nodiscard]] Point units(Point screen) const {
    return {(screen.x - origin_.x) / scale_, (screen.y - origin_.y) / scale_};
  }

  // An invisible button; what it looks like is the caller's. `meaning` explains it, where it does
  // not have an explain() of its own.
  Touch control(const char* id, const Rect& rect, std::string_view meaning = {});
  // Explains what lies under the pointer, when it rests there; of a control's own place also while
  // the keys stand on it.
  // Returns whether it is explained now.
  bool explain(const Rect& rect, std::string_view sentence);
  // The same of what stands for a term of the glossary, whose definition follows in short; F1 opens
  // it. nullptr: explain().
  void explain_term(const Rect& rect, std::string_view sentence, const GlossaryEntry* term);

  // Explains what was drawn with an explanation of its own, where the pointer is on it.
  void explain_hit() const;

  // Whether any of it lies in the window's visible part: of a long list the rest need not be drawn.
  [[nodiscard]] bool is_visible(const Rect& rect) const;

  // Text in the usual styles and the window's language; x is the left end, or the right end for
  // right-aligned styles.
  void text(float x, float y, std::string_view words, const TextStyle& style) {
    canvas_.text({x, y}, state_.in_language(words), style);
  }
  // As much of it as fits between x and right, with an ellipsis.
  void fitted(float x, float right, float y, std::string_view words, const TextStyle& style);
  // Words broken into lines no wider than `room`, and those drawn; returns the y below the last
  // one.
  [[nodiscard]] std::vector<std::string> lines_of(std::string_view words, float room,
                                                  const TextStyle& style) const;
  float paragraph(float x, float y, float room, std::string_view words, const TextStyle& style);
  void mark(Point center, Source source, Paint paint);
  // The marks of where numbers come from with their names: one row that ends at `bottom`, or two
  // where they need them.
  void source_legend(float bottom, float text_size = 11);
  // A rule from edge to edge.
  void rule(float x, float right, float y) {
    canvas_.line({x, y}, {right, y}, ColourRole::kLine, 1);
  }
  // A push button with words on it. True when pressed.
  bool push(const char* id, const Rect& rect, std::string_view words, bool strong = false);

  // Tells the window how tall the content is, so that it scrolls when it must.
  void finish(float used_height);

 private:
  [[nodiscard]] Rect on_screen(const Rect& rect) const;  // px

  WindowState& state_;
  float scale_;
  Point origin_;
  float width_;
  float height_;
  ImGuiCanvas canvas_;
  std::optional<Rect> keyed_;  // the control that the keys stand on
};

// The window of a bar: over the whole width, `top` to `top + height` px, without decoration. Open
// while this lives.
class BarWindow {
 public:
  BarWindow(const char* name, float top, float height);
  ~BarWindow();
  BarWindow(const BarWindow&) = delete;
  BarWindow& operator=(const BarWindow&) = delete;
};

// The styles that panels use.
[[nodiscard]] TextStyle styled(float size, Paint paint = ColourRole::kText,
                               Weight weight = Weight::kRegular, Align align = Align::kLeft,
                               Font font = Font::kText);
// "PARAMETERS": the title of a group.
[[nodiscard]] TextStyle heading_style();

}  // namespace tilescope
