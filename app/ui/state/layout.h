#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "scene/view/view.h"

namespace tilescope {

struct WindowState;

// Where the layout puts a panel until a person moves it.
enum class Region : std::uint8_t {
  kLadder,
  kParameters,
  kCosts,
  kCentre,
  kTransport,
  kSource,
  kCounters,
  kThroughput,
  kResult,
};

// A panel draws, from the window alone; it computes nothing and waits for nothing.
struct Panel {
  const char* title;    // of its tab, of its entry in the View menu
  const char* purpose;  // one sentence
  Region region;
  void (*draw)(WindowState& state);
  std::optional<View> view = {};  // a picture's panel, which has no `draw` of its own
  bool in_lecture = false;
  bool padded = true;    // scrolls and has a margin
  bool at_start = true;  // open until a person closes it
};

// What views and other panels of the centre leave free at their sides, in units.
inline constexpr float kViewMargin = 24;

// Height of a row of the ladder, in units; its panel is whole rows high where it must scroll.
inline constexpr float kLadderRow = 25;

// Height of the bar above all panels, in units.
inline constexpr float kTopBarHeight = 44;

// The arrangements of panels that are built in code; a person's changes to each are kept apart.
// Those of the source have it in the middle, for its texts side by side.
// A lesson's and an exercise's are never kept.
enum class LayoutKind : std::uint8_t {
  kWide,
  kCompact,
  kLecture,
  kWideSource,
  kCompactSource,
  kLesson,
  kExercise
};
[[nodiscard]] std::string_view name_of(LayoutKind kind);  // "wide"
[[nodiscard]] constexpr bool is_kept(LayoutKind kind) {
  return kind != LayoutKind::kLesson && kind != LayoutKind::kExercise;
}
[[nodiscard]] constexpr bool shows_source(LayoutKind kind) {
  return kind == LayoutKind::kWideSource || kind == LayoutKind::kCompactSource;
}

// Whether a window of this size, in units of design, has room for all panels at once.
[[nodiscard]] bool is_roomy(float width, float height);
// Which one suits what a person wants to see in it.
[[nodiscard]] LayoutKind layout_for(const WindowState& state, float width, float height);

// What a lesson has beside the view and its time, in px: the column of its text at the left, the
// line of source below, in a lecture the band above; an exercise has the column alone. All 0 where
// neither is open.
struct LessonFrame {
  float left = 0;
  float top = 0;
  float bottom = 0;
};
[[nodiscard]] LessonFrame lesson_frame(const WindowState& state, float width);
// Whether a panel is drawn while a lesson is open: the view in front and its time.
[[nodiscard]] bool is_in_lesson(const WindowState& state, const Panel& panel);
// Whether a panel is drawn while an exercise is open: the views, their time and the source.
[[nodiscard]] bool is_in_exercise(const Panel& panel);

// Makes the arrangement in the dock space `dock_space`, px wide and high.
void build_layout(const WindowState& state, LayoutKind kind, unsigned dock_space, float width,
                  float height);

// Gives the stacked panels of the left column the heights that their content asks for, whenever
// that changed. Does nothing where a person has moved them elsewhere.
void fit_left_column(WindowState& state);

// Folds the charts and the result below the views to a line where no chart will ever be filled
// (nothing_to_chart()), and unfolds them where one is. In between their height is a person's.
void fit_bottom_row(WindowState& state);
inline constexpr float kFoldedRow = 44;  // units

// Whether a layout in Dear ImGui's ini form can be loaded without harm: only windows and one
// docking tree, whole numbers in range, every node's parent above it, none or two children each,
// every docked window in a node of the tree. Dear ImGui trusts its files; those of others must not
// be.
[[nodiscard]] bool is_sound_layout(std::string_view text);

}  // namespace tilescope
