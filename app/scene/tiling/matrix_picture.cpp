#include "scene/tiling/matrix_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/quantity.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostTileHits = 1024;

// A block's tile without the edge that may cut it, when the blocks' tiles follow their indices.
struct BlockMap {
  ElementBox tile;       // of block 0
  bool swapped = false;  // block.x runs down the rows
};
std::optional<BlockMap> block_map(const KernelStudy& study, const ElementBox& written) {
  const Dim3& block = study.trace->block;
  const auto tile_of = [](std::uint32_t index, std::uint64_t first, std::uint64_t extent) {
    return index == 0 ? (first == 0 ? extent : 0) : (first % index == 0 ? first / index : 0);
  };
  for (const bool swapped : {false, true}) {
    const std::uint64_t rows = tile_of(swapped ? block.x : block.y, written.row, written.rows);
    const std::uint64_t cols = tile_of(swapped ? block.y : block.x, written.col, written.cols);
    if (rows >= written.rows && cols >= written.cols && rows > 0 && cols > 0) {
      return BlockMap{{0, 0, rows, cols}, swapped};
    }
  }
  return std::nullopt;
}

// Where the blocks' tiles follow their indices: a click in the matrix that they store chooses one.
void add_block_hits(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix,
                    const KernelStudy& study) {
  const auto map = block_map(study, matrix.written);
  const Dim3& grid = study.launch.grid;
  if (!map || grid.z != 1 || grid.count() > kMostTileHits) return;
  for (std::uint64_t index = 0; index < grid.count(); ++index) {
    const Dim3 block = unflatten(index, grid);
    const std::uint64_t down = map->swapped ? block.x : block.y;
    const std::uint64_t across = map->swapped ? block.y : block.x;
    const ElementBox box{down * map->tile.rows, across * map->tile.cols, map->tile.rows,
                         map->tile.cols};
    pen.hit(place_box(picture, matrix, box), HitKind::kBlock, static_cast<std::int64_t>(index),
            fmt::format("Block ({}, {}) stores rows {} on, columns {} on. Click to trace it.",
                        block.x, block.y, box.row, box.col));
  }
}

// Where the blocks' tiles follow their indices: hatches those that the matrix's edge cuts.
void hatch_cut_tiles(Pen& pen, const MatrixPicture& picture, const TilingModel& model,
                     const KernelStudy& study) {
  if (!model.output || *model.output != picture.matrix) return;
  const TiledMatrix& matrix = model.matrices[picture.matrix];
  if (matrix.view.folded || !block_map(study, matrix.written)) return;
  const ElementBox& tile = model.full_tile;
  const std::uint64_t rows = matrix.view.rows % tile.rows;
  const std::uint64_t cols = matrix.view.cols % tile.cols;
  const std::uint64_t whole_rows = matrix.view.rows - rows;
  const std::uint64_t whole_cols = matrix.view.cols - cols;
  const std::uint64_t tiles =
      (whole_rows / tile.rows + (rows > 0 ? 1 : 0)) * (whole_cols / tile.cols + (cols > 0 ? 1 : 0));
  if (tiles != study.launch.grid.count()) return;
  const std::array<ElementBox, 2> cut{ElementBox{0, whole_cols, matrix.view.rows, cols},
                                      ElementBox{whole_rows, 0, rows, whole_cols}};
  for (const ElementBox& part : cut) {
    if (part.empty()) continue;
    const Rect box = place_box(picture, matrix, part);
    pen.canvas.hatch_rect(box, Paint(ColourRole::kDim, 0.8f), pen.px(4));
    pen.hit(box, HitKind::kNone, 0,
            fmt::format("The edge of {} cuts these tiles: {} × {} is not a multiple of {} × {}.",
                        matrix.view.name, format_count(matrix.view.rows),
                        format_count(matrix.view.cols), tile.rows, tile.cols));
  }
}

const ElementBox& step_box(const TiledMatrix& matrix, std::uint32_t step) {
  static const ElementBox kNone;
  return step < matrix.read_in_step.size() ? matrix.read_in_step[step] : kNone;
}

