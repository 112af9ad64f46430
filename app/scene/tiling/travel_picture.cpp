#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "scene/drawing/noted_labels.h"
#include "scene/tiling/element_frame.h"
#include "scene/tiling/matrix_picture.h"
#include "scene/tiling/travel_route.h"

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
  const TilingPictures& pictures;
  std::size_t matrix = 0;  // of what travels, the elements of this one

  [[nodiscard]] const Travel& travel() const { return *pictures.moment.travel; }
  [[nodiscard]] const TilingModel& model() const { return *pictures.moment.model; }

  template <typename Visit>
  void for_elements(const Visit& visit) const {
    for (const Origin& origin : travel().elements) {
      if (origin.matrix() != matrix) continue;
      const TiledMatrix& of = model().matrices[origin.matrix()];
      visit(origin, of, origin.element() / of.view.leading, origin.element() % of.view.leading);
    }
  }

  [[nodiscard]] std::optional<Rect> in_grid() const {
    if (pictures.block.global) return pictures.block.global;
    std::optional<Rect> all;
    for_elements([&](Origin origin, const TiledMatrix& of, auto row, auto col) {
      for (const auto& [index, box] : pictures.grid.boxes) {
        if (index != origin.matrix()) continue;
        grow(all, place_box({box, box, index}, of, {row, col, 1, 1}));
      }
    });
    return all;
  }
  // In a tile of the block's picture; of a ring, else the stage that the event writes.
  [[nodiscard]] std::optional<Rect> in_block() const {
    const bool leaves = travel().leg == Leg::kRegistersToGlobal;
    if (const auto& place = leaves ? pictures.block.global : pictures.block.shared) return place;
    std::optional<Rect> all;
    const auto stage = model().ring.written_by(travel().event);
    if (stage && *stage < pictures.block.stages.size()) return pictures.block.stages[*stage];
    for_elements([&](Origin origin, const TiledMatrix&, auto row, auto col) {
      for (const BlockPicture::Part& part : pictures.block.parts) {
        if (part.matrix != origin.matrix() || !part.elements.contains(row, col)) continue;
        grow(all, ElementFrame{part.box, part.elements}.place({row, col, 1, 1}));
      }
    });
    return all;
  }
  [[nodiscard]] std::optional<Rect> in_thread() const {
    std::optional<Rect> all;
    for_elements([&](Origin origin, const TiledMatrix&, auto, auto) {
      for (const auto& [value, box] : pictures.thread.values) {
        if (value == origin) grow(all, box);
      }
    });
    // The operand that they become part of, of this product or of one to come.
    for (const auto& [operand, box] : pictures.thread.operands) {
      if (!all && operand == matrix) grow(all, box);
    }
    return all;
  }
};

// Where the tile waits between its load and its store, where it does.
std::optional<Rect> in_registers(const Places& places) {
  const Rect& box = places.pictures.block.registers;
  const RingModel& ring = places.model().ring;
  const std::uint32_t event = places.travel().event;
  const bool is_tile = ring.is_loaded_by(event) || ring.written_by(event);
  return box.w > 0 && is_tile ? std::optional(box) : places.in_thread();
}

struct Way {
  std::optional<Rect> from;
  std::optional<Rect> to;
};

Way way_of(const Places& places) {
  switch (places.travel().leg) {
    case Leg::kGlobalToShared:
      return {places.in_grid(), places.in_block()};
    case Leg::kGlobalToRegisters:
      return {places.in_grid(), in_registers(places)};
    case Leg::kRegistersToShared:
      return {in_registers(places), places.in_block()};
    case Leg::kSharedToRegisters:
    case Leg::kSharedToTensorCore:
      return {places.in_block(), places.in_thread()};
    case Leg::kRegistersToGlobal:
      return {places.in_thread(), places.in_block()};
  }
  return {};
}

