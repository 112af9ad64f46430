#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/quantity.h"
#include "scene/tiling/matrix_picture.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

inline constexpr std::size_t kMostRects = 4096;  // of one kind, in the block's picture

// What two boxes have in common; empty: nothing.
ElementBox common(const ElementBox& a, const ElementBox& b) {
  const std::uint64_t row = std::max(a.row, b.row);
  const std::uint64_t col = std::max(a.col, b.col);
  const std::uint64_t rows_end = std::min(a.row + a.rows, b.row + b.rows);
  const std::uint64_t cols_end = std::min(a.col + a.cols, b.col + b.cols);
  if (row >= rows_end || col >= cols_end) return {};
  return {row, col, rows_end - row, cols_end - col};
}

// The elements of A and B that the selected thread works with: on their way into its registers or
// into a tensor core, or multiplied last.
std::vector<Origin> worked_on(const TilingMoment& moment) {
  const bool comes = moment.travel && !moment.travel->elements.empty();
  if (comes && moment.travel->leg == Leg::kSharedToTensorCore) return moment.travel->elements;
  if (comes && moment.travel->leg == Leg::kSharedToRegisters) {
    std::vector<Origin> elements = {moment.travel->elements.front()};
    if (moment.travel->brings_matrices()) {  // of the other operand, what is multiplied with it
      elements.insert(elements.end(), moment.multiplied.begin(), moment.multiplied.end());
    }
    return elements;
  }
  if (!moment.product) return moment.multiplied;
  return {moment.product->left, moment.product->right};
}

// Whether those are a row's or a column's: of a matrix product they are only some of many.
bool works_element_by_element(const TilingMoment& moment) {
  const bool brings = moment.travel && moment.travel->brings_matrices();
  return !brings && (moment.product || moment.multiplied.empty());
}

// What has gone from registers to C by now, whoever stored it.
void draw_stored(Pen& pen, const ElementFrame& tile, const TilingMoment& moment) {
  const std::vector<StoredRect>& stored = moment.model->stored;
  if (stored.size() > kMostRects) return;
  std::vector<ElementBox> boxes;
  for (const StoredRect& rect : stored) {
    if (rect.event > moment.event) break;
    boxes.push_back(rect.box);
  }
  // Those that stand on one another as one, so that no seams show.
  std::ranges::sort(boxes, {},
                    [](const ElementBox& box) { return std::tuple(box.col, box.cols, box.row); });
  for (std::size_t i = 0; i < boxes.size();) {
    ElementBox all = boxes[i];
    for (++i; i < boxes.size() && boxes[i].col == all.col && boxes[i].cols == all.cols &&
              boxes[i].row == all.row + all.rows;
         ++i) {
      all.rows += boxes[i].rows;
    }
    pen.canvas.fill_rect(tile.place(all), Paint(ColourRole::kThird, 0.6f));
  }
}

// What of the matrix the last matrix product multiplies.
void draw_multiplied(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment) {
  for (const auto& [index, part] : moment.multiplied_parts) {
    if (&moment.model->matrices[index] != &matrix) continue;
    const ElementBox box = common(part, strip.elements);
    if (box.empty()) continue;
    Rect rect = strip.place(box);
    rect.w = std::max(rect.w, 2.0f);
    rect.h = std::max(rect.h, 2.0f);
    pen.canvas.fill_rect(rect, matrix.view.colour);
  }
}

// Frames what the line under the pointer reads or stores of the matrix.
void draw_lit(Pen& pen, const ElementFrame& frame, const TiledMatrix& matrix,
              const TilingMoment& moment) {
  for (const auto& [index, box] : moment.lit) {
    if (&moment.model->matrices[index] != &matrix) continue;
    const ElementBox part = common(box, frame.elements);
    if (part.empty()) continue;
    pen.canvas.fill_rect(frame.place(part), Paint(ColourRole::kSelection, 0.45f));
    pen.outline(frame.place(part), ColourRole::kSelection, 1);
  }
}

