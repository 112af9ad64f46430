#include "scene/tiling/tiling_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "core/quantity.h"
#include "emulator/matrix_operands.h"
#include "scene/drawing/labels.h"
#include "scene/drawing/pen.h"
#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/tiling/matrix_picture.h"
#include "scene/tiling/tiling_thread.h"
#include "scene/view/default_selection.h"
#include "scene/view/empty_view.h"
#include "scene/view/hovered_line.h"
#include "scene/view/phase_paint.h"

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

// Whether lines from what the thread owns to the thread's panel pass no other picture of the block.
bool has_clear_way(const BlockPicture& block, const Rect& cells) {
  if (cells.x < block.thread.right()) return false;
  const Point from = block.thread.center();
  const Point to{cells.x, cells.center().y};
  return std::ranges::none_of(block.tiles, [&](const Rect& tile) {
    const auto [begin, end] = stretch_in(from, to, tile);
    return !tile.contains(from) && begin < end;
  });
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
    // In a high view a copy's matrices stand below one another, and its tiles get their room.
    const bool high = upper.h > 0.3f * upper.w;
    const float grid = gemm ? 0.35f : high ? 0.17f : 0.22f;
    const float block = gemm ? 0.32f : high ? 0.60f : 0.51f;
    panels.grid = {upper.x, upper.y, w * grid, upper.h};
    panels.block = Rect{panels.grid.right() + gap, upper.y, w * block, upper.h};
    panels.thread = Rect{panels.block->right() + gap, upper.y, w * (1 - grid - block), upper.h};
  }
  return panels;
}

// With the thread's loads and stores below the block's tiles, which then have the whole width.
Panels thread_below(const Pen& pen, Panels panels) {
  const Rect& grid = panels.grid;
  const float right = panels.thread->right();
  const float height = pen.px(28 + 3 * 26);
  const float gap = pen.px(14);
  const float x = panels.block->x;
  panels.block = Rect{x, grid.y, right - x, grid.h - height - gap};
  panels.thread = Rect{x, grid.bottom() - height, right - x, height};
  return panels;
}

// Where a copy's tiles become much larger without the thread's list at their right, it goes below.
Panels arrange_moves(const Pen& pen, const Panels& beside, const ViewContext& context,
                     const TilingMoment& moment) {
  constexpr float kMuch = 1.3f;
  // What is said of a bulk copy needs the height of the panel beside.
  const bool in_bulk = !moment.model->boxes.empty();
  if (!beside.thread || in_bulk || multiplies_elements(moment)) return beside;
  const Panels below = thread_below(pen, beside);
  if (below.block->h < pen.px(180)) return beside;
  const std::array<Rect, 2> rooms{block_room(pen, *beside.block), block_room(pen, *below.block)};
  const std::vector<float> covered = moves_cover(pen, rooms, context, moment);
  return covered[1] > kMuch * covered[0] ? below : beside;
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
  moment.lane_rects = lane_rects(context, moment);
  return moment;
}

void draw_tiling(Canvas& canvas, const Rect& view, const Rect& area, const ViewContext& context) {
  NotedLabels labels(canvas);
  Pen pen(labels, context);
  const TilingMoment moment = tiling_moment(context);
  if (moment.model->matrices.empty()) {
    draw_empty(pen, area, "This launch has no buffers",
               "None of its arguments is the address of memory that was allocated for the GPU.");
    return;
  }
  const bool product = moment.model->movement == Movement::kProduct;
  Panels panels = arrange(pen, area, product);
  if (!product) panels = arrange_moves(pen, panels, context, moment);
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
  if (panels.thread && has_clear_way(block, thread.cells))
    draw_zoom_lines(labels, block.thread, thread.cells, stages);
  if (!panels.thread) return;
  const float bottom = panels.summary ? panels.summary->y - pen.px(5) : area.bottom();
  const Rect room{view.x, area.y, view.w, bottom - area.y};
  draw_travel(pen, labels, {context, moment, grid, block, thread, room});
}

