#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "scene/banks/banks_scene.h"
#include "scene/hovered_line.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostRows = 64;  // drawn at once; a taller array shows the rows in use
constexpr std::uint64_t kMostCols = 160;

// The rows and columns of the region that are drawn.
struct Part {
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t col = 0;
  std::uint64_t cols = 0;
};

Part part_around(const SharedRegion& region, const SharedRequest& request) {
  const std::uint64_t first = request.shape.first / 4 - region.first_word;
  const std::uint64_t last = std::min(request.shape.last / 4 - region.first_word, region.words - 1);
  const auto window = [](std::uint64_t from, std::uint64_t to, std::uint64_t all,
                         std::uint64_t most) {
    if (all <= most) return std::pair{std::uint64_t{0}, all};
    const std::uint64_t middle = (from + to) / 2;
    const std::uint64_t start = std::min(middle - std::min(middle, most / 2), all - most);
    return std::pair{start, most};
  };
  Part part;
  std::tie(part.row, part.rows) =
      window(first / region.pitch_words, last / region.pitch_words, region.rows(), kMostRows);
  std::tie(part.col, part.cols) =
      window(first % region.pitch_words, last % region.pitch_words, region.pitch_words, kMostCols);
  return part;
}

struct MapGrid {
  Rect box;
  Part part;
  [[nodiscard]] Rect cell(std::uint64_t row, std::uint64_t col, std::uint64_t cols = 1) const {
    const float w = box.w / static_cast<float>(part.cols);
    const float h = box.h / static_cast<float>(part.rows);
    const float gap_x = w >= 4 ? 1.0f : 0.0f;
    const float gap_y = h >= 4 ? 1.0f : 0.0f;
    return {box.x + w * static_cast<float>(col - part.col),
            box.y + h * static_cast<float>(row - part.row),
            std::max(w * static_cast<float>(cols) - gap_x, 1.0f), std::max(h - gap_y, 1.0f)};
  }
  [[nodiscard]] bool shows(std::uint64_t row, std::uint64_t col) const {
    return row >= part.row && row < part.row + part.rows && col >= part.col &&
           col < part.col + part.cols;
  }
};

Paint bank_paint(std::uint64_t bank) {
  return {ColourRole::kFaint, 0.22f + 0.60f * static_cast<float>(bank) / 31.0f};
}

void draw_cells(Pen& pen, const MapGrid& grid, const SharedRegion& region) {
  const Part& part = grid.part;
  for (std::uint64_t row = part.row; row < part.row + part.rows; ++row) {
    for (std::uint64_t col = part.col; col < part.col + part.cols; ++col) {
      if (row * region.pitch_words + col >= region.words) return;
      const std::uint64_t bank = (region.first_word + row * region.pitch_words + col) % kBankCount;
      pen.canvas.fill_rect(grid.cell(row, col), bank_paint(bank));
    }
  }
}

// Words behind each row that hold nothing.
void draw_padding(Pen& pen, const MapGrid& grid, const SharedRegion& region) {
  const Part& part = grid.part;
  if (region.used_words >= region.pitch_words || region.used_words >= part.col + part.cols) return;
  const Rect first = grid.cell(part.row, std::max(region.used_words, part.col));
  const Rect pad{first.x, grid.box.y, grid.box.right() - first.x, grid.box.h};
  pen.canvas.fill_rect(pad, Paint(ColourRole::kBackground, 0.75f));
  pen.canvas.hatch_rect(pad, ColourRole::kDim, 4);
  pen.hit(pad, HitKind::kNone, 0,
          fmt::format("{} of padding behind each row shift the next row by as many banks.",
                      counted(region.pitch_words - region.used_words, "word")));
}

void draw_lanes(Pen& pen, const MapGrid& grid, const SharedRegion& region,
                const SharedRequest& request, int selected_lane) {
  const std::uint64_t words = std::max<std::uint64_t>(request.access.bytes_per_lane / 4u, 1);
  for (int lane = kWarpSize - 1; lane >= 0; --lane) {
    if ((request.access.active >> lane & 1U) == 0) continue;
    const std::uint64_t word = request.access.address[static_cast<std::size_t>(lane)] / 4;
    if (!region.contains(word)) continue;
    const std::uint64_t row = (word - region.first_word) / region.pitch_words;
    const std::uint64_t col = (word - region.first_word) % region.pitch_words;
    if (!grid.shows(row, col)) continue;
    const Rect box = grid.cell(row, col, std::min(words, grid.part.col + grid.part.cols - col));
    pen.canvas.fill_rect(box, Paint::lane(lane));
    if (lane == selected_lane) pen.outline(box, ColourRole::kSelection, 1.5f);
    pen.hit(box, HitKind::kLane, lane,
            fmt::format("Lane {}: row {}, word {} of {}, in bank {}.", lane, row, col, region.name,
                        word % kBankCount));
  }
}