// What the selected warp moves to or from shared memory now, in its lanes' colours; what a tensor
// core reads there, in the matrix's.
void draw_travelling(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                     const TilingMoment& moment) {
  if (!moment.travel) return;
  const Leg leg = moment.travel->leg;
  if (leg == Leg::kSharedToTensorCore) {
    const auto index = static_cast<std::size_t>(&matrix - moment.model->matrices.data());
    ElementBox slice;
    for (const Origin& origin : moment.travel->elements) {
      const std::uint64_t row = origin.element() / matrix.view.leading;
      const std::uint64_t col = origin.element() % matrix.view.leading;
      if (origin.matrix() == index && strip.elements.contains(row, col)) slice.add(row, col);
    }
    if (!slice.empty()) pen.canvas.fill_rect(strip.place(slice), matrix.view.colour);
    return;
  }
  if (leg != Leg::kSharedToRegisters && leg != Leg::kRegistersToShared) return;
  for (const auto& [lane, origin] : moment.travel->lanes) {
    if (&moment.model->matrices[origin.matrix()] != &matrix) continue;
    const std::uint64_t row = origin.element() / matrix.view.leading;
    const std::uint64_t col = origin.element() % matrix.view.leading;
    if (!strip.elements.contains(row, col)) continue;
    pen.canvas.fill_rect(strip.place({row, col, 1, 1}), Paint::lane(lane));
  }
}

constexpr float kMostStretch = 4;

// What the stage that is in use holds of the matrix; nullptr: none is, or it holds none of it.
const ElementBox* tile_in_use(const TilingMoment& moment, std::size_t matrix) {
  const RingModel& ring = moment.model->ring;
  for (std::uint32_t i = 0; i < ring.stages.size(); ++i) {
    const RingModel::Stage stage = ring.stage_at(i, moment.event);
    if (stage.state == StageState::kUsed) return ring.fills[stage.fill].part_of(matrix);
  }
  return nullptr;
}

// The tile in shared memory that holds the element, or where none is worked on the one whose turn
// it is; nullptr: the matrix does not go through there.
const ElementBox* tile_in_shared(const TilingMoment& moment, std::size_t matrix,
                                 const std::optional<ElementBox>& element) {
  const StepTiles& tiles = moment.model->by_tile;
  if (tiles.count == 0) return tile_in_use(moment, matrix);
  const std::vector<RingFill>& fills = moment.model->ring.fills;
  const std::uint32_t now = tiles.multiplied_in(moment.step).value_or(0);
  if (!element) return fills[now].part_of(matrix);
  // A warp may read the next one already, or work on what it has read of the one before.
  for (std::uint32_t tile = std::min(now + 1, tiles.count - 1);; --tile) {
    const ElementBox* part = fills[tile].part_of(matrix);
    if (part != nullptr && part->contains(element->row, element->col)) return part;
    if (tile == 0 || tile + 1 < now) return nullptr;
  }
}

// The k-tile that holds an element that is worked on; before the first, the one read now.
const ElementBox& multiplied_box(const TilingMoment& moment, const TiledMatrix& matrix) {
  const auto index = static_cast<std::size_t>(&matrix - moment.model->matrices.data());
  std::vector<Origin> elements = worked_on(moment);
  if (moment.product) {
    elements.insert(elements.end(), {moment.product->left, moment.product->right});
  }
  for (const Origin& origin : elements) {
    if (&moment.model->matrices[origin.matrix()] != &matrix) continue;
    const std::uint64_t row = origin.element() / matrix.view.leading;
    const std::uint64_t col = origin.element() % matrix.view.leading;
    const ElementBox* tile = tile_in_shared(moment, index, ElementBox{row, col, 1, 1});
    if (tile != nullptr) return *tile;
    for (std::uint32_t back = 0; back <= moment.step && back < 16; ++back) {
      const std::uint32_t step = moment.step - back;
      if (matrix.read_in_step[step].contains(row, col)) return matrix.read_in_step[step];
    }
  }
  const ElementBox* tile = tile_in_shared(moment, index, {});
  return tile != nullptr ? *tile : matrix.read_in_step[moment.step];
}

void draw_warps(Pen& pen, const ElementFrame& tile, const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  if (model.warp_rects.size() > kMostRects) return;
  for (const OwnedRect& rect : model.warp_rects) {
    const Rect box = tile.place(rect.box);
    const bool selected = rect.warp == moment.warp;
    if (selected) pen.canvas.fill_rect(box, Paint(ColourRole::kThird, 0.22f));
    pen.outline(box, Paint(ColourRole::kThird, selected ? 0.9f : 0.35f), 1);
    pen.hit(box, HitKind::kWarp, rect.warp,
            fmt::format("Warp {} stores rows {} to {}, columns {} to {}.", rect.warp, rect.box.row,
                        rect.box.row + rect.box.rows - 1, rect.box.col,
                        rect.box.col + rect.box.cols - 1));
  }
}

