#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scene/drawn_numbers.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/thread_words.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostSide = 16;  // rows or columns of a thread's tile that are drawn

struct ThreadTile {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> cols;
  std::set<std::pair<std::uint64_t, std::uint64_t>> done;  // multiplied at the present k
  std::optional<GemmProduct> now;
};

ThreadTile thread_tile(const TilingMoment& moment) {
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
  if (!moment.product) return tile;
  tile.now = gemm_product(*moment.model, *moment.product);
  if (!tile.now) return tile;
  for (const LaneFlow::Product& product : moment.flow.products) {
    const auto gemm = gemm_product(*moment.model, product);
    if (gemm && gemm->a.col == tile.now->a.col) tile.done.insert({gemm->a.row, gemm->b.col});
  }
  return tile;
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

// "C[262][457] += A[262][506] · B[506][457]" and shorter ways to write it, the longest first.
std::vector<std::string> product_words(const ViewContext& context, const GemmProduct& product,
                                       const MatrixView& a, const MatrixView& b,
                                       const std::string& c) {
  const std::uint64_t row = product.a.row;
  const std::uint64_t col = product.b.col;
  const std::uint64_t k = product.a.col;
  std::vector<std::string> words = {fmt::format("{3}[{0}][{1}] += {4}[{0}][{2}] · {5}[{2}][{1}]",
                                                row, col, k, c, a.name, b.name)};
  const auto left = value_at(*context.study, a, row, k);
  const auto right = value_at(*context.study, b, k, col);
  if (left && right) {
    words.push_back(
        fmt::format("{}[{}][{}] += {} · {}", c, row, col, short_value(*left), short_value(*right)));
  }
  words.push_back(fmt::format("{}[{}][{}] += a · b", c, row, col));
  return words;
}

Rect draw_gemm_thread(Pen& pen, const Rect& area, const ViewContext& context,
                      const TilingMoment& moment) {
  const ThreadTile tile = thread_tile(moment);
  if (tile.rows.empty() || tile.cols.empty()) return {};
  if (tile.rows.size() * tile.cols.size() == 1) return draw_dot_product(pen, area, context, moment);
  const TilingModel& model = *moment.model;
  const MatrixView& a = model.find(Role::kA)->view;
  const MatrixView& b = model.find(Role::kB)->view;
  const std::string& c_name = model.find(Role::kC)->view.name;
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
  const bool running = tile.now.has_value();
  const std::uint64_t k = running ? tile.now->a.col : 0;
  std::vector<std::optional<double>> a_values;
  std::vector<std::optional<double>> b_values;
  for (std::size_t r = 0; r < tile.rows.size(); ++r) {
    a_values.push_back(running ? value_at(*context.study, a, tile.rows[r], k) : std::nullopt);
    draw_cell(pen, cells.a(r), running ? Paint(a.colour) : Paint(a.colour, 0.25f), a_values.back(),
              fmt::format("{}[{}][{}], in a register.", a.name, tile.rows[r], k));
  }
  for (std::size_t c = 0; c < tile.cols.size(); ++c) {
    b_values.push_back(running ? value_at(*context.study, b, k, tile.cols[c]) : std::nullopt);
    draw_cell(pen, cells.b(c), running ? Paint(b.colour) : Paint(b.colour, 0.25f), b_values.back(),
              fmt::format("{}[{}][{}], in a register.", b.name, k, tile.cols[c]));
  }
  for (std::size_t r = 0; r < tile.rows.size(); ++r) {
    for (std::size_t c = 0; c < tile.cols.size(); ++c) {
      const bool done = tile.done.contains({tile.rows[r], tile.cols[c]});
      const bool now =
          running && tile.now->a.row == tile.rows[r] && tile.now->b.col == tile.cols[c];
      std::optional<double> product;
      if (a_values[r] && b_values[c]) product = *a_values[r] * *b_values[c];
      const Paint paint = now    ? Paint(ColourRole::kSelection)
                          : done ? Paint(ColourRole::kThird)
                                 : Paint(ColourRole::kRaised);
      draw_cell(
          pen, cells.at(r, c), paint, product,
          fmt::format("{}[{}][{}] {} the product at k = {}.", c_name, tile.rows[r], tile.cols[c],
                      now    ? "takes"
                      : done ? "has taken"
                             : "has yet to take",
                      k));
    }
  }
  const TextStyle b_label = pen.style(12, b.colour, Weight::kSemibold);
  const TextStyle a_label = pen.style(12, a.colour, Weight::kSemibold, Align::kCenter);
  pen.text(cells.corner.x, cells.b(0).y - pen.px(9), "b", b_label);
  pen.text(cells.a(0).center().x, cells.a(0).y - pen.px(9), "a", a_label);
  const float y = cells.at(tile.rows.size(), 0).y + pen.px(12);
  const TextStyle mono =
      pen.style(12, ColourRole::kStrong, Weight::kRegular, Align::kLeft, Font::kMono);
  const TextStyle dim = pen.style(12, ColourRole::kDim);
  if (!running) {
    pen.text(area.x, y, pen.fitted("no multiply-add yet in this step", dim, area.w), dim);
  } else {
    pen.first_that_fits(area.x, y, product_words(context, *tile.now, a, b, c_name), mono, area.w);
    if (caption < two_lines) return cells.c_area(tile.rows.size(), tile.cols.size(), pen.px(3));
    const std::size_t all = tile.rows.size() * tile.cols.size();
    const std::string words =
        fmt::format("multiply-add {} of {} at k = {}", tile.done.size(), all, k);
    pen.first_that_fits(area.x, y + pen.px(18),
                        {words + "; cells: the products added", words, fmt::format("k = {}", k)},
                        dim, area.w);
  }
  return cells.c_area(tile.rows.size(), tile.cols.size(), pen.px(3));
}

bool multiplies(const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  return model.find(Role::kA) != nullptr && model.find(Role::kB) != nullptr &&
         model.find(Role::kC) != nullptr && !moment.lane_rects.empty();
}

}  // namespace

