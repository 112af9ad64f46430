#pragma once

namespace tilescope {

struct Desk;

// Of the tabs, in units of design.
inline constexpr float kTabFont = 13;
// On either side of a tab's name; the many tabs of a small window stand closer.
inline constexpr float kTabPaddingX = 12;
inline constexpr float kCompactTabPaddingX = 6;
inline constexpr float kTabPaddingY = 13;

// Opens the window of every panel that is not closed and has it draw itself.
void draw_panels(Desk& desk);

}  // namespace tilescope
