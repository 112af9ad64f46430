#pragma once
#include <cstdint>
#include <string_view>

namespace tilescope {

struct Desk;

// The arrangements of panels that are built in code; a person's changes to each are kept apart.
// Those of the source have it in the middle, for its texts side by side.
enum class LayoutKind : std::uint8_t { kWide, kCompact, kLecture, kWideSource, kCompactSource };
[[nodiscard]] std::string_view name_of(LayoutKind kind);  // "wide"
[[nodiscard]] constexpr bool shows_source(LayoutKind kind) {
  return kind == LayoutKind::kWideSource || kind == LayoutKind::kCompactSource;
}

// Whether a window of this size, in units of design, has room for all panels at once.
[[nodiscard]] bool is_roomy(float width, float height);
// Which one suits what a person wants to see in it.
[[nodiscard]] LayoutKind layout_for(const Desk& desk, float width, float height);

// Makes the arrangement in the dock space `dock_space`, px wide and high.
void build_layout(const Desk& desk, LayoutKind kind, unsigned dock_space, float width,
                  float height);

// Gives the stacked panels of the left column the heights that their content asks for, whenever
// that changed. Does nothing where a person has moved them elsewhere.
void fit_left_column(Desk& desk);

// Folds the charts and the result below the views to a line where no chart will ever be filled
// (nothing_to_chart()), and unfolds them where one is. In between their height is a person's.
void fit_bottom_row(Desk& desk);
inline constexpr float kFoldedRow = 44;  // units

}  // namespace tilescope