namespace {

using DrawMoment = void (*)(Pen& pen, const Rect& area, const ViewContext& context,
                            const TilingMoment& moment);
template <DrawMoment kDraw>
void draw_tiling_part(Canvas& canvas, const Rect& area, const ViewContext& context) {
  const TilingMoment moment = tiling_moment(context);
  if (moment.model->matrices.empty()) {
    draw_tiling(canvas, area, area, context);  // says so
    return;
  }
  NotedLabels labels(canvas);
  Pen pen(labels, context);
  kDraw(pen, area, context, moment);
}

void draw_grid_alone(Pen& pen, const Rect& area, const ViewContext& context,
                     const TilingMoment& moment) {
  (void)draw_grid_panel(pen, {area, area, area}, context, moment);
}

void draw_block_alone(Pen& pen, const Rect& area, const ViewContext& context,
                      const TilingMoment& moment) {
  (void)draw_block_panel(pen, area, context, moment);
}

void draw_thread_alone(Pen& pen, const Rect& area, const ViewContext& context,
                       const TilingMoment& moment) {
  (void)draw_thread_panel(pen, area, context, moment);
}

}  // namespace

std::span<const ViewPart> tiling_parts() {
  static constexpr std::array kParts{
      ViewPart{"grid",
               "the matrices and the blocks of the grid",
               {200, 150},
               draw_tiling_part<draw_grid_alone>},
      ViewPart{"block", "the tiles of a block", {200, 170}, draw_tiling_part<draw_block_alone>},
      ViewPart{"thread", "what a thread owns", {200, 170}, draw_tiling_part<draw_thread_alone>},
      ViewPart{"memory",
               "what moves from level to level of memory",
               {300, 44},
               draw_tiling_part<draw_memory_summary>}};
  return kParts;
}

namespace {

// Lengths on screen for extents that may differ by orders of magnitude: proportional as far as the
// shortest keeps a quarter of the longest.
std::array<float, 3> lengths(std::array<std::uint64_t, 3> extents) {
  const auto longest = static_cast<float>(*std::max_element(extents.begin(), extents.end()));
  std::array<float, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = std::max(static_cast<float>(extents[i]) / std::max(longest, 1.0f), 0.25f);
  }
  return result;
}

// A left, B on top, C in the corner between them.
std::vector<MatrixSlot> gemm_slots(const Pen& pen, const TilingModel& model, const Rect& area) {
  std::array<std::size_t, 3> index{};
  const std::array<Role, 3> roles = {Role::kA, Role::kB, Role::kC};
  for (std::size_t i = 0; i < 3; ++i) {
    const TiledMatrix* matrix = model.find(roles[i]);
    if (matrix == nullptr) return {};
    index[i] = static_cast<std::size_t>(matrix - model.matrices.data());
  }
  const MatrixView& a = model.matrices[index[0]].view;
  const MatrixView& c = model.matrices[index[2]].view;
  const auto [m, n, k] = lengths({c.rows, c.cols, a.cols});
  const float gap = pen.px(26);
  const float label = pen.px(22);
  const float below_b = pen.px(12);  // A's name stands beside it
  const float scale = std::min((area.w - gap) / (k + n), (area.h - below_b - 2 * label) / (k + m));
  const float x = area.x + k * scale + gap;
  const float y = area.y + label + k * scale + below_b;
  return {{index[0], {area.x, y, k * scale, m * scale}},
          {index[1], {x, area.y + label, n * scale, k * scale}},
          {index[2], {x, y, n * scale, m * scale}}};
}

// In the kernel's order, at most four; below each other or two in a row, as they become larger.
std::vector<MatrixSlot> plain_slots(const Pen& pen, const TilingModel& model, const Rect& area) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < model.matrices.size() && used.size() < 4; ++i) {
    const TiledMatrix& matrix = model.matrices[i];
    if (!matrix.read.empty() || !matrix.written.empty()) used.push_back(i);
  }
  if (used.empty()) used.push_back(0);
  const float gap = pen.px(20);
  const float label = pen.px(22);
  const auto place_of = [&](std::size_t columns) {
    const std::size_t rows = (used.size() + columns - 1) / columns;
    return Point{(area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
                 area.h / static_cast<float>(rows) - label - pen.px(4)};
  };
  const auto side_of = [](const Point& place) { return std::min(place.x, place.y); };
  const std::size_t two = std::min<std::size_t>(used.size(), 2);
  const std::size_t columns = side_of(place_of(two)) > side_of(place_of(1)) ? two : 1;
  const float w = place_of(columns).x;
  const float h = place_of(columns).y;
  float longest = 1;
  for (const std::size_t i : used) {
    const MatrixView& view = model.matrices[i].view;
    longest = std::max({longest, static_cast<float>(view.rows), static_cast<float>(view.cols)});
  }
  const float side = std::min(w, h);
  std::vector<MatrixSlot> slots;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const MatrixView& view = model.matrices[used[i]].view;
    const float least = view.folded ? 0.4f : 0.2f;  // a folded buffer's rows are ours anyway
    const float mw = side * std::max(static_cast<float>(view.cols) / longest, least);
    const float mh = side * std::max(static_cast<float>(view.rows) / longest, least);
    const float x = area.x + static_cast<float>(i % columns) * (w + gap);
    const float y = area.y + static_cast<float>(i / columns) * (h + label + pen.px(4)) + label;
    slots.push_back({used[i], {x, y, mw, mh}});
  }
  return slots;
}

