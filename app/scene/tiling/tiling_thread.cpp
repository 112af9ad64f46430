#include "scene/tiling/tiling_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/quantity.h"
#include "scene/model/prepared.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/tiling_scene.h"
#include "scene/view/default_selection.h"

namespace tilescope {
namespace {

// "warp 0, lane 5 = thread (5, 0)"
std::string thread_words(const ViewContext& context, const TilingMoment& moment) {
  const std::uint64_t linear = moment.warp * 32u + static_cast<std::uint64_t>(moment.lane);
  const Dim3& block = context.study->launch.block;
  const Dim3 thread = unflatten(linear, block);
  std::string words = fmt::format("warp {}, lane {}", moment.warp, moment.lane);
  if (block.y > 1 || block.z > 1) words += fmt::format(" = thread ({}, {})", thread.x, thread.y);
  return words;
}

// Which of its instructions the warp has come to, from "line 32 · ld.global.f32 · instruction 3,005
// of 5,947" to "3,005 of 5,947". The cells change with some of them only; these words with each.
std::vector<std::string> instruction_words(const ViewContext& context, const TilingMoment& moment) {
  const KernelStudy& study = *context.study;
  const WarpTime time = time_of(study, *context.prepared, moment.warp);
  if (time.own.empty()) return {fmt::format("no instruction of warp {} was traced", moment.warp)};
  const TraceEvent& event = study.trace->events[time.own_event(moment.event)];
  const StaticInstruction& instruction = study.program->instructions()[event.instruction];
  const bool guarded = instruction.guard != kNoIndex;  // the name alone would say too much
  const std::string_view name = guarded ? std::string_view() : instruction.opcode;
  const std::string place =
      fmt::format("{} of {}", format_count(time.done(moment.event)), format_count(time.own.size()));
  const std::string line = fmt::format("line {}", instruction.outermost.line);
  std::vector<std::string> words;
  if (instruction.outermost.line != 0) {
    if (!name.empty()) words.push_back(fmt::format("{} · {} · instruction {}", line, name, place));
    words.push_back(fmt::format("{} · instruction {}", line, place));
  }
  words.push_back(fmt::format("instruction {}", place));
  words.push_back(place);
  return words;
}

struct Cells {
  float w = 0;  // from one cell to the next
  float h = 0;
  float gap = 2;
  Point corner;  // of c's first cell
  [[nodiscard]] Rect at(std::size_t row, std::size_t col) const {
    return {corner.x + w * static_cast<float>(col), corner.y + h * static_cast<float>(row), w - gap,
            h - gap};
  }
  [[nodiscard]] Rect a(std::size_t row) const {
    return {corner.x - w - 6, at(row, 0).y, w - gap, h - gap};
  }
  [[nodiscard]] Rect b(std::size_t col) const {
    return {at(0, col).x, corner.y - h - 6, w - gap, h - gap};
  }
  // The rows of c, with a beside them and a margin at its left.
  [[nodiscard]] Rect c_area(std::size_t rows, std::size_t cols, float margin) const {
    const Rect last = at(rows - 1, cols - 1);
    const float left = a(0).x - margin;
    return {left, corner.y, last.right() - left, last.bottom() - corner.y};
  }
};

constexpr float kRoomForInstruction = 300;
constexpr float kLeastFigure = 11;  // px, whatever the scale of the text

// The size in px at which every value fits into its cell, as large as the text else if it can be;
// 0: none. All values or none: cells that show only the short ones would look empty.
float figure_size(const Pen& pen, float width, float height) {
  TextStyle style = pen.style(11, ColourRole::kText, Weight::kMedium, Align::kCenter, Font::kMono);
  const float widest = pen.width("-.88", style);
  style.size = std::min({style.size, std::floor(style.size * (width - 1) / widest), height - 4});
  return style.size >= kLeastFigure ? style.size : 0;
}

void draw_cell(Pen& pen, const Rect& box, Paint paint, const std::optional<double>& value,
               std::string tooltip) {
  pen.canvas.fill_rect(box, paint, 2);
  TextStyle style =
      pen.style(11, text_on(paint, pen.theme), Weight::kMedium, Align::kCenter, Font::kMono);
  style.size = figure_size(pen, box.w, box.h);
  if (value && style.size > 0) {
    pen.text_if_fits(box.center().x, box.center().y, short_value(*value), style, box.w);
  }
  pen.hit(box, HitKind::kNone, 0, std::move(tooltip));
}

// What the cells of a thread's tile are drawn from.
struct TilePicture {
  const ViewContext& context;
  const TilingModel& model;
  const ThreadTile& tile;
  const Cells& cells;
  ThreadPicture* picture;

