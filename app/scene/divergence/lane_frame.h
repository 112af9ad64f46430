#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scene/divergence/divergence_scene.h"

namespace tilescope {

// Where the rows of the picture lie, and how time runs through it.
struct LaneFrame {
  Rect cells;
  Rect band;        // the paths
  Rect chart;       // lanes at work; h 0: no room
  float marks = 0;  // middle of the row of branches
  float axis = 0;   // middle of the row of instruction numbers
  const WarpInSight& sight;

  [[nodiscard]] float x_of(double instruction) const {
    const double along = (instruction - sight.begin) / static_cast<double>(sight.end - sight.begin);
    return std::round(cells.x + cells.w * static_cast<float>(std::clamp(along, 0.0, 1.0)));
  }
  [[nodiscard]] std::uint32_t instruction_at(float x) const {
    const float along = std::clamp((x - cells.x) / cells.w, 0.0f, 1.0f);
    return sight.begin +
           static_cast<std::uint32_t>(along * static_cast<float>(sight.end - sight.begin));
  }
};

enum class LaneState : std::uint8_t { kWorking, kPredicated, kWaiting, kDone, kAbsent };

// Seen on a projector too.
[[nodiscard]] inline Paint waiting_ink() { return {ColourRole::kDim, 0.8f}; }
// The line of the instruction of this number in the warp; 0: none.
[[nodiscard]] std::uint32_t line_of(const ViewContext& context, const WarpInSight& sight,
                                    std::uint32_t index);

// Lanes that wait are left as the hatch below.
void fill_lanes(Pen& pen, const Rect& box, LaneState state, std::int16_t path);
// Columns that look alike are one, and neighbouring lanes in one state are one rectangle.
void draw_lane_cells(Pen& pen, const LaneFrame& frame);
void hit_lane_columns(Pen& pen, const LaneFrame& frame, const ViewContext& context);
// Every so many lanes its number; the selected one's stands out, and those beside it make room.
void draw_lane_numbers(Pen& pen, const LaneFrame& frame, int selected);
// How many of 32 lanes work, and what is lost above.
void draw_lanes_at_work(Pen& pen, const LaneFrame& frame);

// A strip in each path's colour with its letter where there is room; a thin line while together.
void draw_lane_paths(Pen& pen, const LaneFrame& frame);
// direction 1: lanes part, -1: they meet.
void draw_branch_mark(Pen& pen, Point tip, float direction, Paint paint);
// Where lanes part (down) and meet (up), with the branch's line. Marks that would lie on each other
// are left out; words come before the mark of the meeting, which the line under them shows too.
// Returns whether a meeting is marked.
bool draw_lane_branches(Pen& pen, const LaneFrame& frame, const ViewContext& context);

}  // namespace tilescope
