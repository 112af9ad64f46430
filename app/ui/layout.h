#pragma once
#include <cstdint>
#include <string_view>

namespace tilescope {

struct Desk;

// The three arrangements of panels that are built in code; a person's changes to each are kept
// apart.
enum class LayoutKind : std::uint8_t { kWide, kCompact, kLecture };
[[nodiscard]] std::string_view name_of(LayoutKind kind);  // "wide"

// Which one suits a window of this size, in units of design.
[[nodiscard]] LayoutKind layout_for(float width, float height, bool lecture);

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