void add_thread_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment) {
  if (const auto product = warp_product(context, moment)) {
    add_warp_product_numbers(list, moment, *product);
    return;
  }
  if (!multiplies(moment)) {
    add_move_numbers(list, context, moment);
    return;
  }
  const ThreadTile tile = thread_tile(moment);
  if (tile.rows.size() * tile.cols.size() <= 1) {
    add_dot_product_numbers(list, context, moment);
    return;
  }
  list.add("multiply-adds of a k", tile.rows.size() * tile.cols.size());
  if (!tile.now) return;
  const std::uint64_t k = tile.now->a.col;
  list.add("k", k);
  list.add("multiply-adds done at this k", tile.done.size());
  const MatrixView& a = moment.model->find(Role::kA)->view;
  const MatrixView& b = moment.model->find(Role::kB)->view;
  for (const std::uint64_t row : tile.rows) {
    list.item(fmt::format("{}[{}][{}]", a.name, row, k));
    if (const auto value = value_at(*context.study, a, row, k)) list.add("value", *value);
  }
  for (const std::uint64_t col : tile.cols) {
    list.item(fmt::format("{}[{}][{}]", b.name, k, col));
    if (const auto value = value_at(*context.study, b, k, col)) list.add("value", *value);
  }
  for (const std::uint64_t row : tile.rows) {
    for (const std::uint64_t col : tile.cols) {
      const auto left = value_at(*context.study, a, row, k);
      const auto right = value_at(*context.study, b, k, col);
      if (!left || !right) continue;
      list.item(fmt::format("{}[{}][{}]", moment.model->find(Role::kC)->view.name, row, col));
      list.add("product", *left * *right);
    }
  }
}

Rect draw_thread_panel(Pen& pen, const Rect& area, const ViewContext& context,
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
  if (const auto product = warp_product(context, moment))
    return draw_warp_product(pen, inside, moment, *product);
  return multiplies(moment) ? draw_gemm_thread(pen, inside, context, moment)
                            : draw_thread_moves(pen, inside, context, moment);
}

}  // namespace tilescope