// Lines between tiles, thinned out until they are 4 px apart.
void draw_tile_lines(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix,
                     const ElementBox& tile) {
  if (tile.empty()) return;
  const Rect& box = picture.box;
  const Paint paint(matrix.view.colour, 0.16f);
  const auto step_px = [](std::uint64_t tile_extent, std::uint64_t all, float length) {
    float step = length * static_cast<float>(tile_extent) / static_cast<float>(all);
    while (step < 4 && step > 0) step *= 2;
    return step;
  };
  const float dx = step_px(tile.cols, matrix.view.cols, box.w);
  const float dy = step_px(tile.rows, matrix.view.rows, box.h);
  const float left = std::max(box.x, picture.clip.x);
  const float right = std::min(box.right(), picture.clip.right());
  const float top = std::max(box.y, picture.clip.y);
  const float bottom = std::min(box.bottom(), picture.clip.bottom());
  for (float x = box.x + std::max(1.0f, std::ceil((left - box.x) / dx)) * dx; x < right - 1;
       x += dx) {
    pen.canvas.line({x, top}, {x, bottom}, paint, 1);
  }
  for (float y = box.y + std::max(1.0f, std::ceil((top - box.y) / dy)) * dy; y < bottom - 1;
       y += dy) {
    pen.canvas.line({left, y}, {right, y}, paint, 1);
  }
}

// An arrow from the tile in flight to where the next one lies.
void draw_direction(Pen& pen, const Rect& from, const TiledMatrix& matrix, std::uint32_t step,
                    const Rect& matrix_box) {
  const ElementBox& here = step_box(matrix, step);
  const ElementBox& next = step_box(matrix, step + 1);
  if (here.empty() || next.empty()) return;
  const bool right = next.col > here.col && next.row == here.row;
  const bool down = next.row > here.row && next.col == here.col;
  const float length = pen.px(24);
  const float head = pen.px(4);
  const Point center = from.center();
  if (right && from.right() + length + pen.px(8) < matrix_box.right()) {
    const Point tip{from.right() + length + pen.px(4), center.y};
    pen.canvas.line({from.right() + pen.px(6), center.y}, tip, ColourRole::kSelection, 1.5f);
    const std::array<Point, 3> arrow = {Point{tip.x - head, tip.y - head}, tip,
                                        Point{tip.x - head, tip.y + head}};
    pen.canvas.polyline(arrow, ColourRole::kSelection, 1.5f);
  } else if (down && from.bottom() + length + pen.px(8) < matrix_box.bottom()) {
    const Point tip{center.x, from.bottom() + length + pen.px(4)};
    pen.canvas.line({center.x, from.bottom() + pen.px(6)}, tip, ColourRole::kSelection, 1.5f);
    const std::array<Point, 3> arrow = {Point{tip.x - head, tip.y - head}, tip,
                                        Point{tip.x + head, tip.y - head}};
    pen.canvas.polyline(arrow, ColourRole::kSelection, 1.5f);
  }
}

Rect between(const Rect& a, const Rect& b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.w + (b.w - a.w) * t,
          a.h + (b.h - a.h) * t};
}

// What the block reads in all (a band), and in this step (bright, with the way it goes).
void draw_reads(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix,
                const ViewContext& context, std::uint32_t step) {
  if (matrix.read.empty()) return;
  if (!context.settings.heat) {
    pen.canvas.fill_rect(place_box(picture, matrix, matrix.read), Paint(matrix.view.colour, 0.32f));
  }
  const ElementBox& now = step_box(matrix, step);
  if (now.empty()) return;
  Rect box = place_box(picture, matrix, now);
  if (context.motion < 1 && step > 0 && !step_box(matrix, step - 1).empty()) {
    box = between(place_box(picture, matrix, step_box(matrix, step - 1)), box, context.motion);
  }
  pen.canvas.fill_rect(box, Paint(matrix.view.colour, context.settings.heat ? 0.0f : 0.95f), 1);
  pen.outline(box.inset(-1.5f), ColourRole::kSelection, 1.5f, 1);
  draw_direction(pen, box, matrix, step, picture.box);
  pen.hit(box, HitKind::kNone, 0,
          fmt::format("{}: this step reads rows {} to {}, columns {} to {} from global memory.",
                      matrix.view.name, now.row, now.row + now.rows - 1, now.col,
                      now.col + now.cols - 1));
}

