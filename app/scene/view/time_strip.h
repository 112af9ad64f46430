#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/view/view.h"

namespace tilescope {

// Where the parts of the time strip lie in its area, so that what is clicked is what is drawn.
struct TimeStripLayout {
  Rect axis;  // the whole block's time from left to right, the height of the phases
  Rect loop;  // above the axis: the stretch that is repeated; w 0: none
  struct Flag {
    int number = 0;  // of the bookmark
    Rect box;
    float x = 0;  // its moment on the axis; the box may have made room for a neighbour
  };
  std::vector<Flag> flags;  // from left to right
  Rect excess;              // below the axis
  std::string excess_name;  // what weighs most there: "excess" of memory, or "lost lanes"
  std::uint32_t events = 1;

  [[nodiscard]] float x_of(std::uint32_t event) const;
  [[nodiscard]] std::uint32_t event_at(float x) const;  // the nearest, from the first to the last
};
// Precondition: a traced study with an event.
[[nodiscard]] TimeStripLayout time_strip_layout(const Canvas& canvas, const Rect& area,
                                                const ViewContext& context);

// What the strip below the phases shows, with the whole block's figures.
[[nodiscard]] std::string excess_words(const ViewContext& context);

// The transport's strip: the whole block's time coloured by the selected warp's phases, and what it
// costs below.
void draw_time_strip(Canvas& canvas, const Rect& area, const ViewContext& context);

}  // namespace tilescope