// The whole view under a magnifier: what lies at the camera's center comes to the view's middle.
Rect seen_by_camera(const Rect& box, const Rect& view, const MatrixCamera& camera) {
  if (camera.zoom <= 1) return box;
  const float z = camera.zoom;
  return {view.center().x + (box.x - view.x - camera.center_x * view.w) * z,
          view.center().y + (box.y - view.y - camera.center_y * view.h) * z, box.w * z, box.h * z};
}

// "each element of A is read 16 ×, of B 16 ×" and a shorter way to say it.
std::vector<std::string> panel_words(const TilingModel& model) {
  std::vector<std::string> words;
  for (const TiledMatrix& matrix : model.matrices) {
    if (matrix.grid_reads_per_element < 0.005) continue;
    const std::string times = times_words(matrix.grid_reads_per_element);
    const std::string& name = matrix.view.name;
    if (words.empty()) {
      words = {fmt::format("each element of {} is read {}", name, times),
               fmt::format("{} is read {}", name, times)};
    } else {
      words[0] += fmt::format(", of {} {}", name, times);
      words[1] += fmt::format(", {} {}", name, times);
    }
  }
  return words;
}

// "colour  matrix | reads", and what the colours of the reads mean.
void draw_heat_switch(Pen& pen, const Rect& panel, const ViewContext& context,
                      const TilingModel& model) {
  const bool heat = context.settings.heat;
  const std::array<Segment, 2> segments{
      Segment{"matrix",
              !heat,
              {.kind = HitKind::kSetting,
               .value = 0,
               .name = "heat",
               .tooltip = "Each matrix has its own colour."}},
      Segment{"reads",
              heat,
              {.kind = HitKind::kSetting,
               .value = 1,
               .name = "heat",
               .tooltip = "Colours each element by how often this block's lanes read it from "
                          "global memory."}}};
  const float y = panel.bottom() - pen.px(10);
  const TextStyle style = pen.style(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  float right = draw_segments(pen, panel.right(), y, segments);
  if (!pen.on_paper) {
    right -= pen.px(8);
    const std::string_view about = "colour:";
    if (right - pen.width(about, style) > panel.x) pen.text(right, y, about, style);
    right -= pen.width(about, style) + pen.px(20);
  }
  if (!heat) return;
  const std::string most = model.most_reads == 1 ? "each read once by this block"
                                                 : fmt::format("1 to {} reads", model.most_reads);
  const int swatches = model.most_reads == 1 ? 1 : 16;
  const float first =
      right - pen.width(most, style) - pen.px(8) - pen.px(4) * static_cast<float>(swatches);
  if (first < panel.x) return;
  for (int i = 0; i < swatches; ++i) {
    const auto shade =
        static_cast<std::uint8_t>(model.most_reads == 1 ? kSingleReadHeat : 1 + i * 254 / 15);
    pen.canvas.fill_rect(
        {first + pen.px(4) * static_cast<float>(i), y - pen.px(4), pen.px(4), pen.px(8)},
        cell_paint(shade));
  }
  pen.text(right, y, most, style);
}

Rect clamped(const Rect& box, const Rect& area) {
  const float x = std::clamp(box.x, area.x, area.right());
  const float y = std::clamp(box.y, area.y, area.bottom());
  return {x, y, std::clamp(box.right(), area.x, area.right()) - x,
          std::clamp(box.bottom(), area.y, area.bottom()) - y};
}

}  // namespace

