#include "scene/tiling/move_arrangement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilescope {
namespace {

// Rows and columns in which the parts of an order stand.
struct Table {
  std::size_t rows = 1;
  std::size_t cols = 1;
  [[nodiscard]] static Table of(MoveOrder order, std::size_t parts) {
    if (order == MoveOrder::kCorner) return {2, 2};
    return order == MoveOrder::kAcross ? Table{1, parts} : Table{parts, 1};
  }
};

std::pair<std::size_t, std::size_t> place_in_table(MoveOrder order, std::size_t part) {
  if (order == MoveOrder::kCorner) return {part / 2, part == 0 ? 0 : 1};
  return order == MoveOrder::kAcross ? std::pair<std::size_t, std::size_t>{0, part}
                                     : std::pair<std::size_t, std::size_t>{part, 0};
}

// The side of an element, `most` at the most, at which parts of so many elements in a row fill no
// more than `room`: none takes less than `least`.
float side_within(const std::vector<float>& counts, float room, float least, float most) {
  float side = std::min(room / std::accumulate(counts.begin(), counts.end(), 0.0f), most);
  for (std::size_t pass = 0; pass < counts.size(); ++pass) {
    float fixed = 0;
    float elements = 0;
    for (const float count : counts) {
      count* side < least ? fixed += least : elements += count;
    }
    if (elements > 0) side = std::min(side, std::max(room - fixed, 0.0f) / elements);
  }
  return side;
}

// Elements have one size in all parts, so that a row here is as long as a column there; broken
// rows compare to nothing, so that each part then fills what is its own.
MoveArrangement arranged(const std::vector<MovePart>& parts, MoveOrder order,
                         const MoveRoom& room) {
  const Table table = Table::of(order, parts.size());
  const float w = room.area.w - room.gap * static_cast<float>(table.cols - 1);
  const float h = room.area.h - room.gap * static_cast<float>(table.rows - 1) -
                  2 * room.label * static_cast<float>(table.rows);
  std::vector<float> heights(table.rows);
  std::vector<float> widths(table.cols);
  const bool compare = std::ranges::none_of(parts, [](const MovePart& part) {
    return part.line != 0 || (part.matrix != nullptr && part.matrix->view.folded);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [row, col] = place_in_table(order, i);
    heights[row] = std::max(heights[row], static_cast<float>(parts[i].rows()));
    widths[col] = std::max(widths[col], static_cast<float>(parts[i].cols()));
  }
  const float own_w = w / static_cast<float>(table.cols);
  const float own_h = h / static_cast<float>(table.rows);
  const float least_w = std::min(own_w, std::max(room.least, room.least_wide));
  const float least_h = std::min(own_h, room.least);
  const float common = std::min(side_within(widths, w, least_w, room.most),
                                side_within(heights, h, least_h, room.most));
  MoveArrangement result{order, {}, 0};
  std::vector<Rect> boxes(parts.size());
  std::ranges::fill(heights, 0.0f);
  std::ranges::fill(widths, 0.0f);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto cols = static_cast<float>(parts[i].cols());
    const auto rows = static_cast<float>(parts[i].rows());
    const float cell = compare ? common : std::min({own_w / cols, own_h / rows, room.most});
    // The lines of a broken row may be higher than their elements are wide.
    const float line = parts[i].line == 0 ? cell : std::min(own_h / rows, room.most);
    boxes[i].w = std::clamp(cell * cols, least_w, w);
    boxes[i].h = std::clamp(line * rows, least_h, h);
    const auto [row, col] = place_in_table(order, i);
    heights[row] = std::max(heights[row], boxes[i].h);
    widths[col] = std::max(widths[col], boxes[i].w);
    result.covered += boxes[i].w * boxes[i].h;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [row, col] = place_in_table(order, i);
    boxes[i].x = room.area.x;
    boxes[i].y = room.area.y + room.label;
    for (std::size_t c = 0; c < col; ++c) boxes[i].x += widths[c] + room.gap;
    for (std::size_t r = 0; r < row; ++r) boxes[i].y += heights[r] + 2 * room.label + room.gap;
  }
  result.boxes = std::move(boxes);
  return result;
}

}  // namespace

MoveArrangement best_arrangement(const std::vector<MovePart>& parts, const MoveRoom& room) {
  MoveArrangement best = arranged(parts, MoveOrder::kAcross, room);
  for (const MoveOrder order : {MoveOrder::kCorner, MoveOrder::kDown}) {
    if (order == MoveOrder::kCorner && parts.size() != 3) continue;
    MoveArrangement other = arranged(parts, order, room);
    if (other.covered > 1.05f * best.covered) best = std::move(other);
  }
  return best;
}

}  // namespace tilescope
