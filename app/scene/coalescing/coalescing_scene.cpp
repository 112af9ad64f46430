#include "scene/coalescing/coalescing_scene.h"

#include <algorithm>

#include "scene/drawing/empty_view.h"

namespace tilescope {

std::optional<GlobalRequest> global_request(const ViewContext& context) {
  const auto event = access_event(context, MemorySpace::kGlobal);
  if (!event) return std::nullopt;
  const KernelStudy& study = *context.study;
  const TraceEvent& traced = study.trace->events[*event];
  GlobalRequest request;
  request.event = *event;
  request.warp = traced.warp;
  request.instruction = &study.program->instructions()[traced.instruction];
  request.access = study.trace->access(traced.access);
  request.cost = sector_cost(request.access);
  request.shape = shape_of(request.access);
  request.buffer = buffer_of(study, request.shape.first);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    request.lines.push_back(request.access.address[lane] / kLineBytes * kLineBytes);
  }
  std::sort(request.lines.begin(), request.lines.end());
  request.lines.erase(std::unique(request.lines.begin(), request.lines.end()), request.lines.end());
  return request;
}

void draw_coalescing(Canvas& canvas, const Rect& area, const ViewContext& context) {
  Pen pen(canvas, context);
  const auto request = global_request(context);
  if (!request) {
    draw_empty(pen, area, "No global memory access in this block",
               "A kernel that loads from or stores to a pointer argument fills this view.");
    return;
  }
  const float taken = draw_lanes_to_sectors(pen, area, context, *request);
  const float top = area.y + taken + pen.px(8);
  const float left = area.bottom() - top;
  if (left < pen.px(58)) return;  // heading, header and one row
  pen.rule(area.x, area.right(), top);
  const Rect below{area.x, top + pen.px(14), area.w, left - pen.px(14)};
  const bool maps = area.w >= pen.px(680) && below.h >= pen.px(96);
  const float maps_width = maps ? std::min(area.w * 0.38f, pen.px(420)) : 0;
  if (maps) draw_access_maps(pen, {below.x, below.y, maps_width, below.h}, context, *request);
  const float gap = maps ? pen.px(24) : 0;
  draw_global_table(pen, {below.x + maps_width + gap, below.y, below.w - maps_width - gap, below.h},
                    context, request->instruction->outermost.line);
}

}  // namespace tilescope
