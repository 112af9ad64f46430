#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scene/drawing/pen.h"
#include "scene/model/lane_model.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// The warp that the divergence view looks at, and the part of its time that is in sight.
struct WarpInSight {
  std::uint32_t warp = 0;
  const WarpLanes* lanes = nullptr;  // inside the context's prepared study
  std::uint32_t begin = 0;           // into WarpLanes::events
  std::uint32_t end = 0;
  std::uint32_t now = 0;  // its instruction at the selected time
  std::vector<LaneColumn> columns;
};
// Precondition: context.prepared. nullopt: the trace holds no instruction of any warp.
[[nodiscard]] std::optional<WarpInSight> warp_in_sight(const ViewContext& context);

// Moves the selection half way through the divergence of the warp that loses most lane slots; where
// none loses any it stays.
void look_at_worst_warp(const KernelStudy& study, const PreparedStudy& prepared,
                        Selection& selection);

void draw_divergence(Canvas& canvas, const Rect& area, const ViewContext& context);

// "A", "B" ... of LaneRun::path; "" while together.
[[nodiscard]] std::string path_name(std::int16_t path);
[[nodiscard]] Paint path_paint(std::int16_t path);
// "84.4 %", "< 0.1 %"
[[nodiscard]] std::string share_text(double share);

// Parts of the view.
// The 32 lanes over time with the branches, the paths, how many lanes work, and a legend.
void draw_lane_picture(Pen& pen, const Rect& area, const ViewContext& context,
                       const WarpInSight& sight);
// Every warp of the block as a strip, to see which diverge and to pick one.
[[nodiscard]] float warp_strips_height(const Pen& pen, const Rect& area, std::size_t warps);
void draw_warp_strips(Pen& pen, const Rect& area, const ViewContext& context,
                      const WarpInSight& sight);
// What is lost, to what, and how many instructions would do; returns the height it took.
float draw_lane_loss(Pen& pen, const Rect& area, const ViewContext& context,
                     const WarpInSight& sight);
// The source lines that lose most lane slots.
void draw_lane_lines(Pen& pen, const Rect& area, const ViewContext& context);
// What WAYS of a kernel that offers it would cost the warp; modelled but for the present one.
struct WayLoss {
  std::int64_t ways = 1;
  bool present = false;
  double instructions = 0;  // of the warp
  double lost = 0;          // 0..1 of its lane slots
};
// Precondition: offers_ways().
[[nodiscard]] std::vector<WayLoss> ways_of(const ViewContext& context, const WarpInSight& sight);
// WAYS 1, 2, 4 ... of a kernel that offers it, with the share that each would lose.
[[nodiscard]] bool offers_ways(const ViewContext& context, const WarpInSight& sight);
void draw_ways(Pen& pen, const Rect& area, const ViewContext& context, const WarpInSight& sight);

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> divergence_parts();

}  // namespace tilescope