// Frames the words that the line under the pointer reads or writes.
void draw_lit(Pen& pen, const MapGrid& grid, const SharedRegion& region,
              const ViewContext& context) {
  const BlockTrace& trace = *context.study->trace;
  std::set<std::pair<std::uint64_t, std::uint64_t>> framed;  // word and how many
  for (const std::uint32_t event : lit_accesses(context)) {
    WarpAccess access = trace.access(trace.events[event].access);
    if (access.kind == AccessKind::kAsyncCopy)
      access = trace.access(trace.events[event].access + 1);
    if (access.space != MemorySpace::kShared) continue;
    const std::uint64_t words = std::max<std::uint64_t>(access.bytes_per_lane / 4u, 1);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t word = access.address[lane] / 4;
      const bool active = (access.active >> lane & 1U) != 0;
      if (active && region.contains(word)) framed.emplace(word, words);
    }
  }
  for (const auto& [word, words] : framed) {
    const std::uint64_t row = (word - region.first_word) / region.pitch_words;
    const std::uint64_t col = (word - region.first_word) % region.pitch_words;
    if (!grid.shows(row, col)) continue;
    pen.outline(grid.cell(row, col, std::min(words, grid.part.col + grid.part.cols - col)),
                Paint(ColourRole::kSelection, 0.8f));
  }
}

std::string title_of(const SharedRegion& region) {
  std::string title = region.declaration;
  if (title.empty()) title = fmt::format("tile of {}", region.name);
  if (region.stages > 1) title += fmt::format(", {} of {}", region.stage + 1, region.stages);
  return title;
}

}  // namespace

void draw_shared_map(Pen& pen, const Rect& area, const ViewContext& context,
                     const SharedRequest& request) {
  const SharedRegion& region = *request.region;
  const TextStyle mono =
      pen.style(12, ColourRole::kStrong, Weight::kMedium, Align::kLeft, Font::kMono);
  const TextStyle dim = pen.style(11, ColourRole::kDim);
  pen.text(area.x, area.y + pen.px(8), pen.fitted(title_of(region), mono, area.w), mono);

  MapGrid grid;
  grid.part = part_around(region, request);
  const bool cut = grid.part.rows < region.rows() || grid.part.cols < region.pitch_words;
  pen.first_that_fits(
      area.x, area.y + pen.px(25),
      {cut ? fmt::format("rows {}–{} of {}, words {}–{} of {}, by bank", grid.part.row,
                         grid.part.row + grid.part.rows - 1, region.rows(), grid.part.col,
                         grid.part.col + grid.part.cols - 1, region.pitch_words)
           : "as it lies in memory, shaded by bank",
       "shaded by bank"},
      dim, area.w);
  const float top = area.y + pen.px(40);
  const float most_height = area.bottom() - top - pen.px(48);
  const float cell = std::min(area.w / static_cast<float>(grid.part.cols), pen.px(14));
  const float height = std::min(most_height, pen.px(12) * static_cast<float>(grid.part.rows));
  grid.box = {area.x, top, cell * static_cast<float>(grid.part.cols),
              std::max(height, std::min(most_height, pen.px(16)))};

  draw_cells(pen, grid, region);
  draw_padding(pen, grid, region);
  draw_lanes(pen, grid, region, request, context.selection.lane);
  draw_lit(pen, grid, region, context);
  const bool conflict = request.lanes_meet;
  const Paint tone = conflict ? ColourRole::kExcess : ColourRole::kIdeal;
  const TextStyle caption = pen.style(12, tone, Weight::kSemibold);
  std::vector<std::string> words;
  if (conflict) {
    words = {
        fmt::format("{} of the words lie in bank {}", request.busiest_words, request.busiest_bank),
        fmt::format("bank {}: {} words", request.busiest_bank, request.busiest_words)};
  } else {
    words = {"its words lie in " + counted(request.banks_used, "bank")};
  }
  float y = grid.box.bottom() + pen.px(14);
  pen.first_that_fits(area.x, y, words, caption, area.w);
  y += pen.px(17);
  if (region.pitch_known && region.rows() > 1) {
    const std::uint64_t pad = region.pitch_words - std::min(region.used_words, region.pitch_words);
    pen.first_that_fits(area.x, y,
                        {pad == 0 ? fmt::format("pitch {} words", region.pitch_words)
                                  : fmt::format("pitch {} words: {} and {} of padding",
                                                region.pitch_words, region.used_words, pad),
                         fmt::format("pitch {} words", region.pitch_words)},
                        dim, area.w);
  }
}

}  // namespace tilescope