  [[nodiscard]] const TiledMatrix& matrix(Role role) const { return *model.find(role); }
  // Notes where an element is drawn.
  void note(const TiledMatrix& of, std::uint64_t row, std::uint64_t col, const Rect& box) const {
    const auto index = static_cast<std::size_t>(&of - model.matrices.data());
    picture->values.emplace_back(Origin::of(index, row * of.view.leading + col), box);
  }
};

// One of a's or b's values; dim until it is in its register.
std::optional<double> draw_factor(Pen& pen, const TilePicture& picture, Role role, std::size_t i) {
  const bool is_a = role == Role::kA;
  const ThreadTile& tile = picture.tile;
  const TiledMatrix& matrix = picture.matrix(role);
  const std::uint64_t k = tile.k.value_or(0);
  const std::uint64_t row = is_a ? tile.rows[i] : k;
  const std::uint64_t col = is_a ? k : tile.cols[i];
  const bool is_here = is_a ? tile.has_a(row) : tile.has_b(col);
  const Rect box = is_a ? picture.cells.a(i) : picture.cells.b(i);
  const auto value =
      is_here ? value_at(*picture.context.study, matrix.view, row, col) : std::nullopt;
  const ColourRole colour = matrix.view.colour;
  draw_cell(pen, box, is_here ? Paint(colour) : Paint(colour, 0.25f), value,
            fmt::format("{}[{}][{}], {}.", matrix.view.name, row, col,
                        is_here                ? "in a register"
                        : !tile.stored.empty() ? "multiplied"
                                               : "not in a register yet"));
  if (tile.k) picture.note(matrix, row, col, box);
  return value;
}

// The element of C: what it has taken of this k, and whether it has gone to memory.
void draw_sum(Pen& pen, const TilePicture& picture, std::size_t r, std::size_t c,
              const std::optional<double>& product) {
  const ThreadTile& tile = picture.tile;
  const ThreadTile::Place place{tile.rows[r], tile.cols[c]};
  const TiledMatrix& matrix = picture.matrix(Role::kC);
  const std::string name = fmt::format("{}[{}][{}]", matrix.view.name, place.first, place.second);
  const Rect box = picture.cells.at(r, c);
  picture.note(matrix, place.first, place.second, box);
  if (!tile.stored.empty()) {
    const bool now = tile.storing.contains(place);
    const bool gone = tile.stored.contains(place);
    const Paint paint = now    ? Paint(ColourRole::kSelection)
                        : gone ? Paint(ColourRole::kThird, 0.25f)
                               : Paint(ColourRole::kThird);
    draw_cell(pen, box, paint, std::nullopt,
              name + (now    ? " is stored now."
                      : gone ? " is stored."
                             : " is not stored yet."));
    return;
  }
  const bool done = tile.done.contains(place);
  const bool now = tile.now && !tile.loading && tile.now->a.row == place.first &&
                   tile.now->b.col == place.second;
  const Paint paint = now    ? Paint(ColourRole::kSelection)
                      : done ? Paint(ColourRole::kThird)
                             : Paint(ColourRole::kRaised);
  draw_cell(pen, box, paint, product,
            fmt::format("{} {} the product at k = {}.", name,
                        now    ? "adds"
                        : done ? "has added"
                               : "still has to add",
                        tile.k.value_or(0)));
}

// How far the thread is, the longest words first.
std::vector<std::string> progress_words(const ThreadTile& tile) {
  const std::size_t all = tile.rows.size() * tile.cols.size();
  if (!tile.stored.empty()) {
    return {fmt::format("{} of {} elements are stored", tile.stored.size(), all),
            fmt::format("{} of {} stored", tile.stored.size(), all)};
  }
  if (!tile.k) return {"no multiply-add yet in this step"};
  if (tile.loading) {
    const std::string words =
        fmt::format("{} of {} values", tile.loaded(), tile.rows.size() + tile.cols.size());
    return {fmt::format("{} of k = {} are in registers", words, *tile.k),
            fmt::format("{} at k = {}", words, *tile.k), fmt::format("k = {}", *tile.k)};
  }
  const std::string words =
      fmt::format("multiply-add {} of {} at k = {}", tile.done.size(), all, *tile.k);
  return {words + "; filled: already added", words, fmt::format("k = {}", *tile.k)};
}

// "C[262][457] += A[262][506] · B[506][457]" and shorter ways to write it, the longest first.
std::vector<std::string> product_words(const TilePicture& picture, const GemmProduct& product) {
  const MatrixView& a = picture.matrix(Role::kA).view;
  const MatrixView& b = picture.matrix(Role::kB).view;
  const std::string& c = picture.matrix(Role::kC).view.name;
  const std::uint64_t row = product.a.row;
  const std::uint64_t col = product.b.col;
  const std::uint64_t k = product.a.col;
  std::vector<std::string> words = {fmt::format("{3}[{0}][{1}] += {4}[{0}][{2}] · {5}[{2}][{1}]",
                                                row, col, k, c, a.name, b.name)};
  const auto left = value_at(*picture.context.study, a, row, k);
  const auto right = value_at(*picture.context.study, b, k, col);
  if (left && right) {
    words.push_back(
        fmt::format("{}[{}][{}] += {} · {}", c, row, col, short_value(*left), short_value(*right)));
  }
  words.push_back(fmt::format("{}[{}][{}] += a · b", c, row, col));
  return words;
}

// Below the cells: what happens now, and how far the thread is.
void draw_caption(Pen& pen, const Rect& area, const TilePicture& picture,
                  const std::optional<Travel>& travel, bool one_line) {
  const ThreadTile& tile = picture.tile;
  const bool multiplies = tile.now && !tile.loading && tile.stored.empty();
  std::vector<std::string> now;
  if (travel) now = travel_words(picture.model, *travel);
  if (!travel && multiplies) now = product_words(picture, *tile.now);
  float y = area.y + pen.px(12);
  if (!now.empty()) {
    pen.first_that_fits(
        area.x, y, now,
        pen.style(12, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono), area.w);
    if (one_line) return;
    y += pen.px(18);
  }
  pen.first_that_fits(area.x, y, progress_words(tile), pen.style(12, ColourRole::kDim), area.w);
}

ThreadPicture draw_gemm_thread(Pen& pen, const Rect& area, const ViewContext& context,
                               const TilingMoment& moment) {
  const ThreadTile tile = thread_tile(context, moment);
  if (tile.rows.empty() || tile.cols.empty()) return {};
  if (tile.rows.size() * tile.cols.size() == 1) return draw_dot_product(pen, area, context, moment);
  const TilingModel& model = *moment.model;
  const MatrixView& a = model.find(Role::kA)->view;
  const MatrixView& b = model.find(Role::kB)->view;
  const float label = pen.px(18);
  Cells cells;
  const float widest =
      std::min((area.w - 6) / (static_cast<float>(tile.cols.size()) + 1), pen.px(38));
  const auto height_above = [&](float caption) {
    return std::min((area.h - label - caption - 6) / (static_cast<float>(tile.rows.size()) + 1),
                    widest);
  };
  const auto shows_figures = [&](float width, float height) {
    return figure_size(pen, width - cells.gap, height - cells.gap) > 0;
  };
  // The second line of the caption gives way where that lets the figures into their cells.
  const float one_line = pen.px(24);
  const float two_lines = pen.px(42);
  const bool gives_way = shows_figures(widest, height_above(one_line)) &&
                         !shows_figures(widest, height_above(two_lines));
  const float caption = gives_way ? one_line : two_lines;
  cells.h = height_above(caption);
  if (cells.h < pen.px(6)) return {};
  // Square, but where only wider ones have room for the figures.
  const bool wide = !shows_figures(cells.h, cells.h) && shows_figures(widest, cells.h);
  cells.w = wide ? widest : cells.h;
  cells.gap = cells.h > 12 ? 2.0f : 1.0f;
  cells.corner = {area.x + cells.w + 6, area.y + label + cells.h + 6};
  ThreadPicture drawn;
  const TilePicture picture{context, model, tile, cells, &drawn};
  std::vector<std::optional<double>> a_values;
  std::vector<std::optional<double>> b_values;
  for (std::size_t r = 0; r < tile.rows.size(); ++r) {
    a_values.push_back(draw_factor(pen, picture, Role::kA, r));
  }
  for (std::size_t c = 0; c < tile.cols.size(); ++c) {
    b_values.push_back(draw_factor(pen, picture, Role::kB, c));
  }
  for (std::size_t r = 0; r < tile.rows.size(); ++r) {
    for (std::size_t c = 0; c < tile.cols.size(); ++c) {
      std::optional<double> product;
      if (a_values[r] && b_values[c] && !tile.loading) product = *a_values[r] * *b_values[c];
      draw_sum(pen, picture, r, c, product);
    }
  }
  const TextStyle b_label = pen.style(12, b.colour, Weight::kSemibold);
  const TextStyle a_label = pen.style(12, a.colour, Weight::kSemibold, Align::kCenter);
  pen.text(cells.corner.x, cells.b(0).y - pen.px(9), "b", b_label);
  pen.text(cells.a(0).center().x, cells.a(0).y - pen.px(9), "a", a_label);
  drawn.cells = cells.c_area(tile.rows.size(), tile.cols.size(), pen.px(3));
  draw_caption(pen, {area.x, cells.at(tile.rows.size(), 0).y, area.w, caption}, picture,
               moment.travel, caption < two_lines);
  return drawn;
}

}  // namespace

ThreadPicture draw_thread_panel(Pen& pen, const Rect& area, const ViewContext& context,
                                const TilingMoment& moment) {
  Rect inside{area.x, area.y + pen.px(28), area.w, area.h - pen.px(28)};
  const std::vector<std::string> now = instruction_words(context, moment);
  std::string words = thread_words(context, moment);
  if (area.h >= pen.px(kRoomForInstruction)) {
    inside.h -= pen.px(20);
    pen.first_that_fits(area.x, inside.bottom() + pen.px(12), now, pen.style(12, ColourRole::kDim),
                        area.w);
  } else {
    words = fmt::format("warp {}, lane {} · {}", moment.warp, moment.lane, now.back());
  }
  pen.heading(area.x, area.y + pen.px(8), "THREAD", words, area.right());
  const auto product = warp_product(context, moment);
  // What travels, above the instruction: elsewhere the elements themselves tell of it.
  const bool in_bulk = moment.travel && moment.travel->in_bulk && !multiplies_elements(moment);
  if (area.h >= pen.px(kRoomForInstruction) && (product || in_bulk)) {
    inside.h -= pen.px(18);
    if (moment.travel) {
      pen.first_that_fits(
          area.x, inside.bottom() + pen.px(12), travel_words(*moment.model, *moment.travel),
          pen.style(12, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono), area.w);
    }
  }
  if (product) return draw_warp_product(pen, inside, moment, *product);
  if (multiplies_elements(moment)) return draw_gemm_thread(pen, inside, context, moment);
  return draw_thread_moves(pen, inside, context, moment);
}

namespace {

constexpr std::size_t kMostSide = 16;  // rows or columns of a thread's tile that are drawn

bool is_of(const TilingModel& model, Origin origin, Role role) {
  return model.matrices[origin.matrix()].view.role == role;
}

// Whether the load brings what the thread multiplies next: from shared memory, or from global where
// nothing of the matrix goes through shared. Others fetch what is to be stored there.
bool feeds_products(const TilingModel& model, const CopyFlow& flow, const LaneFlow::Load& load) {
  const bool is_input = is_of(model, load.origin, Role::kA) || is_of(model, load.origin, Role::kB);
  return is_input && (load.from_shared || flow.routes[load.origin.matrix()].bypasses_shared());
}

// What has been loaded since the last multiply-add, as far as it is of the same k as the last of
// it.
void find_loaded(const ViewContext& context, const TilingMoment& moment, ThreadTile* tile) {
  const TilingModel& model = *moment.model;
  const std::vector<LaneFlow::Load>& loads = moment.flow.loads;
  const std::uint32_t since = moment.product ? moment.product->event : 0;
  for (auto load = loads.rbegin(); load != loads.rend(); ++load) {
    if (moment.product && load->event < since) break;
    if (!feeds_products(model, *context.prepared->flow, *load)) continue;
    const ElementIndex at = element_of(model, load->origin);
    const bool is_a = is_of(model, load->origin, Role::kA);
    const std::uint64_t k = is_a ? at.col : at.row;
    if (!tile->loading) tile->k = k;
    tile->loading = true;
    if (k != *tile->k) continue;
    (is_a ? tile->rows_loaded : tile->cols_loaded).insert(is_a ? at.row : at.col);
  }
}

void find_stored(const TilingMoment& moment, ThreadTile* tile) {
  for (const LaneFlow::Written& written : moment.flow.written) {
    if (!is_of(*moment.model, written.to, Role::kC)) continue;
    const ElementIndex at = element_of(*moment.model, written.to);
    tile->stored.insert({at.row, at.col});
    const bool is_now = moment.travel && moment.travel->event == written.event;
    if (is_now) tile->storing.insert({at.row, at.col});
  }
}

// The elements that the selected lane multiplies for in its step, those of a row that are
// neighbours as one.
std::vector<OwnedRect> multiplied_for(const ViewContext& context, const TilingMoment& moment) {
  const std::vector<std::uint32_t>& begin = context.study->timeline->warp_steps[moment.warp];
  const std::uint32_t from = begin.empty() ? 0 : begin[moment.step == 0 ? 0 : moment.step - 1];
  const std::uint32_t end = moment.step + 1 < begin.size()
                                ? begin[moment.step + 1]
                                : static_cast<std::uint32_t>(context.study->trace->events.size());
  const LaneFlow flow =
      follow_lane(*context.study, *context.prepared->flow, moment.warp, moment.lane, from, end - 1);
  std::set<ThreadTile::Place> places;
  for (const LaneFlow::Product& product : flow.products) {
    const auto gemm = gemm_product(*moment.model, product);
    if (gemm) places.emplace(gemm->a.row, gemm->b.col);
  }
  std::vector<OwnedRect> rects;
  for (const auto& [row, col] : places) {
    if (!rects.empty() && rects.back().box.row == row &&
        rects.back().box.col + rects.back().box.cols == col) {
      ++rects.back().box.cols;
      continue;
    }
    rects.push_back({{row, col, 1, 1},
                     static_cast<std::uint16_t>(moment.warp),
                     static_cast<std::uint8_t>(moment.lane)});
  }
  return rects;
}

}  // namespace

std::vector<OwnedRect> lane_rects(const ViewContext& context, const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  std::vector<OwnedRect> stored;
  for (const OwnedRect& rect : model.lane_rects) {
    if (rect.warp == moment.warp && rect.lane == moment.lane) stored.push_back(rect);
  }
  const bool in_cluster = context.study->program->cluster().count() > 1;
  if (!moment.product || stored.empty() || !in_cluster) return stored;
  const bool stores = std::ranges::any_of(
      moment.flow.written,
      [&](const LaneFlow::Written& written) { return is_of(model, written.to, Role::kC); });
  if (stores) return stored;
  const auto is_for_another = [&](const LaneFlow::Product& product) {
    const auto gemm = gemm_product(model, product);
    return gemm && std::ranges::none_of(stored, [&](const OwnedRect& rect) {
             return rect.box.contains(gemm->a.row, gemm->b.col);
           });
  };
  const bool shares_sums = std::ranges::any_of(moment.flow.products, is_for_another);
  return shares_sums ? multiplied_for(context, moment) : stored;
}

bool multiplies_elements(const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  return model.find(Role::kA) != nullptr && model.find(Role::kB) != nullptr &&
         model.find(Role::kC) != nullptr && !moment.lane_rects.empty();
}

ThreadTile thread_tile(const ViewContext& context, const TilingMoment& moment) {
  std::set<std::uint64_t> rows;
  std::set<std::uint64_t> cols;
  for (const OwnedRect& rect : moment.lane_rects) {
    for (std::uint64_t r = 0; r < rect.box.rows && rows.size() < kMostSide; ++r)
      rows.insert(rect.box.row + r);
    for (std::uint64_t c = 0; c < rect.box.cols && cols.size() < kMostSide; ++c)
      cols.insert(rect.box.col + c);
  }
  ThreadTile tile;
  tile.rows.assign(rows.begin(), rows.end());
  tile.cols.assign(cols.begin(), cols.end());
  find_stored(moment, &tile);
  if (moment.product) tile.now = gemm_product(*moment.model, *moment.product);
  if (tile.now) tile.k = tile.now->a.col;
  find_loaded(context, moment, &tile);
  if (!tile.now || tile.loading) return tile;
  for (const LaneFlow::Product& product : moment.flow.products) {
    const auto gemm = gemm_product(*moment.model, product);
    if (gemm && gemm->a.col == *tile.k) tile.done.insert({gemm->a.row, gemm->b.col});
  }
  return tile;
}

}  // namespace tilescope
