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

// How much larger all of a lecture is in a window of this size, in units: as large on the wall as
// one of 1280 x 720 is, which shows the same. At least 1.
[[nodiscard]] float lecture_magnification(float width, float height);

// What views and other panels of the centre leave free at their sides, in units.
inline constexpr float kViewMargin = 24;

// Height of a row of the ladder, in units; its panel is whole rows high where it must scroll.
inline constexpr float kLadderRow = 25;

// Height of the line of source below a lecture, in units.
inline constexpr float kLectureLine = 48;

// Height of the bar above all panels, in units.
inline constexpr float kTopBarHeight = 44;

// The arrangements of panels that are built in code; a person's changes to each are kept apart.
// Those of the source have it in the middle, for its texts side by side.
// Those of a lesson, of an exercise and of scenes that are presented are never kept.
enum class LayoutKind : std::uint8_t {
  kWide,
  kCompact,
  kLecture,
  kWideSource,
  kCompactSource,
  kLesson,
  kExercise,
  kScenes
};
[[nodiscard]] std::string_view name_of(LayoutKind kind);  // "wide"
[[nodiscard]] constexpr bool is_kept(LayoutKind kind) {
  return kind != LayoutKind::kLesson && kind != LayoutKind::kExercise &&
         kind != LayoutKind::kScenes;
}
[[nodiscard]] constexpr bool shows_source(LayoutKind kind) {
  return kind == LayoutKind::kWideSource || kind == LayoutKind::kCompactSource;
}

// Whether a window of this size, in units of design, has room for all panels at once.
[[nodiscard]] bool is_roomy(float width, float height);
// Which one suits what a person wants to see in it.
[[nodiscard]] LayoutKind layout_for(const WindowState& state, float width, float height);

// What stands around the panels below the top bar, in px: of a lesson the column of its text at the
// left and the line of source below, in a lecture the band above; of an exercise the column alone;
// in a lecture the line of source below, with scenes also their strip and the band of their name.
struct PanelInsets {
  float left = 0;
  float top = 0;
  float bottom = 0;
};
[[nodiscard]] PanelInsets panel_insets(const WindowState& state, float width);
// Whether the window has one view in front and no tabs: in a lesson, and where scenes are
// presented.
[[nodiscard]] bool has_one_view(const WindowState& state);
// Whether a panel is drawn there: the view in front and, where there is room, its time.
[[nodiscard]] bool is_with_one_view(const WindowState& state, const Panel& panel);
// Whether a panel is drawn while an exercise is open: the views, their time and the source.
[[nodiscard]] bool is_in_exercise(const Panel& panel);

// How much larger than designed, up to 1.4 times, something of so many units can be drawn in the
// Dear ImGui window that is open.
[[nodiscard]] float magnification(const WindowState& state, float width, float height);

// Makes the arrangement in the dock space `dock_space`, px wide and high.
void build_layout(const WindowState& state, LayoutKind kind, unsigned dock_space, float width,
                  float height);

// Gives the stacked panels of the left column the heights that their content asks for, whenever
// that changed. Does nothing where a person has moved them elsewhere.
void fit_left_column(WindowState& state);

// Folds the charts and the result below the views to a line where nothing of the kernel can be
// charted (nothing_to_chart()), and unfolds them where something can: then they stay while the
// kernel does. In between their height is a person's.
void fit_bottom_row(WindowState& state);
inline constexpr float kFoldedRow = 44;  // units

// Whether a layout in Dear ImGui's ini form can be loaded without harm: only windows and one
// docking tree, whole numbers in range, every node's parent above it, none or two children each,
// every docked window in a node of the tree. Dear ImGui trusts its files; those of others must not
// be.
[[nodiscard]] bool is_sound_layout(std::string_view text);

}  // namespace tilescope
