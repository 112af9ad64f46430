#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/memory/coalescing.h"
#include "scene/drawing/pen.h"
#include "scene/model/access_shape.h"
#include "scene/model/prepared.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

// The one global access that the coalescing view looks at.
struct GlobalRequest {
  std::uint32_t event = 0;
  std::uint16_t warp = 0;
  const StaticInstruction* instruction = nullptr;
  WarpAccess access;
  SectorCost cost;
  AccessShape shape;
  std::optional<BufferPlace> buffer;
  std::vector<std::uint64_t> lines;  // addresses of the 128-byte lines, ascending
};
[[nodiscard]] std::optional<GlobalRequest> global_request(const ViewContext& context);

// Moves the selection to the access of warp 0 on the line that wastes most sectors; where there is
// none it stays.
void look_at_worst_global(const KernelStudy& study, const PreparedStudy& prepared,
                          Selection& selection);

void draw_coalescing(Canvas& canvas, const Rect& area, const ViewContext& context);

// Parts of the view.
// Lanes, connectors, sectors and lines, the ideal and the ratio; returns the height it took.
float draw_lanes_to_sectors(Pen& pen, const Rect& area, const ViewContext& context,
                            const GlobalRequest& request);
// The same distinct bytes, lane after lane, in as few sectors as hold them, over the whole area.
[[nodiscard]] int ideal_sectors_drawn(const GlobalRequest& request);  // 1 at least
void draw_ideal_sectors(Pen& pen, const Rect& area, const GlobalRequest& request);
// How many times more the request moves: as a bar, or in words alone.
void draw_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request);
void write_sector_ratio(Pen& pen, const Rect& area, const GlobalRequest& request);
// Small maps of which elements of each matrix the warp touches.
void draw_access_maps(Pen& pen, const Rect& area, const ViewContext& context,
                      const GlobalRequest& request);
// What all loads, all stores, all atomics and all of them together move; empty where one line is
// all there is.
struct GlobalTotal {
  std::string_view name;  // "all loads"
  AccessCounters counters;
};

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> coalescing_parts();

}  // namespace tilescope