// The block's own tile: white from afar, its threads' elements from close by.
void draw_tile(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix, const Rect& box,
               const TilingMoment& moment) {
  constexpr float kLeastOpened = 56;  // px
  constexpr std::size_t kMostRects = 8192;
  const std::vector<OwnedRect>& rects = moment.model->lane_rects;
  const bool one_thread = std::ranges::all_of(rects, [&rects](const OwnedRect& rect) {
    return rect.warp == rects.front().warp && rect.lane == rects.front().lane;
  });
  const bool covers = 2 * box.w * box.h > picture.box.w * picture.box.h;  // most of the matrix
  if (std::min(box.w, box.h) < kLeastOpened && !covers) {
    pen.canvas.fill_rect(box, ColourRole::kSelection);
    return;
  }
  if (rects.size() > kMostRects || one_thread || std::min(box.w, box.h) < kLeastOpened) {
    pen.canvas.fill_rect(box, Paint(matrix.view.colour, 0.32f));
    pen.outline(box.inset(-1.5f), ColourRole::kSelection, 1.5f, 1);
    return;
  }
  for (const OwnedRect& rect : rects) {
    const bool mine = rect.warp == moment.warp;
    const bool thread = mine && rect.lane == moment.lane;
    pen.canvas.fill_rect(
        place_box(picture, matrix, rect.box).inset(0.25f),
        thread ? Paint(ColourRole::kSelection) : Paint::lane(rect.lane, mine ? 0.95f : 0.35f));
  }
  pen.outline(box.inset(-2), ColourRole::kSelection, 2);
}

std::string extents_in_words(const MatrixView& view) {
  if (view.folded)
    return fmt::format("{} elements, by address", format_count(view.rows * view.cols));
  return fmt::format("{} × {}", format_count(view.rows), format_count(view.cols));
}

void draw_label(Pen& pen, const MatrixPicture& picture, const MatrixView& view) {
  const Rect& box = picture.box;
  const Rect& clip = picture.clip;
  const TextStyle name = pen.style(14, view.colour, Weight::kSemibold);
  const TextStyle size = pen.style(11, ColourRole::kDim);
  const float name_width = pen.width(view.name, name);
  const float half = pen.px(8);
  // Above the matrix; C below, for lines run between it and B. From close by: where it can be seen.
  const bool below = view.role == Role::kC;
  float y = below ? box.bottom() + pen.px(11) : box.y - pen.px(11);
  const bool beyond = y - half < clip.y || y + half > clip.bottom() + (below ? pen.px(24) : 0);
  const float left = std::max(box.x, clip.x);
  if (beyond) {
    const float top = std::max(box.y, clip.y);
    if (std::min(box.bottom(), clip.bottom()) - top < pen.px(40)) return;
    y = top + pen.px(28);
  }
  const float seen = std::min(box.right(), clip.right()) - left;
  if (seen <= 0 || (beyond && seen < name_width + pen.px(8))) return;
  const float right = std::min(box.right(), clip.right());
  const float x = beyond ? right - name_width - pen.px(14) : left;
  if (beyond) {
    pen.canvas.fill_rect({x - pen.px(5), y - pen.px(10), name_width + pen.px(10), pen.px(20)},
                         Paint(ColourRole::kBackground, 0.85f), 3);
  }
  pen.text(x, y, view.name, name);
  const float next = x + name_width + pen.px(beyond ? 12 : 7);
  const float room =
      std::min(std::max(box.right(), x + pen.px(view.role == Role::kA ? 0.0f : 90.0f)),
               clip.right()) -
      next;
  if (!beyond) pen.text_if_fits(next, y, extents_in_words(view), size, room);
}

}  // namespace

Rect place_box(const MatrixPicture& picture, const TiledMatrix& matrix, const ElementBox& box) {
  const float cw = picture.box.w / static_cast<float>(std::max<std::uint64_t>(matrix.view.cols, 1));
  const float ch = picture.box.h / static_cast<float>(std::max<std::uint64_t>(matrix.view.rows, 1));
  Rect rect{picture.box.x + static_cast<float>(box.col) * cw,
            picture.box.y + static_cast<float>(box.row) * ch, static_cast<float>(box.cols) * cw,
            static_cast<float>(box.rows) * ch};
  constexpr float kLeast = 3;
  if (rect.w < kLeast) {
    rect.x = std::min(rect.x, picture.box.right() - kLeast);
    rect.w = kLeast;
  }
  if (rect.h < kLeast) {
    rect.y = std::min(rect.y, picture.box.bottom() - kLeast);
    rect.h = kLeast;
  }
  return rect;
}