GridPicture draw_grid_panel(Pen& pen, const GridPanel& panel, const ViewContext& context,
                            const TilingMoment& moment) {
  const Rect& area = panel.shown;
  const Rect& home = panel.home;
  const TilingModel& model = *moment.model;
  const float words =
      pen.heading(area.x, area.y + pen.px(8), "GRID", "", area.right()) + pen.px(12);
  pen.first_that_fits(words, area.y + pen.px(8), panel_words(model),
                      pen.style(11, ColourRole::kDim), area.right() - words);
  const auto inside_of = [&](const Rect& whole) {
    return Rect{whole.x, whole.y + pen.px(24), whole.w, whole.h - pen.px(48)};
  };
  const Rect inside = inside_of(home);
  const Rect clip = inside_of(area);
  const bool gemm = model.movement == Movement::kProduct;
  std::vector<MatrixSlot> slots;
  if (gemm) slots = gemm_slots(pen, model, inside);
  if (slots.empty()) slots = plain_slots(pen, model, inside);

  const bool zoomed = context.camera.zoom > 1;
  if (zoomed) pen.canvas.push_clip(clip);
  Rect tile;
  std::vector<Rect> boxes;
  for (const MatrixSlot& slot : slots) {
    boxes.push_back(seen_by_camera(slot.box, panel.view, context.camera));
    const MatrixPicture picture{boxes.back(), clip, slot.matrix};
    draw_matrix(pen, picture, context, moment);
    // The next panel begins with what this one ends in: the output's tile, or the first buffer's
    // part.
    const TiledMatrix& matrix = model.matrices[slot.matrix];
    const bool output = model.output && *model.output == slot.matrix;
    if (gemm && output) tile = place_box(picture, matrix, matrix.written);
    if (!gemm && tile.w == 0) {
      tile = place_box(picture, matrix, matrix.written.empty() ? matrix.read : matrix.written);
    }
  }
  draw_matrix_guides(pen, model, slots, boxes, clip);
  const auto seen = [&](const Rect& box) {
    return box.x < clip.right() && box.right() > clip.x && box.y < clip.bottom() &&
           box.bottom() > clip.y;
  };
  if (zoomed && std::ranges::none_of(boxes, seen)) {
    draw_empty(pen, clip, "No matrix here",
               "Press Home to show all matrices; drag, or Alt + arrow keys, to move.");
  }
  if (zoomed) pen.canvas.pop_clip();
  if (model.most_reads > 0) draw_heat_switch(pen, area, context, model);
  GridPicture picture{clamped(tile, clip), {}};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    picture.boxes.emplace_back(slots[i].matrix, boxes[i]);
  }
  return picture;
}

