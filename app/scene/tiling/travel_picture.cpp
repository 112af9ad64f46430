#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "scene/drawing/noted_labels.h"
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

using Path = std::vector<Point>;

float length_of(const Path& path) {
  float length = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    length += std::hypot(path[i].x - path[i - 1].x, path[i].y - path[i - 1].y);
  }
  return length;
}

Point along(const Path& path, float share) {
  float left = length_of(path) * share;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point from = path[i - 1];
    const Point to = path[i];
    const float piece = std::hypot(to.x - from.x, to.y - from.y);
    if (left <= piece && piece > 0) {
      return {from.x + (to.x - from.x) * left / piece, from.y + (to.y - from.y) * left / piece};
    }
    left -= piece;
  }
  return path.back();
}

// From the side of one that faces the other to the other's side.
Path straight(const Rect& from, const Rect& to) {
  if (to.x >= from.right()) return {{from.right(), from.center().y}, {to.x, to.center().y}};
  if (to.right() <= from.x) return {{from.x, from.center().y}, {to.right(), to.center().y}};
  const bool down = to.y >= from.bottom();
  return {{from.center().x, down ? from.bottom() : from.y},
          {to.center().x, down ? to.y : to.bottom()}};
}

struct Side {
  Point middle;
  bool upright;  // left or right, which a level line meets
};

std::array<Side, 4> sides_of(const Rect& rect) {
  const Point middle = rect.center();
  return {Side{{rect.right(), middle.y}, true}, Side{{middle.x, rect.bottom()}, false},
          Side{{middle.x, rect.y}, false}, Side{{rect.x, middle.y}, true}};
}

// From one side to another, straight or round corners; a line that turns meets its side squarely.
void add_paths(const Side& from, const Side& to, float clear, std::vector<Path>& paths) {
  const Point begin = from.middle;
  const Point end = to.middle;
  paths.push_back({begin, end});
  if (from.upright && !to.upright) paths.push_back({begin, {end.x, begin.y}, end});
  if (!from.upright && to.upright) paths.push_back({begin, {begin.x, end.y}, end});
  for (const float share : {0.05f, 0.15f, 0.25f, 0.35f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 0.97f}) {
    const float x = begin.x + (end.x - begin.x) * share;
    const float y = begin.y + (end.y - begin.y) * share;
    if (from.upright && to.upright) paths.push_back({begin, {x, begin.y}, {x, end.y}, end});
    if (!from.upright && !to.upright) paths.push_back({begin, {begin.x, y}, {end.x, y}, end});
    if (from.upright == to.upright) continue;
    for (const float side : {-clear, clear}) {  // past the end and back
      if (from.upright) {
        const float beyond = end.y + side;
        paths.push_back({begin, {x, begin.y}, {x, beyond}, {end.x, beyond}, end});
      } else {
        const float beyond = end.x + side;
        paths.push_back({begin, {begin.x, y}, {beyond, y}, {beyond, end.y}, end});
      }
    }
  }
}

std::vector<Path> paths_between(const Rect& from, const Rect& to, float clear) {
  std::vector<Path> paths;
  for (const Side& begin : sides_of(from)) {
    for (const Side& end : sides_of(to)) add_paths(begin, end, clear, paths);
  }
  return paths;
}

// Straight from side to side; where words are in the way, the shortest path that is free of them,
// and through neither of the two.
Path path_between(const NotedLabels& labels, const Rect& from, const Rect& to, float clear) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  const auto crossed = [&](const Path& path) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < path.size() && count <= least; ++i) {
      count += labels.crossed(path[i - 1], path[i], kLabelMargin);
      for (const Rect& end : {from, to}) {
        const auto [first, last] = stretch_in(path[i - 1], path[i], end.inset(1));
        count += first < last ? 1 : 0;
      }
    }
    return count;
  };
  Path best = straight(from, to);
  least = crossed(best);
  if (least == 0) return best;
  float shortest = length_of(best);
  for (Path& path : paths_between(from, to, clear)) {
    const float length = length_of(path);
    if (least == 0 && length >= shortest) continue;
    const std::size_t count = crossed(path);
    if (count > least || (count == least && length >= shortest)) continue;
    least = count;
    shortest = length;
    best = std::move(path);
  }
  return best;
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
  const Path path = path_between(labels, *way.from, *way.to, pen.px(9));
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