void draw_matrix(Pen& pen, const MatrixPicture& picture, const ViewContext& context,
                 const TilingMoment& moment) {
  const TiledMatrix& matrix = moment.model->matrices[picture.matrix];
  const MatrixView& view = matrix.view;
  const bool sparse = matrix.elements_read * 4 < matrix.read.count() * 3;
  if (context.settings.heat || sparse) {
    const CellWindow whole{
        0, 0, static_cast<float>(view.rows) / static_cast<float>(matrix.cell_elements),
        static_cast<float>(view.cols) / static_cast<float>(matrix.cell_elements)};
    pen.canvas.cells(picture.box, matrix.heat, whole);
  } else {
    pen.canvas.fill_rect(picture.box, Paint(view.colour, 0.10f));
  }
  Hit hit{.kind = HitKind::kArgument,
          .value = static_cast<std::int64_t>(view.argument),
          .name = view.name};
  hit.tooltip = fmt::format("{}, {}: this block reads {} of its elements and stores {}.", view.name,
                            extents_in_words(view), format_count(matrix.elements_read),
                            format_count(matrix.written.count()));
  if (!view.found_by.empty()) hit.tooltip += " " + view.found_by;
  pen.canvas.hit(picture.box, hit);
  const ElementBox tile =
      matrix.written.empty()
          ? (matrix.read_in_step.empty() ? ElementBox{} : step_box(matrix, moment.step))
          : (moment.model->output == picture.matrix ? moment.model->full_tile : matrix.written);
  if (!view.folded) draw_tile_lines(pen, picture, matrix, tile);
  hatch_cut_tiles(pen, picture, *moment.model, *context.study);
  if (!sparse) draw_reads(pen, picture, matrix, context, moment.step);
  pen.outline(picture.box, Paint(view.colour, 0.85f), 1);
  if (!matrix.written.empty()) {
    const Rect box = place_box(picture, matrix, matrix.written);
    add_block_hits(pen, picture, matrix, *context.study);
    draw_tile(pen, picture, matrix, box, moment);
    pen.hit(
        box, HitKind::kBlock, static_cast<std::int64_t>(context.selection.block),
        fmt::format("The traced block stores rows {} to {}, columns {} to {} of {}.",
                    matrix.written.row, matrix.written.row + matrix.written.rows - 1,
                    matrix.written.col, matrix.written.col + matrix.written.cols - 1, view.name));
  }
  for (const auto& [index, lit] : moment.lit) {
    if (index == picture.matrix) {
      pen.outline(place_box(picture, matrix, lit), ColourRole::kSelection, 1);
    }
  }
  draw_elements(pen, picture, context, moment);
  draw_label(pen, picture, view);
}

void draw_matrix_guides(Pen& pen, const TilingModel& model, const std::vector<MatrixSlot>& slots,
                        const std::vector<Rect>& boxes, const Rect& clip) {
  if (!model.output) return;
  const auto box_of = [&](Role role) -> std::optional<std::pair<Rect, const TiledMatrix*>> {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const TiledMatrix& matrix = model.matrices[slots[i].matrix];
      if (matrix.view.role == role) return std::pair{boxes[i], &matrix};
    }
    return std::nullopt;
  };
  const auto c = box_of(Role::kC);
  const auto a = box_of(Role::kA);
  const auto b = box_of(Role::kB);
  if (!a || !b || !c || c->second->written.empty()) return;
  const Rect tile = place_box({c->first, clip, 0}, *c->second, c->second->written);
  const Paint paint(ColourRole::kFaint, 0.9f);
  const auto dashes = [&](Point from, Point to) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1) return;
    const float dx = (to.x - from.x) / length;
    const float dy = (to.y - from.y) / length;
    for (float at = 0; at < length; at += 6) {
      const float end = std::min(at + 3, length);
      pen.canvas.line({from.x + dx * at, from.y + dy * at}, {from.x + dx * end, from.y + dy * end},
                      paint, 1);
    }
  };
  dashes({a->first.right(), tile.y}, {tile.x, tile.y});
  dashes({a->first.right(), tile.bottom()}, {tile.x, tile.bottom()});
  dashes({tile.x, b->first.bottom()}, {tile.x, tile.y});
  dashes({tile.right(), b->first.bottom()}, {tile.right(), tile.y});
}

