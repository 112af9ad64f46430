#include <algorithm>
#include <array>
#include <cmath>

#include "scene/tiling/element_frame.h"
#include "scene/tiling/matrix_picture.h"

namespace tilescope {
namespace {

void grow(std::optional<Rect>& all, const Rect& more) {
  if (!all) {
    all = more;
    return;
  }
  const float x = std::min(all->x, more.x);
  const float y = std::min(all->y, more.y);
  all = Rect{x, y, std::max(all->right(), more.right()) - x,
             std::max(all->bottom(), more.bottom()) - y};
}

// Where the panels show what travels; nullopt: nowhere.
struct Places {
  const ViewContext& context;
  const TilingMoment& moment;
  const GridPicture& grid;
  const BlockPicture& block;
  const ThreadPicture& thread;

  [[nodiscard]] const Travel& travel() const { return *moment.travel; }

  template <typename Visit>
  void for_elements(const Visit& visit) const {
    for (const Origin& origin : travel().elements) {
      const TiledMatrix& matrix = moment.model->matrices[origin.matrix()];
      visit(origin, matrix, origin.element() / matrix.view.leading,
            origin.element() % matrix.view.leading);
    }
  }

  [[nodiscard]] std::optional<Rect> in_grid() const {
    std::optional<Rect> all;
    for_elements([&](Origin origin, const TiledMatrix& matrix, auto row, auto col) {
      for (const auto& [index, box] : grid.boxes) {
        if (index != origin.matrix()) continue;
        grow(all, place_box({box, box, index}, matrix, {row, col, 1, 1}));
      }
    });
    return all;
  }
  // In a tile of the block's picture; of a ring, else the stage that the event writes.
  [[nodiscard]] std::optional<Rect> in_block() const {
    std::optional<Rect> all;
    const auto stage = moment.model->ring.written_by(travel().event);
    if (stage && *stage < block.stages.size()) return block.stages[*stage];
    for_elements([&](Origin origin, const TiledMatrix&, auto row, auto col) {
      for (const BlockPicture::Part& part : block.parts) {
        if (part.matrix != origin.matrix() || !part.elements.contains(row, col)) continue;
        grow(all, ElementFrame{part.box, part.elements}.place({row, col, 1, 1}));
      }
    });
    return all;
  }
  [[nodiscard]] std::optional<Rect> in_thread() const {
    std::optional<Rect> all;
    for_elements([&](Origin origin, const TiledMatrix&, auto, auto) {
      for (const auto& [value, box] : thread.values) {
        if (value == origin) grow(all, box);
      }
    });
    return all;
  }
};

struct Way {
  std::optional<Rect> from;
  std::optional<Rect> to;
};

Way way_of(const Places& places) {
  switch (places.travel().leg) {
    case Leg::kGlobalToShared:
      return {places.in_grid(), places.in_block()};
    case Leg::kGlobalToRegisters:
      return {places.in_grid(), places.in_thread()};
    case Leg::kRegistersToShared:
      return {places.in_thread(), places.in_block()};
    case Leg::kSharedToRegisters:
      return {places.in_block(), places.in_thread()};
    case Leg::kRegistersToGlobal:
      return {places.in_thread(), places.in_block()};
  }
  return {};
}

// From the side of one that faces the other to the other's side.
std::array<Point, 2> ends_of(const Rect& from, const Rect& to) {
  if (to.x >= from.right()) return {Point{from.right(), from.center().y}, {to.x, to.center().y}};
  if (to.right() <= from.x) return {Point{from.x, from.center().y}, {to.right(), to.center().y}};
  const bool down = to.y >= from.bottom();
  return {Point{from.center().x, down ? from.bottom() : from.y},
          {to.center().x, down ? to.y : to.bottom()}};
}

void draw_arrow(Pen& pen, Point from, Point to, Paint paint) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < pen.px(6)) return;
  const float dx = (to.x - from.x) / length;
  const float dy = (to.y - from.y) / length;
  const float head = pen.px(6);
  pen.canvas.line(from, to, paint, 1.5f);
  const std::array<Point, 3> tip = {
      Point{to.x - head * (dx + 0.6f * dy), to.y - head * (dy - 0.6f * dx)}, to,
      Point{to.x - head * (dx - 0.6f * dy), to.y - head * (dy + 0.6f * dx)}};
  pen.canvas.polyline(tip, paint, 1.5f);
}

}  // namespace

void draw_travel(Pen& pen, const ViewContext& context, const TilingMoment& moment,
                 const GridPicture& grid, const BlockPicture& block, const ThreadPicture& thread) {
  if (!moment.travel || moment.travel->elements.empty()) return;
  const Way way = way_of({context, moment, grid, block, thread});
  if (!way.from || !way.to) return;
  const MatrixView& matrix = moment.model->matrices[moment.travel->elements.front().matrix()].view;
  const auto [from, to] = ends_of(*way.from, *way.to);
  draw_arrow(pen, from, to, matrix.colour);
  for (const Rect& end : {*way.from, *way.to}) {
    pen.outline(end.inset(-1), ColourRole::kSelection, 1.5f, 2);
  }
  if (context.motion >= 1) return;
  // On its way.
  const Point at{from.x + (to.x - from.x) * context.motion,
                 from.y + (to.y - from.y) * context.motion};
  const float side = pen.px(10);
  pen.canvas.fill_rect({at.x - side / 2, at.y - side / 2, side, side}, matrix.colour, 2);
  pen.outline({at.x - side / 2, at.y - side / 2, side, side}, ColourRole::kSelection, 1.5f, 2);
}

}  // namespace tilescope
