#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "scene/tiling/matrix_picture.h"

namespace tilescope {
namespace {

constexpr float kLeastCell = 14;  // px at which elements become visible one by one
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
  if (element.value) words += fmt::format(" = {:.6g} at the start", *element.value);
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
  if (context.camera.zoom <= 1 || std::min(cw, ch) < kLeastCell) return;
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