namespace {

constexpr float kLeastElement = 14;  // px at which elements become visible one by one
constexpr std::uint64_t kMostCells = 4096;

struct Visible {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t col = 0;
  std::uint64_t cols = 0;
};

std::pair<std::uint64_t, std::uint64_t> visible_range(float start, float length, std::uint64_t all,
                                                      float clip_start, float clip_end) {
  const float cell = length / static_cast<float>(all);
  const float first =
      std::clamp(std::floor((clip_start - start) / cell), 0.0f, static_cast<float>(all));
  const float end =
      std::clamp(std::ceil((clip_end - start) / cell), first, static_cast<float>(all));
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end - first)};
}

std::string thread_index(const KernelStudy& study, std::uint32_t owner) {
  const Dim3 thread = unflatten(owner, study.launch.block);
  if (study.launch.block.y == 1 && study.launch.block.z == 1) return std::to_string(thread.x);
  return fmt::format("{}, {}", thread.x, thread.y);
}

struct Element {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint32_t reads = 0;
  std::uint32_t owner = TilingModel::kNobody;
  std::uint32_t stored_on = 0;  // line
  [[nodiscard]] bool owned() const { return owner != TilingModel::kNobody; }
  std::optional<double> value;
};

Paint paint_of(const Element& element, const TiledMatrix& matrix, const ViewContext& context,
               const TilingMoment& moment) {
  if (element.owned()) {
    const bool selected = element.owner / 32 == moment.warp;
    return Paint::lane(static_cast<int>(element.owner % 32), selected ? 0.9f : 0.45f);
  }
  const bool now = moment.step < matrix.read_in_step.size() &&
                   matrix.read_in_step[moment.step].contains(element.row, element.col);
  if (now) return {matrix.view.colour, 0.9f};
  if (element.reads == 0) return {ColourRole::kRaised, 0.8f};
  return {matrix.view.colour, context.settings.heat ? 0.55f : 0.40f};
}

std::string tooltip_of(const Element& element, const TiledMatrix& matrix,
                       const KernelStudy& study) {
  std::string words =
      matrix.view.folded
          ? fmt::format("{}[{}]", matrix.view.name, element.row * matrix.view.leading + element.col)
          : fmt::format("{}[{}][{}]", matrix.view.name, element.row, element.col);
  if (element.value) words += fmt::format(" = {:.6g} initially", *element.value);
  if (element.owned()) {
    words += fmt::format(", stored by thread ({}), warp {}, lane {}, on line {}",
                         thread_index(study, element.owner), element.owner / 32, element.owner % 32,
                         element.stored_on);
  }
  words += fmt::format(", read {} by this block", counted(element.reads, "time"));
  if (element.reads > 0 && !matrix.read_lines.empty())
    words += fmt::format(", on line{} {}", matrix.read_lines.size() > 1 ? "s" : "",
                         fmt::join(matrix.read_lines, ", "));
  words += ".";
  return words;
}

void draw_indices(Pen& pen, const Rect& matrix_box, const Rect& clip, const Visible& visible,
                  float cw, float ch) {
  const TextStyle down =
      pen.style(11, ColourRole::kText, Weight::kMedium, Align::kLeft, Font::kMono);
  const TextStyle across =
      pen.style(11, ColourRole::kText, Weight::kMedium, Align::kCenter, Font::kMono);
  const auto every = [](float cell, float room) {
    return static_cast<std::uint64_t>(std::max(1.0f, std::ceil(room / cell)));
  };
  const std::string widest = std::to_string(visible.col + visible.cols);
  const std::uint64_t col_step = every(cw, pen.width(widest, across) + pen.px(8));
  const std::uint64_t row_step = every(ch, pen.px(16));
  const float top = std::max(matrix_box.y, clip.y);
  const float left = std::max(matrix_box.x, clip.x);
  for (std::uint64_t col = visible.col; col < visible.col + visible.cols; ++col) {
    const float x = matrix_box.x + (static_cast<float>(col) + 0.5f) * cw;
    const std::string words = std::to_string(col);
    const float half = pen.width(words, across) / 2 + pen.px(2);
    if (col % col_step != 0 || x - half < left + pen.px(40) || x + half > clip.right()) continue;
    pen.canvas.fill_rect({x - half, top, half * 2, pen.px(15)},
                         Paint(ColourRole::kBackground, 0.85f));
    pen.text(x, top + pen.px(7.5f), words, across);
  }
  for (std::uint64_t row = visible.row; row < visible.row + visible.rows; ++row) {
    const float y = matrix_box.y + (static_cast<float>(row) + 0.5f) * ch;
    if (row % row_step != 0 || y < top + pen.px(24) || y + pen.px(8) > clip.bottom()) continue;
    const std::string words = std::to_string(row);
    pen.canvas.fill_rect({left, y - pen.px(7.5f), pen.width(words, down) + pen.px(6), pen.px(15)},
                         Paint(ColourRole::kBackground, 0.85f));
    pen.text(left + pen.px(3), y, words, down);
  }
}

}  // namespace