// What lies in the way of an arrow between the two: labels, the boxes of a ring, and the pictures
// that it had better not cross.
RouteMap map_between(const Pen& pen, const NotedLabels& labels, const TilingPictures& pictures,
                     const Rect& from, const Rect& to) {
  RouteMap map;
  map.clear = pen.px(9);
  const auto is_end = [&](const Rect& box) {
    return std::ranges::any_of(std::array{from, to}, [&](const Rect& end) {
      return box.contains(end.center()) || end.contains(box.center());
    });
  };
  // Only what lies near: elsewhere no arrow passes.
  std::optional<Rect> both = from;
  grow(both, to);
  Rect near = both->inset(-pen.px(220));
  const Rect& room = pictures.room;
  const float left = std::max(near.x, room.x);
  const float top = std::max(near.y, room.y);
  near = {left, top, std::min(near.right(), room.right()) - left,
          std::min(near.bottom(), room.bottom()) - top};
  map.room = near;
  const auto is_near = [&](const Rect& box) {
    return box.x < near.right() && near.x < box.right() && box.y < near.bottom() &&
           near.y < box.bottom();
  };
  for (const auto& [matrix, box] : pictures.grid.boxes) map.pictures.push_back(box);
  for (const BlockPicture::Part& part : pictures.block.parts) map.pictures.push_back(part.box);
  if (pictures.thread.cells.w > 0) map.pictures.push_back(pictures.thread.cells);
  for (const auto& [operand, box] : pictures.thread.operands) map.pictures.push_back(box);
  std::optional<Rect> cells;
  if (pictures.thread.cells.w > 0) cells = pictures.thread.cells;
  for (const auto& [value, box] : pictures.thread.values) grow(cells, box);
  if (cells) map.crowded.push_back(*cells);
  std::erase_if(map.pictures, [&](const Rect& box) { return !is_near(box); });
  // Not close above the rule either.
  map.pictures.push_back({near.x, room.bottom() + pen.px(5), near.w, 1});
  std::vector<Rect> boxes = pictures.block.stages;
  if (pictures.block.registers.w > 0) boxes.push_back(pictures.block.registers);
  for (const Rect& box : boxes) {
    if (!is_end(box)) map.closed.push_back(box.inset(-pen.px(2)));
  }
  for (const Rect& label : labels.labels()) {
    if (is_near(label) && !is_end(label)) map.closed.push_back(label.inset(-kLabelMargin));
  }
  return map;
}

void draw_arrow(Pen& pen, NotedLabels& labels, const Path& path, Paint paint) {
  if (length_of(path) < pen.px(6)) return;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i].x == path[i - 1].x && path[i].y == path[i - 1].y) continue;
    labels.line_between(path[i - 1], path[i], paint, 1.5f, kLabelMargin);
  }
  const Point to = path.back();
  Point before = to;
  for (auto at = path.rbegin(); at != path.rend() && before.x == to.x && before.y == to.y; ++at) {
    before = *at;
  }
  const float length = std::max(std::hypot(to.x - before.x, to.y - before.y), 1e-3f);
  const float dx = (to.x - before.x) / length;
  const float dy = (to.y - before.y) / length;
  const float head = pen.px(6);
  const std::array<Point, 3> tip = {
      Point{to.x - head * (dx + 0.6f * dy), to.y - head * (dy - 0.6f * dx)}, to,
      Point{to.x - head * (dx - 0.6f * dy), to.y - head * (dy + 0.6f * dx)}};
  pen.canvas.polyline(tip, paint, 1.5f);
}

void draw_way(Pen& pen, NotedLabels& labels, const Places& places) {
  const Way way = way_of(places);
  if (!way.from || !way.to) return;
  const ColourRole colour = places.model().matrices[places.matrix].view.colour;
  const RouteMap map = map_between(pen, labels, places.pictures, *way.from, *way.to);
  const Path path = route(map, *way.from, *way.to);
  draw_arrow(pen, labels, path, colour);
  for (const Rect& end : {*way.from, *way.to}) {
    pen.outline(end.inset(-1), ColourRole::kSelection, 1.5f, 2);
  }
  const float motion = places.pictures.context.motion;
  if (motion >= 1) return;
  // On its way.
  const Point at = along(path, motion);
  const float side = pen.px(10);
  pen.canvas.fill_rect({at.x - side / 2, at.y - side / 2, side, side}, colour, 2);
  pen.outline({at.x - side / 2, at.y - side / 2, side, side}, ColourRole::kSelection, 1.5f, 2);
}

}  // namespace

void draw_travel(Pen& pen, NotedLabels& labels, const TilingPictures& pictures) {
  const std::optional<Travel>& travel = pictures.moment.travel;
  if (!travel) return;
  std::set<std::size_t> matrices;
  for (const Origin& origin : travel->elements) matrices.insert(origin.matrix());
  for (const std::size_t matrix : matrices) draw_way(pen, labels, {pictures, matrix});
}

}  // namespace tilescope
