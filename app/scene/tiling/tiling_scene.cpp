#include "scene/tiling/tiling_scene.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "emulator/matrix_operands.h"
#include "scene/drawing/empty_view.h"
#include "scene/drawing/noted_labels.h"
#include "scene/hovered_line.h"
#include "scene/prepared.h"
#include "scene/selected_time.h"

namespace tilescope {
namespace {

// The last global access of the block at or before now that lies in the same step of its warp.
std::optional<std::uint32_t> access_now(const ViewContext& context, const TilingMoment& moment) {
  const auto event = access_event(context, MemorySpace::kGlobal);
  if (!event || *event > moment.event) return std::nullopt;
  const std::uint16_t warp = context.study->trace->events[*event].warp;
  const Timeline& timeline = *context.study->timeline;
  if (timeline.step_of(warp, *event) != timeline.step_of(warp, moment.event)) return std::nullopt;
  return event;
}

// Runs of neighbours in a row, that stand above each other where they are alike.
std::vector<std::pair<std::size_t, ElementBox>> lit_elements(const ViewContext& context) {
  const CopyFlow& flow = *context.prepared->flow;
  std::set<std::array<std::uint64_t, 3>> elements;  // matrix, row, column
  for (const std::uint32_t event : lit_accesses(context)) {
    const auto travel = travel_at(*context.study, flow, event, context.selection.lane);
    if (!travel) continue;
    for (const auto& [lane, origin] : travel->lanes) {
      const std::uint64_t leading = flow.matrices[origin.matrix()].leading;
      elements.insert({origin.matrix(), origin.element() / leading, origin.element() % leading});
    }
  }
  std::vector<std::pair<std::size_t, ElementBox>> runs;
  for (const auto& [matrix, row, col] : elements) {
    const bool goes_on = !runs.empty() && runs.back().first == matrix &&
                         runs.back().second.row == row &&
                         runs.back().second.col + runs.back().second.cols == col;
    if (goes_on) {
      ++runs.back().second.cols;
    } else {
      runs.emplace_back(matrix, ElementBox{row, col, 1, 1});
    }
  }
  std::vector<std::pair<std::size_t, ElementBox>> boxes;
  for (const auto& [matrix, run] : runs) {
    const auto above =
        std::ranges::find_if(boxes, [&, &matrix = matrix, &run = run](const auto& box) {
          return box.first == matrix && box.second.col == run.col && box.second.cols == run.cols &&
                 box.second.row + box.second.rows == run.row;
        });
    if (above == boxes.end()) {
      boxes.emplace_back(matrix, run);
    } else {
      ++above->second.rows;
    }
  }
  return boxes;
}

// Elements of the selected warp's last matrix product since `from`.
std::vector<Origin> multiplied_last(const KernelStudy& study, const CopyFlow& flow,
                                    const TilingMoment& moment, std::uint32_t from) {
  if (const auto& product = moment.flow.matrix_product) {
    return {product->left.front(), product->right.front()};
  }
  const std::vector<OperandRead>& reads = study.trace->operand_reads;
  auto read = std::ranges::upper_bound(reads, moment.event, {}, &OperandRead::event);
  while (read != reads.begin() && (--read)->event >= from) {
    if (study.trace->events[read->event].warp != moment.warp) continue;
    return operands_read(study, flow, read->event);
  }
  return {};
}

// An operand of a matrix product: rows x cols elements, and which lane holds which.
struct Fragment {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  const std::vector<std::uint8_t>& lanes;
};

// Where it lies in its matrix, as it is or turned over. In the PTX ISA's fragments a lane's second
// register lies below its first one.
std::optional<std::pair<std::size_t, ElementBox>> part_of(const CopyFlow& flow,
                                                          const Fragment& fragment, int lane,
                                                          const std::vector<Origin>& held) {
  const auto mine = std::ranges::find(fragment.lanes, static_cast<std::uint8_t>(lane));
  const bool is_known = held.size() > 1 && held[0].known() && held[1].known() &&
                        held[0].matrix() == held[1].matrix() && mine != fragment.lanes.end();
  if (!is_known) return std::nullopt;
  const std::uint64_t leading = flow.matrices[held[0].matrix()].leading;
  const std::uint64_t row = held[0].element() / leading;
  const std::uint64_t col = held[0].element() % leading;
  const bool upright = held[1].element() % leading == col;
  const bool turned = held[1].element() / leading == row;
  const auto place = static_cast<std::uint64_t>(mine - fragment.lanes.begin());
  const std::uint64_t down = upright ? place / fragment.cols : place % fragment.cols;
  const std::uint64_t across = upright ? place % fragment.cols : place / fragment.cols;
  if (upright == turned || down > row || across > col) return std::nullopt;
  const ElementBox box{row - down, col - across, upright ? fragment.rows : fragment.cols,
                       upright ? fragment.cols : fragment.rows};
  return std::pair(held[0].matrix(), box);
}

// What of A and B the selected warp's last matrix product multiplies.
std::vector<std::pair<std::size_t, ElementBox>> parts_multiplied(const KernelStudy& study,
                                                                 const CopyFlow& flow,
                                                                 const TilingMoment& moment) {
  std::vector<std::pair<std::size_t, ElementBox>> parts;
  if (const auto& product = moment.flow.matrix_product) {
    const auto mma =
        matrix_operands(*study.program, study.trace->events[product->event].instruction);
    if (!mma) return parts;
    const auto add = [&](const Fragment& fragment, const std::vector<Origin>& held) {
      if (const auto part = part_of(flow, fragment, moment.lane, held)) parts.push_back(*part);
    };
    add({mma->m, mma->k, mma->lane_of_a}, product->left);
    add({mma->k, mma->n, mma->lane_of_b}, product->right);
    return parts;
  }
  std::map<std::size_t, ElementBox> boxes;
  for (const Origin& origin : moment.multiplied) {
    const std::uint64_t leading = flow.matrices[origin.matrix()].leading;
    boxes[origin.matrix()].add(origin.element() / leading, origin.element() % leading);
  }
  parts.assign(boxes.begin(), boxes.end());
  return parts;
}

void draw_zoom_lines(NotedLabels& labels, const Rect& from, const Rect& to,
                     std::span<const Rect> boxes) {
  if (from.w <= 0 || to.w <= 0) return;
  const Paint paint(ColourRole::kFaint, 0.8f);
  const auto line = [&](Point begin, Point end) {
    labels.line_between(begin, end, paint, 1, kLabelMargin, boxes);
  };
  line({from.right(), from.y}, {to.x, to.y});
  line({from.right(), from.bottom()}, {to.x, to.bottom()});
}

struct Panels {
  Rect grid;
  std::optional<Rect> block;
  std::optional<Rect> thread;
  std::optional<Rect> summary;
};

Panels arrange(const Pen& pen, const Rect& area, bool gemm) {
  Panels panels;
  Rect upper = area;
  if (area.h >= pen.px(260)) {
    const float height = pen.px(58);
    panels.summary = Rect{area.x, area.bottom() - height, area.w, height};
    upper.h -= height + pen.px(10);
  }
  const float gap = std::clamp(area.w * 0.035f, pen.px(14), pen.px(48));
  if (area.w < pen.px(430)) {
    panels.grid = upper;
  } else if (area.w < pen.px(580)) {
    const float w = (upper.w - gap) / 2;
    panels.grid = {upper.x, upper.y, w, upper.h};
    panels.block = Rect{upper.x + w + gap, upper.y, w, upper.h};
  } else {
    const float w = upper.w - 2 * gap;
    const float grid = gemm ? 0.35f : 0.22f;
    const float block = gemm ? 0.32f : 0.51f;
    panels.grid = {upper.x, upper.y, w * grid, upper.h};
    panels.block = Rect{panels.grid.right() + gap, upper.y, w * block, upper.h};
    panels.thread = Rect{panels.block->right() + gap, upper.y, w * (1 - grid - block), upper.h};
  }
  return panels;
}

// From its panel to the whole view, as the camera goes in.
Rect grown(const Rect& panel, const Rect& whole, float zoom) {
  const float t = std::clamp((zoom - 1) * 2, 0.0f, 1.0f);
  const auto between = [t](float a, float b) { return a + (b - a) * t; };
  return {between(panel.x, whole.x), between(panel.y, whole.y), between(panel.w, whole.w),
          between(panel.h, whole.h)};
}

}  // namespace

TilingMoment tiling_moment(const ViewContext& context) {
  const KernelStudy& study = *context.study;
  const PreparedStudy& prepared = *context.prepared;
  TilingMoment moment;
  moment.model = prepared.tiling.get();
  const EventList& events = study.trace->events;
  if (events.empty()) return moment;
  moment.event = std::min(context.selection.event, static_cast<std::uint32_t>(events.size() - 1));
  moment.warp = context.selection.warp;
  moment.lane = context.selection.lane;
  const Timeline& timeline = *study.timeline;
  moment.step = timeline.step_of(moment.warp, moment.event);
  moment.access = access_now(context, moment);
  if (moment.warp < timeline.warp_steps.size()) {
    const std::vector<std::uint32_t>& begin = timeline.warp_steps[moment.warp];
    const std::uint32_t from = begin.empty() ? 0 : begin[moment.step == 0 ? 0 : moment.step - 1];
    moment.flow = follow_lane(study, *prepared.flow, moment.warp, moment.lane, from, moment.event);
    if (!moment.flow.products.empty()) moment.product = moment.flow.products.back();
    moment.multiplied = multiplied_last(study, *prepared.flow, moment, from);
    moment.multiplied_parts = parts_multiplied(study, *prepared.flow, moment);
  }
  const WarpTime time = time_of(study, prepared, moment.warp);
  if (!time.own.empty()) {
    moment.travel = travel_at(study, *prepared.flow, time.own_event(moment.event), moment.lane);
  }
  moment.lit = lit_elements(context);
  for (const OwnedRect& rect : moment.model->lane_rects) {
    if (rect.warp == moment.warp && rect.lane == moment.lane) moment.lane_rects.push_back(rect);
  }
  return moment;
}

void draw_tiling(Canvas& canvas, const Rect& view, const Rect& area, const ViewContext& context) {
  NotedLabels labels(canvas);
  Pen pen(labels, context);
  const TilingMoment moment = tiling_moment(context);
  if (moment.model->matrices.empty()) {
    draw_empty(pen, area, "This kernel has no pointer arguments",
               "A kernel that reads or writes a buffer fills this view.");
    return;
  }
  const Panels panels = arrange(pen, area, moment.model->problem == Problem::kGemm);
  if (panels.summary) {
    pen.rule(area.x, area.right(), panels.summary->y);
    draw_memory_summary(
        pen, {area.x, panels.summary->y + pen.px(12), area.w, panels.summary->h - pen.px(12)},
        context, moment);
  }
  if (context.camera.zoom > 1) {
    const Rect whole{area.x, area.y, area.w, panels.grid.h};
    const GridPanel panel{panels.grid, grown(panels.grid, whole, context.camera.zoom), view};
    (void)draw_grid_panel(pen, panel, context, moment);
    return;
  }
  const GridPicture grid = draw_grid_panel(pen, {panels.grid, panels.grid, view}, context, moment);
  if (!panels.block) return;
  const BlockPicture block = draw_block_panel(pen, *panels.block, context, moment);
  ThreadPicture thread;
  if (panels.thread) thread = draw_thread_panel(pen, *panels.thread, context, moment);
  // Lines from panel to panel come last: they part where a label stands, or a stage.
  std::vector<Rect> stages = block.stages;
  if (block.registers.w > 0) stages.push_back(block.registers);
  draw_zoom_lines(labels, grid.tile, block.from_grid, stages);
  draw_zoom_lines(labels, block.thread, thread.cells, stages);
  if (!panels.thread) return;
  const float bottom = panels.summary ? panels.summary->y - pen.px(5) : area.bottom();
  const Rect room{view.x, area.y, view.w, bottom - area.y};
  draw_travel(pen, labels, {context, moment, grid, block, thread, room});
}

}  // namespace tilescope