void draw_elements(Pen& pen, const MatrixPicture& picture, const ViewContext& context,
                   const TilingMoment& moment) {
  const TiledMatrix& matrix = moment.model->matrices[picture.matrix];
  const float cw = picture.box.w / static_cast<float>(matrix.view.cols);
  const float ch = picture.box.h / static_cast<float>(matrix.view.rows);
  if (context.camera.zoom <= 1 || std::min(cw, ch) < kLeastElement) return;
  Visible visible;
  std::tie(visible.row, visible.rows) = visible_range(
      picture.box.y, picture.box.h, matrix.view.rows, picture.clip.y, picture.clip.bottom());
  std::tie(visible.col, visible.cols) = visible_range(
      picture.box.x, picture.box.w, matrix.view.cols, picture.clip.x, picture.clip.right());
  if (visible.rows == 0 || visible.cols == 0 || visible.rows * visible.cols > kMostCells) return;
  const bool is_output =
      moment.model->output && &moment.model->matrices[*moment.model->output] == &matrix;
  // All values or none: cells that show only the short ones would look empty.
  const TextStyle mono =
      pen.style(11, ColourRole::kText, Weight::kRegular, Align::kCenter, Font::kMono);
  const bool values_fit = pen.width("-.88", mono) <= cw - 3;
  for (std::uint64_t row = visible.row; row < visible.row + visible.rows; ++row) {
    for (std::uint64_t col = visible.col; col < visible.col + visible.cols; ++col) {
      Element element;
      element.row = row;
      element.col = col;
      element.reads = matrix.reads_of(row, col);
      element.value = value_at(*context.study, matrix.view, row, col);
      if (is_output) element.owner = moment.model->owner_of(row, col);
      if (element.owned()) element.stored_on = moment.model->store_line_of(row, col);
      const Rect box{picture.box.x + static_cast<float>(col) * cw + 0.5f,
                     picture.box.y + static_cast<float>(row) * ch + 0.5f, cw - 1, ch - 1};
      const Paint paint = paint_of(element, matrix, context, moment);
      pen.canvas.fill_rect(box, ColourRole::kBackground, 2);
      pen.canvas.fill_rect(box, paint, 2);
      const TextStyle style =
          pen.style(11, text_on(paint, pen.theme), Weight::kRegular, Align::kCenter, Font::kMono);
      if (ch >= pen.px(16) && element.owned()) {
        const std::string words = fmt::format("t {}", thread_index(*context.study, element.owner));
        pen.first_that_fits(box.center().x, box.center().y,
                            {words, std::to_string(element.owner % 32)}, style, box.w - 2);
      } else if (ch >= pen.px(16) && element.value && values_fit) {
        pen.text_if_fits(box.center().x, box.center().y, short_value(*element.value), style,
                         box.w - 2);
      }
      if (!pen.canvas.wants_hit(box)) continue;
      pen.canvas.hit(box, {.kind = HitKind::kElement,
                           .value = static_cast<std::int64_t>(row),
                           .value2 = static_cast<std::int64_t>(col),
                           .name = matrix.view.name,
                           .tooltip = tooltip_of(element, matrix, *context.study)});
    }
  }
  draw_indices(pen, picture.box, picture.clip, visible, cw, ch);
}

}  // namespace tilescope