void name_warps(Pen& pen, const ElementFrame& tile, const TilingMoment& moment) {
  std::vector<std::uint8_t> named;
  const std::vector<StoredRect>& stored = moment.model->stored;
  const bool is_stored = !stored.empty() && stored.front().event <= moment.event;
  if (moment.model->warp_rects.size() > kMostRects) return;
  for (const OwnedRect& rect : moment.model->warp_rects) {
    if (rect.warp >= named.size()) named.resize(rect.warp + 1u, 0);
    const Rect box = tile.place(rect.box);
    if (named[rect.warp] != 0 || box.h < pen.px(15)) continue;
    const bool selected = rect.warp == moment.warp;
    const TextStyle style = pen.style(11, selected ? ColourRole::kStrong : ColourRole::kDim,
                                      selected ? Weight::kSemibold : Weight::kRegular);
    std::string words = fmt::format("warp {}", rect.warp);
    if (pen.width(words, style) + pen.px(8) > box.w) words = std::to_string(rect.warp);
    const float w = pen.width(words, style);
    if (w + pen.px(8) > box.w) continue;
    const Rect patch{box.x + pen.px(2), box.y + pen.px(1), w + pen.px(6), pen.px(13)};
    if (selected || is_stored)
      pen.canvas.fill_rect(patch, Paint(ColourRole::kBackground, 0.75f), 2);
    pen.text(patch.x + pen.px(3), patch.center().y, words, style);
    named[rect.warp] = 1;
  }
}

// The selected warp's elements in their lanes' colours until they are stored; the selected
// thread's in white.
Rect draw_lanes(Pen& pen, const ElementFrame& tile, const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  std::size_t drawn = 0;
  for (const OwnedRect& rect : model.lane_rects) {
    if (rect.warp != moment.warp || ++drawn > kMostRects) continue;
    const Rect box = tile.place(rect.box);
    pen.canvas.fill_rect(box.w > 4 && box.h > 4 ? box.inset(0.5f) : box,
                         Paint::lane(rect.lane, 0.85f));
    pen.hit(box, HitKind::kLane, rect.lane,
            fmt::format("Warp {}, lane {} stores rows {} to {}, columns {} to {}.", rect.warp,
                        rect.lane, rect.box.row, rect.box.row + rect.box.rows - 1, rect.box.col,
                        rect.box.col + rect.box.cols - 1));
  }
  draw_stored(pen, tile, moment);
  Rect first;
  for (const OwnedRect& rect : moment.lane_rects) {
    Rect box = tile.place(rect.box);
    box.w = std::max(box.w, 3.0f);
    box.h = std::max(box.h, 3.0f);
    pen.canvas.fill_rect(box, ColourRole::kSelection, 1);
    if (first.w == 0) first = box;
  }
  return first;
}

// A k-tile beside the block's tile: lanes of the access under way, the selected thread's band, the
// row or column that it multiplies now.
void draw_strip(Pen& pen, const ElementFrame& strip, const TiledMatrix& matrix,
                const ViewContext& context, const TilingMoment& moment, bool down) {
  pen.canvas.fill_rect(strip.box, Paint(matrix.view.colour, 0.30f));
  pen.outline(strip.box, Paint(matrix.view.colour, 0.9f), 1);
  for (const OwnedRect& rect : moment.lane_rects) {
    ElementBox band = strip.elements;
    if (down) {
      band.row = rect.box.row;
      band.rows = rect.box.rows;
    } else {
      band.col = rect.box.col;
      band.cols = rect.box.cols;
    }
    pen.canvas.fill_rect(strip.place(band), Paint(matrix.view.colour, 0.45f));
  }
  if (moment.access) {
    const WarpAccess access =
        context.study->trace->access(context.study->trace->events[*moment.access].access);
    const std::uint64_t wide =
        std::max<std::uint64_t>(1, access.bytes_per_lane / size_of(matrix.view.type));
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((access.active >> lane & 1U) == 0) continue;
      const auto at = matrix.view.place(access.address[static_cast<std::size_t>(lane)]);
      if (!at || !strip.elements.contains(at->row, at->col)) continue;
      pen.canvas.fill_rect(strip.place({at->row, at->col, 1, wide}), Paint::lane(lane));
    }
  }
  if (!works_element_by_element(moment)) draw_multiplied(pen, strip, matrix, moment);
  draw_travelling(pen, strip, matrix, moment);
  if (!works_element_by_element(moment)) return;
  for (const Origin& origin : worked_on(moment)) {
    if (&moment.model->matrices[origin.matrix()] != &matrix) continue;
    const std::uint64_t row = origin.element() / matrix.view.leading;
    const std::uint64_t col = origin.element() % matrix.view.leading;
    if (!strip.elements.contains(row, col)) continue;
    ElementBox line = strip.elements;
    if (down) {
      line.col = col;
      line.cols = 1;
    } else {
      line.row = row;
      line.rows = 1;
    }
    Rect box = strip.place(line);
    if (down) box.w = std::max(box.w, 2.0f);
    if (!down) box.h = std::max(box.h, 2.0f);
    pen.canvas.fill_rect(box, matrix.view.colour);
  }
}