namespace {

constexpr std::size_t kMostNamed = 8;
constexpr float kStageHeight = 24;
constexpr float kNameHeight = 18;  // above it: "stage 0"
constexpr float kAmpleRoom = 270;  // of the block's panel, for the row
constexpr float kLeastRoom = 150;
constexpr float kLeastBeside = 75;  // the tile, for the column

// "k 528 to 543", as far as the tile is of A or B.
std::string depth_words(const TilingModel& model, const RingFill& fill) {
  for (const auto& [matrix, box] : fill.parts) {
    const Role role = model.matrices[matrix].view.role;
    if (role == Role::kA) return fmt::format("k {} to {}", box.col, box.col + box.cols - 1);
    if (role == Role::kB) return fmt::format("k {} to {}", box.row, box.row + box.rows - 1);
  }
  return {};
}

// Where the stage's tile stands, the longest words first.
std::vector<std::string> state_words(const RingModel::Stage& stage) {
  switch (stage.state) {
    case StageState::kEmpty:
      return {"empty"};
    case StageState::kIssued:
      return {fmt::format("tile {}: {}", stage.fill, kTileIssued),
              fmt::format("tile {} started", stage.fill), std::to_string(stage.fill)};
    case StageState::kReady:
      return {fmt::format("tile {}: {}", stage.fill, kTileReady), std::string(kTileReady)};
    case StageState::kUsed:
      return {fmt::format("multiply {}", stage.fill), std::to_string(stage.fill)};
    case StageState::kFree:
      return {"free"};
  }
  return {};
}

// "tile 3", with what of k it is where that is known.
std::string tile_name(const TilingModel& model, std::size_t fill) {
  const std::string depth = depth_words(model, model.ring.fills[fill]);
  return depth.empty() ? fmt::format("tile {}", fill) : fmt::format("tile {} ({})", fill, depth);
}

std::string stage_tooltip(const TilingModel& model, std::size_t number,
                          const RingModel::Stage& stage) {
  const std::string name = fmt::format("Stage {}", number);
  if (stage.state == StageState::kEmpty) return name + " has no tile yet.";
  const std::string tile = tile_name(model, stage.fill);
  switch (stage.state) {
    case StageState::kIssued:
      return fmt::format("{}: {:.0f} % of the copies of {} have started. {}", name,
                         100 * stage.issued, tile, kIssuedElsewhere);
    case StageState::kReady:
      return fmt::format(
          "{} holds {}, complete: a warp has waited for it, and no warp reads it yet.", name, tile);
    case StageState::kUsed:
      return fmt::format("{} holds {}, which the warps read and multiply.", name, tile);
    default:
      return fmt::format("{} is free: {} has been multiplied.", name, tile);
  }
}

void draw_stage(Pen& pen, const Rect& box, const TilingMoment& moment, std::size_t number) {
  const RingModel::Stage stage =
      moment.model->ring.stage_at(static_cast<std::uint32_t>(number), moment.event);
  Paint ground(ColourRole::kRaised);
  Paint ink(ColourRole::kText);
  switch (stage.state) {
    case StageState::kEmpty:
    case StageState::kFree:
      ground = Paint(ColourRole::kRaised, 0.5f);
      ink = ColourRole::kDim;
      break;
    case StageState::kUsed:
      ground = ColourRole::kSecond;
      ink = text_on(ground, pen.theme);
      break;
    default:
      break;
  }
  pen.canvas.fill_rect(box, ground, 2);
  if (stage.state == StageState::kIssued) {
    const float bar = pen.px(4);
    pen.canvas.fill_rect({box.x, box.bottom() - bar, box.w * static_cast<float>(stage.issued), bar},
                         ColourRole::kFirst, 1);
    pen.outline(box, ColourRole::kFirst, 1, 2);
  }
  pen.first_that_fits(box.center().x, box.center().y - pen.px(1), state_words(stage),
                      pen.style(11, ink, Weight::kMedium, Align::kCenter), box.w - pen.px(4));
  pen.hit(box, HitKind::kNone, 0, stage_tooltip(*moment.model, number, stage));
}

// The tile that was loaded early: it waits in the threads' registers.
void draw_registers(Pen& pen, const Rect& box, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const auto waiting = ring.in_registers(moment.event);
  pen.canvas.fill_rect(box, Paint(ColourRole::kRaised, waiting ? 1.0f : 0.5f), 2);
  std::vector<std::string> words = {"empty"};
  std::string tooltip = "No tile is waiting in registers.";
  if (waiting) {
    const std::size_t tile = waiting->fill;
    words = {fmt::format("tile {}: {}", tile, kTileInRegisters), fmt::format("tile {} waits", tile),
             fmt::format("tile {}", tile), std::to_string(tile)};
    tooltip = fmt::format(
        "{:.0f} % of the loads of {} have started. It waits in the threads' registers until stage "
        "{} may be written; {}",
        100 * waiting->loaded, tile_name(*moment.model, tile), ring.fills[tile].stage,
        "Pipeline shows when its bytes arrive.");
    const float bar = pen.px(4);
    pen.canvas.fill_rect(
        {box.x, box.bottom() - bar, box.w * static_cast<float>(waiting->loaded), bar},
        ColourRole::kFirst, 1);
    pen.outline(box, ColourRole::kFirst, 1, 2);
  }
  pen.first_that_fits(box.center().x, box.center().y - pen.px(1), words,
                      pen.style(11, waiting ? ColourRole::kText : ColourRole::kDim, Weight::kMedium,
                                Align::kCenter),
                      box.w - pen.px(4));
  pen.hit(box, HitKind::kNone, 0, tooltip);
}

}  // namespace

float ring_row_height(const Pen& pen, const TilingModel& model, float room, float beside) {
  const float least = beside < pen.px(kLeastBeside) ? kLeastRoom : kAmpleRoom;
  const bool fits = model.ring.has_way() && room >= pen.px(least);
  return fits ? pen.px(kStageHeight + kNameHeight) : 0;
}

RingPicture draw_ring_row(Pen& pen, const Rect& area, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const std::size_t before = ring.prefetches ? 1 : 0;  // the registers
  const std::size_t count = ring.stages.size() + before;
  const float gap = pen.px(count > kMostNamed ? 1 : 4);
  const float width = (area.w - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const bool has_words = pen.width("stage 00", dim) <= width;  // before each number, or none
  const auto box = [&](std::size_t i) {
    const float x = area.x + (width + gap) * static_cast<float>(i);
    return Rect{x, area.bottom() - pen.px(kStageHeight), width, pen.px(kStageHeight)};
  };
  RingPicture picture;
  if (ring.prefetches) {
    picture.registers = box(0);
    pen.text_if_fits(area.x, area.y + pen.px(8), "registers", dim, width);
    draw_registers(pen, picture.registers, moment);
  }
  for (std::size_t i = 0; i < ring.stages.size(); ++i) {
    picture.stages.push_back(box(before + i));
    const std::string number = std::to_string(i);
    pen.text_if_fits(picture.stages.back().x, area.y + pen.px(8),
                     has_words ? "stage " + number : number, dim, width);
    draw_stage(pen, picture.stages.back(), moment, i);
  }
  return picture;
}

RingPicture draw_ring_column(Pen& pen, const Rect& area, const TilingMoment& moment) {
  const RingModel& ring = moment.model->ring;
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  const std::size_t before = ring.prefetches ? 1 : 0;  // the registers
  const float name = pen.width(before > 0 ? "registers" : "stage 0", dim) + pen.px(8);
  const float pitch =
      std::min(area.h / static_cast<float>(ring.stages.size() + before), pen.px(28));
  RingPicture picture;
  if (!ring.has_way() || pitch < pen.px(16) || area.w < pen.px(kLeastBeside)) return picture;
  const auto box = [&](std::size_t i) {
    const float y = area.y + pitch * static_cast<float>(i);
    return Rect{area.x + name, y, std::min(area.w - name, pen.px(90)), pitch - pen.px(3)};
  };
  // With its name before it: what leads there ends left of all names.
  const auto named = [&](const Rect& place) {
    const float left = area.x - pen.px(3);
    return Rect{left, place.y, place.right() - left, place.h};
  };
  if (ring.prefetches) {
    const Rect place = box(0);
    pen.text(area.x, place.center().y, "registers", dim);
    draw_registers(pen, place, moment);
    picture.registers = named(place);
  }
  for (std::size_t i = 0; i < ring.stages.size(); ++i) {
    const Rect place = box(before + i);
    pen.text(area.x, place.center().y, fmt::format("stage {}", i), dim);
    draw_stage(pen, place, moment, i);
    picture.stages.push_back(named(place));
  }
  return picture;
}

namespace {

// One of the three: where data lies, what moving it costs, what it would cost at best.
struct Item {
  std::string title;
  std::vector<std::string> detail;  // longest first
  std::string figure;
  std::vector<std::string> ideal;
  ColourRole tone = ColourRole::kStrong;  // of the figure
  ColourRole colour = ColourRole::kFirst;
  std::string tooltip;
};

std::string per(std::uint64_t count, std::uint64_t of) {
  if (of == 0) return "–";
  return fmt::format("{:.1f}", static_cast<double>(count) / static_cast<double>(of));
}

// Much more than the ideal, a little more, or the same as far as the figures show.
ColourRole tone_of(std::uint64_t count, std::uint64_t ideal, std::uint64_t of) {
  if (per(count, of) == per(ideal, of)) return ColourRole::kStrong;
  return 2 * count >= 3 * ideal ? ColourRole::kExcess : ColourRole::kSecond;
}

// Where no lane accesses global memory: what bulk copies move for the block.
Item bulk_item(const KernelStudy& study, const TilingModel& model) {
  const BulkBytes bytes = bulk_bytes(*study.trace);
  const auto words = [](std::uint64_t count) {
    return format(static_cast<double>(count), Unit::kBytes);
  };
  Item item;
  item.title = "Global";
  item.figure = words(bytes.all());
  const std::string ways =
      bytes.stored == 0 ? words(bytes.loaded) + " loaded"
      : bytes.loaded == 0
          ? words(bytes.stored) + " stored"
          : fmt::format("{} loaded, {} stored", words(bytes.loaded), words(bytes.stored));
  item.ideal = {"per block, in boxes", "in boxes"};
  item.detail = {ways};
  item.tooltip =
      fmt::format("{} move {} for this block in {} boxes; no lane addresses global memory.",
                  bulk_name(*study.program), words(bytes.all()), format_count(model.boxes.size()));
  return item;
}

Item global_item(const KernelStudy& study, const TilingModel& model, const MemoryTotals& totals) {
  if (totals.requests == 0 && !model.boxes.empty()) return bulk_item(study, model);
  Item item;
  item.title = "Global";
  item.figure = per(totals.sectors, totals.requests) + " sectors";
  item.tone = tone_of(totals.sectors, totals.sectors_ideal, totals.requests);
  const std::string ideal = per(totals.sectors_ideal, totals.requests);
  item.ideal = {fmt::format("per request, ideal {}", ideal), fmt::format("ideal {}", ideal)};
  std::string reads;
  for (const TiledMatrix& matrix : model.matrices) {
    if (matrix.grid_reads_per_element < 0.995) continue;
    if (!reads.empty()) reads += ", ";
    reads += matrix.view.name + " " + times_words(matrix.grid_reads_per_element);
  }
  if (!reads.empty()) item.detail = {"each element read: " + reads, reads};
  item.tooltip = fmt::format("{} global requests move {} sectors of 32 B; {} would be enough.",
                             format_count(totals.requests), format_count(totals.sectors),
                             format_count(totals.sectors_ideal));
  return item;
}

Item shared_item(const KernelStudy& study, const PreparedStudy& prepared,
                 const MemoryTotals& totals) {
  Item item;
  item.title = "Shared";
  item.colour = ColourRole::kSecond;
  const std::uint64_t bytes =
      study.program->static_shared_bytes() + study.launch.dynamic_shared_bytes;
  const std::string size = format(static_cast<double>(bytes), Unit::kBytes);
  if (totals.wavefronts == 0 && !study.trace->operand_reads.empty()) {
    item.figure = "no wavefronts";
    item.detail = {size + ", read by the tensor cores", size};
    item.tooltip =
        "wgmma reads its operands directly from shared memory; no wavefront counter includes that.";
    return item;
  }
  if (totals.wavefronts == 0) {
    item.figure = "not used";
    item.detail = {"threads share nothing"};
    item.tooltip = "The kernel makes no shared-memory access.";
    return item;
  }
  item.figure = per(totals.wavefronts, totals.shared_accesses) + " wavefronts";
  item.tone = tone_of(totals.wavefronts, totals.wavefronts_ideal, totals.shared_accesses);
  const std::string ideal = per(totals.wavefronts_ideal, totals.shared_accesses);
  item.ideal = {fmt::format("per access, ideal {}", ideal), fmt::format("ideal {}", ideal)};
  const std::size_t arrays = prepared.shared ? prepared.shared->regions.size() : 0;
  item.detail = {fmt::format("{} in {}", size, counted(arrays, "tile")), size};
  item.tooltip =
      fmt::format("{} shared accesses take {} wavefronts; without conflicts {} would be enough.",
                  format_count(totals.shared_accesses), format_count(totals.wavefronts),
                  format_count(totals.wavefronts_ideal));
  return item;
}

// What the kernel computes for each access: on tensor cores, else multiply-adds, else any floats.
void add_arithmetic(Item& item, const MemoryTotals& totals) {
  const bool shared = totals.shared_accesses != 0;
  const std::string accesses =
      fmt::format("{} {} accesses", format_count(shared ? totals.shared_accesses : totals.requests),
                  shared ? "shared" : "global");
  const auto computes = [&](double figure, std::string_view unit, std::uint64_t count,
                            std::string_view what) {
    item.figure = figure < 0.05 ? fmt::format("{:.1g} {}", figure, unit)
                                : fmt::format("{:.1f} {}", figure, unit);
    item.ideal = {shared ? "per shared-memory access" : "per global access"};
    item.tooltip = fmt::format(
        "{} warp-wide {} for {}. The higher this ratio, the less memory limits the kernel.",
        format_count(count), what, accesses);
  };
  if (totals.matrix_products > 0) {
    computes(totals.per_access(totals.matrix_products), "MMAs", totals.matrix_products / 32,
             "matrix products on tensor cores");
  } else if (totals.multiply_adds > 0) {
    computes(totals.per_access(totals.multiply_adds), "FMAs", totals.multiply_adds / 32,
             "multiply-adds");
  } else if (totals.flop > 0) {
    computes(totals.per_access(totals.flop), "flop", totals.flop / 32,
             "floating-point operations (no multiply-adds)");
  } else {
    item.figure = "no FP arithmetic";
    item.tooltip = fmt::format(
        "{} warp-wide integer instructions, address computation included; no floating-point "
        "arithmetic.",
        format_count(totals.integer_warps));
  }
}

Item register_item(const KernelStudy& study, const TilingModel& model, const MemoryTotals& totals) {
  Item item;
  item.title = "Registers";
  item.colour = ColourRole::kThird;
  if (study.compiled && study.compiled->has_resources) {
    item.detail = {fmt::format("{} per thread", study.compiled->resources.registers)};
  }
  if (model.elements_per_thread > 0) {
    const std::string words = fmt::format(
        "{}{} of {} per thread", study.trace->truncated ? "at least " : "",
        format_count(model.elements_per_thread), model.matrices[*model.output].view.name);
    item.detail.insert(item.detail.begin(), words);
  }
  add_arithmetic(item, totals);
  return item;
}

void draw_item(Pen& pen, const Rect& box, const Item& item) {
  pen.canvas.fill_rect({box.x, box.y, pen.px(3), box.h}, item.colour, 1.5f);
  const float x = box.x + pen.px(13);
  const float right = box.right();
  const float y = box.y + pen.px(9);
  const TextStyle title = pen.style(13, ColourRole::kStrong, Weight::kSemibold);
  const TextStyle figure = pen.style(13, item.tone, Weight::kSemibold, Align::kRight);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  const TextStyle dim_right = pen.style(12, ColourRole::kDim, Weight::kRegular, Align::kRight);
  pen.text(x, y, pen.fitted(item.title, title, right - x), title);
  const float title_end = x + pen.width(item.title, title) + pen.px(10);
  const bool figure_fits = pen.width(item.figure, figure) <= right - title_end;
  if (figure_fits) pen.text(right, y, item.figure, figure);
  float used = 0;
  for (const std::string& words : item.ideal) {
    const float w = pen.width(words, dim_right);
    if (!figure_fits || w > (right - x) * 0.6f) continue;
    pen.text(right, y + pen.px(19), words, dim_right);
    used = w + pen.px(12);
    break;
  }
  pen.first_that_fits(x, y + pen.px(19), item.detail, dim, right - x - used);
  pen.hit(box, HitKind::kNone, 0, item.tooltip);
}

void draw_arrow(Pen& pen, Point from, float length) {
  const float head = pen.px(4);
  const Point tip{from.x + length, from.y};
  pen.canvas.line(from, tip, ColourRole::kDim, 1.5f);
  const std::array<Point, 3> arrow = {Point{tip.x - head, tip.y - head}, tip,
                                      Point{tip.x - head, tip.y + head}};
  pen.canvas.polyline(arrow, ColourRole::kDim, 1.5f);
}

}  // namespace

double MemoryTotals::per_access(std::uint64_t lanes) const {
  const std::uint64_t accesses = shared_accesses == 0 ? requests : shared_accesses;
  return static_cast<double>(lanes) / 32.0 / std::max(static_cast<double>(accesses), 1.0);
}

MemoryTotals memory_totals(const KernelStudy& study) {
  MemoryTotals totals;
  if (!study.counters) return totals;
  const std::vector<StaticInstruction>& instructions = study.program->instructions();
  const LaunchCounters& counters = *study.counters;
  for (std::size_t i = 0; i < instructions.size() && i < counters.by_instruction.size(); ++i) {
    const AccessCounters& c = counters.by_instruction[i];
    if (c.sectors > 0) {
      totals.requests += c.requests;
      totals.sectors += c.sectors;
      totals.sectors_ideal += c.sectors_ideal;
    }
    if (c.wavefronts > 0) {
      totals.shared_accesses += c.requests;
      totals.wavefronts += c.wavefronts;
      totals.wavefronts_ideal += c.wavefronts_ideal;
    }
    if (i >= counters.executed.lanes.size()) continue;
    const std::uint64_t lanes = counters.executed.lanes[i];
    const InstructionClass what = instructions[i].instruction_class;
    totals.flop += lanes * instructions[i].flop_per_lane;
    if (instructions[i].flop_per_lane == 2) totals.multiply_adds += lanes;
    if (what == InstructionClass::kTensor) totals.matrix_products += lanes;
    if (what == InstructionClass::kInteger) totals.integer_warps += counters.executed.warps[i];
  }
  return totals;
}

void draw_memory_summary(Pen& pen, const Rect& area, const ViewContext& context,
                         const TilingMoment& moment) {
  const MemoryTotals totals = memory_totals(*context.study);
  const std::array<Item, 3> items = {global_item(*context.study, *moment.model, totals),
                                     shared_item(*context.study, *context.prepared, totals),
                                     register_item(*context.study, *moment.model, totals)};
  const float arrow = pen.px(16);
  const float gap = pen.px(12);
  const float width = (area.w - 2 * (arrow + 2 * gap)) / 3;
  const float height = std::min(area.h, pen.px(38));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const float x = area.x + (width + arrow + 2 * gap) * static_cast<float>(i);
    draw_item(pen, {x, area.y, width, height}, items[i]);
    if (i + 1 < items.size()) draw_arrow(pen, {x + width + gap, area.y + height / 2}, arrow);
  }
}

}  // namespace tilescope