// Hatches what of the frame lies past the edge of the matrix, right of `inside` and below it.
void hatch_past_edge(Pen& pen, const ElementFrame& frame, const ElementBox& inside,
                     std::string_view matrix) {
  const Rect kept = frame.place(inside);
  const Rect& all = frame.box;
  const std::string words =
      fmt::format("Outside {}: the block's threads for this part load and store nothing.", matrix);
  for (const Rect& cut : {Rect{kept.right(), all.y, all.right() - kept.right(), all.h},
                          Rect{all.x, kept.bottom(), kept.w, all.bottom() - kept.bottom()}}) {
    if (cut.w < 0.5f || cut.h < 0.5f) continue;
    pen.canvas.hatch_rect(cut, ColourRole::kDim, pen.px(5));
    pen.hit(cut, HitKind::kNone, 0, words);
  }
}

std::string tile_words(const TiledMatrix& matrix, const ElementBox& box) {
  return fmt::format("{} {} × {}", matrix.view.name, box.rows, box.cols);
}

// The tile with its k-tiles on its left and on top, as the matrices lie in the grid.
BlockPicture draw_gemm_block(Pen& pen, const Rect& area, const ViewContext& context,
                             const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  const TiledMatrix& a = *model.find(Role::kA);
  const TiledMatrix& b = *model.find(Role::kB);
  const TiledMatrix& c = *model.find(Role::kC);
  const ElementBox& a_box = multiplied_box(moment, a);
  const ElementBox& b_box = multiplied_box(moment, b);
  const float label = pen.px(18);
  const float gap = pen.px(8);
  // Blocks that share their sums multiply for more than each of them stores.
  const ElementBox summed{a_box.row, b_box.col, a_box.rows, b_box.cols};
  const ElementBox& stored = &c == &model.matrices[*model.output] ? model.full_tile : c.written;
  const bool shares = summed.rows > stored.rows || summed.cols > stored.cols;
  const ElementBox& full = shares ? summed : stored;
  const float longest = static_cast<float>(std::max(full.rows, full.cols));
  const auto share = [&](std::uint64_t n) { return static_cast<float>(n) / longest; };
  const float widest = std::max(std::min(area.w * 0.24f, area.h * 0.4f), pen.px(16));
  const float strip =
      std::clamp(share(std::max(a_box.cols, b_box.rows)) * area.w * 0.7f, pen.px(16), widest);
  const float room_w = area.w - strip - gap;
  float room_h = area.h - strip - gap - 2 * label;
  const auto scale_in = [&](float height) {
    return std::min(room_w / std::max(share(full.cols), 0.15f),
                    height / std::max(share(full.rows), 0.15f));
  };
  const float beside = room_w - std::max(share(full.cols), 0.15f) * scale_in(room_h) - pen.px(16);
  const float ring = ring_row_height(pen, model, area.h, beside);
  if (ring > 0) room_h -= ring + gap;
  const float scale = scale_in(room_h);
  const float tile_w = std::min(std::max(share(full.cols), 0.15f) * scale, room_w);
  // A flat tile is drawn higher than it is, up to a square: its warps can be told apart, and what
  // comes in at its left has room.
  const float tile_h =
      std::min(std::max(share(full.rows), 0.15f) * scale * kMostStretch,
               std::min(room_h, std::max(tile_w, std::max(share(full.rows), 0.15f) * scale)));
  const ElementFrame tile{{area.x + strip + gap, area.y + label + strip + gap, tile_w, tile_h},
                          full};
  const Rect inside = tile.place(c.written);
  if (shares) {
    pen.outline(tile.box, Paint(ColourRole::kThird, 0.5f), 1);
    pen.hit(
        tile.box, HitKind::kNone, 0,
        fmt::format("The block multiplies for {} × {} of {} and stores the part with the strong "
                    "frame; blocks that share the sums store the rest.",
                    summed.rows, summed.cols, c.view.name));
  }
  pen.canvas.fill_rect(inside, Paint(ColourRole::kThird, 0.08f));
  draw_warps(pen, tile, moment);
  const Rect thread = draw_lanes(pen, tile, moment);
  name_warps(pen, tile, moment);
  if (!shares) hatch_past_edge(pen, tile, c.written, c.view.name);
  pen.outline(inside, ColourRole::kThird, 1.5f);
  const float down = shares ? tile.box.h : inside.h;
  const float across = shares ? tile.box.w : inside.w;
  const ElementFrame a_frame{{area.x, tile.box.y, strip, down}, a_box};
  const ElementFrame b_frame{{tile.box.x, area.y + label, across, strip}, b_box};
  if (!a_box.empty()) {
    draw_strip(pen, a_frame, a, context, moment, true);
    const TextStyle style = pen.style(12, a.view.colour, Weight::kSemibold);
    pen.text(area.x, a_frame.box.bottom() + pen.px(11),
             pen.fitted(tile_words(a, a_box), style, area.w), style);
  }
  if (!b_box.empty()) {
    draw_strip(pen, b_frame, b, context, moment, false);
    const TextStyle style = pen.style(12, b.view.colour, Weight::kSemibold);
    pen.text(tile.box.x, area.y + pen.px(7),
             pen.fitted(tile_words(b, b_box), style, area.right() - tile.box.x), style);
  }
  BlockPicture picture{inside, thread, {}, {}, {}};
  const auto add = [&](const TiledMatrix& matrix, const ElementFrame& frame) {
    const auto index = static_cast<std::size_t>(&matrix - model.matrices.data());
    if (!frame.elements.empty()) picture.parts.push_back({index, frame.box, frame.elements});
  };
  draw_lit(pen, a_frame, a, moment);
  draw_lit(pen, b_frame, b, moment);
  draw_lit(pen, tile, c, moment);
  add(a, a_frame);
  add(b, b_frame);
  add(c, tile);
  RingPicture buffers;
  if (ring > 0) {
    const float y = std::max(a_frame.box.bottom(), tile.box.bottom()) + label + gap;
    buffers = draw_ring_row(pen, {area.x, y, area.w, ring}, moment);
  } else {
    const float x = tile.box.right() + pen.px(16);
    buffers = draw_ring_column(pen, {x, tile.box.y, area.right() - x, area.bottom() - tile.box.y},
                               moment);
  }
  picture.stages = std::move(buffers.stages);
  picture.registers = buffers.registers;
  return picture;
}

std::string block_words(const KernelStudy& study) {
  const std::uint64_t threads = study.launch.block.count();
  return fmt::format("{}, {}", counted(threads, "thread"), counted((threads + 31) / 32, "warp"));
}

}  // namespace

Rect block_room(const Pen& pen, const Rect& panel) {
  return {panel.x, panel.y + pen.px(24), panel.w, panel.h - pen.px(24)};
}

BlockPicture draw_block_panel(Pen& pen, const Rect& area, const ViewContext& context,
                              const TilingMoment& moment) {
  pen.heading(area.x, area.y + pen.px(8), "BLOCK", block_words(*context.study), area.right());
  const Rect inside = block_room(pen, area);
  const TilingModel& model = *moment.model;
  const bool gemm = model.find(Role::kA) != nullptr && model.find(Role::kB) != nullptr &&
                    model.find(Role::kC) != nullptr && !model.find(Role::kC)->written.empty();
  return gemm ? draw_gemm_block(pen, inside, context, moment)
              : draw_moves(pen, inside, context, moment);
}

}  // namespace tilescope
