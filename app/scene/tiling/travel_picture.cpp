#include "scene/tiling/travel_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "scene/drawing/labels.h"
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
    const bool leaves = stores_to_global(travel().leg);
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
    case Leg::kSharedToGlobal:
      return {places.pictures.block.shared, places.in_block()};
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

namespace {

// Costs of a way, in px of its length.
constexpr float kCrossing = 4000;        // of a closed box
constexpr float kThroughPicture = 1.5f;  // each px more
constexpr float kCloseBy = 0.5f;         // ... within `clear` of one
constexpr float kAlongSide = 8;          // of the marks, each px more
constexpr float kTurn = 16;

// Where a way may leave a mark, or come to it, and whether it is level there.
struct Gate {
  Point at;
  bool level;
};

// The middle of each side, and of a long one its quarters.
std::vector<Gate> gates_of(const Rect& rect, float clear) {
  const auto places = [&](float begin, float length) {
    std::vector<float> found{begin + length / 2};
    if (length >= 4 * clear)
      found.insert(found.end(), {begin + length / 4, begin + length * 0.75f});
    return found;
  };
  std::vector<Gate> gates;
  for (const float y : places(rect.y, rect.h)) {
    gates.push_back({{rect.x, y}, true});
    gates.push_back({{rect.right(), y}, true});
  }
  for (const float x : places(rect.x, rect.w)) {
    gates.push_back({{x, rect.y}, false});
    gates.push_back({{x, rect.bottom()}, false});
  }
  return gates;
}

// Ascending; of those that lie closer together than this the first to be added.
class Lines {
 public:
  void add(float at, float low, float high) {
    constexpr float kLeast = 2.5f;
    if (at < low || at > high) return;
    const auto after = std::ranges::lower_bound(at_, at);
    if (after != at_.end() && *after - at < kLeast) return;
    if (after != at_.begin() && at - *std::prev(after) < kLeast) return;
    at_.insert(after, at);
  }
  // Of a gate: it has a line of its own.
  void add_exactly(float at) {
    const auto after = std::ranges::lower_bound(at_, at);
    if (after == at_.end() || *after != at) at_.insert(after, at);
  }
  [[nodiscard]] const std::vector<float>& all() const { return at_; }
  [[nodiscard]] std::size_t index(float at) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(at_, at) - at_.begin());
  }

 private:
  std::vector<float> at_;
};

// Level and upright lines that ways run on, and what each piece between two crossings costs.
class Grid {
 public:
  Grid(const RouteMap& map, const Rect& from, const Rect& to)
      : starts_(gates_of(from, map.clear)), ends_(gates_of(to, map.clear)) {
    for (const std::vector<Gate>* gates : {&starts_, &ends_}) {
      for (const Gate& gate : *gates) {
        xs_.add_exactly(gate.at.x);
        ys_.add_exactly(gate.at.y);
      }
    }
    const auto pass = [&](const Rect& box, float clear) {
      for (const float x : {box.x - clear, box.right() + clear})
        xs_.add(x, map.room.x, map.room.right());
      for (const float y : {box.y - clear, box.bottom() + clear})
        ys_.add(y, map.room.y, map.room.bottom());
    };
    for (const Rect& box : {from, to}) pass(box, map.clear);
    for (const Rect& box : map.pictures) pass(box, map.clear);
    const auto in_crowd = [&](const Rect& box) {
      const auto holds = [&](const Rect& crowd) { return crowd.contains(box.center()); };
      return std::ranges::any_of(map.crowded, holds) || std::ranges::any_of(map.pictures, holds);
    };
    for (const Rect& box : map.crowded) pass(box, map.clear);
    for (const Rect& box : map.closed) {
      if (!in_crowd(box)) pass(box, map.clear / 3);
    }
    columns_ = xs_.all().size();
    level_.assign(columns_ * ys_.all().size(), 0);
    upright_ = level_;
    measure();
    for (const Rect& box : map.pictures) {
      add_cost(box, 0, kThroughPicture);
      add_cost(box.inset(0.5f - map.clear), 0, kCloseBy);
    }
    for (const Rect& box : map.closed) add_cost(box, kCrossing, 0);
    // Through the two marks themselves no way leads, nor along their sides.
    for (const Rect& box : {from, to}) {
      add_cost(box.inset(0.5f), kCrossing, 0);
      add_cost(box.inset(-map.clear / 3), 0, kAlongSide);
    }
    add_cost({map.room.x - 1e4f, map.room.bottom(), 2e4f + map.room.w, 1e4f}, kCrossing, 0);
  }

  [[nodiscard]] std::pair<Path, float> cheapest() const {
    std::vector<float> cost(2 * level_.size(), std::numeric_limits<float>::max());
    std::vector<std::size_t> before(cost.size(), kNone);
    using Reached = std::pair<float, std::size_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
    const auto reach = [&](std::size_t state, float price, std::size_t via) {
      if (price >= cost[state]) return;
      cost[state] = price;
      before[state] = via;
      open.emplace(price, state);
    };
    for (const Gate& gate : starts_) reach(state_of(gate), 0, kNone);
    std::vector<std::uint8_t> is_end(cost.size(), 0);
    for (const Gate& gate : ends_) is_end[state_of(gate)] = 1;
    while (!open.empty()) {
      const auto [price, state] = open.top();
      open.pop();
      if (price > cost[state]) continue;
      if (is_end[state] != 0) return {path_to(state, before), price};
      // A way turns neither where it starts nor where it would end along a side.
      if (before[state] != kNone && is_end[state ^ 1U] == 0) {
        reach(state ^ 1U, price + kTurn, state);
      }
      for_steps(state, [&, &price = price, &state = state](std::size_t next, float piece) {
        reach(next, price + piece, state);
      });
    }
    return {{}, std::numeric_limits<float>::max()};
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // A crossing of lines, and whether the way runs level there.
  [[nodiscard]] std::size_t state_of(const Gate& gate) const {
    return 2 * (ys_.index(gate.at.y) * columns_ + xs_.index(gate.at.x)) + (gate.level ? 0 : 1);
  }
  [[nodiscard]] Point point_of(std::size_t state) const {
    return {xs_.all()[state / 2 % columns_], ys_.all()[state / 2 / columns_]};
  }

  template <typename Visit>
  void for_steps(std::size_t state, const Visit& visit) const {
    const std::size_t node = state / 2;
    if (state % 2 == 0) {
      if (node % columns_ + 1 < columns_) visit(state + 2, level_[node]);
      if (node % columns_ > 0) visit(state - 2, level_[node - 1]);
    } else {
      if (node / columns_ + 1 < ys_.all().size()) visit(state + 2 * columns_, upright_[node]);
      if (node >= columns_) visit(state - 2 * columns_, upright_[node - columns_]);
    }
  }

  // The piece right of a crossing, and the one below it.
  void measure() {
    for (std::size_t y = 0; y < ys_.all().size(); ++y) {
      for (std::size_t x = 0; x < columns_; ++x) {
        const std::size_t node = y * columns_ + x;
        if (x + 1 < columns_) level_[node] = xs_.all()[x + 1] - xs_.all()[x];
        if (y + 1 < ys_.all().size()) upright_[node] = ys_.all()[y + 1] - ys_.all()[y];
      }
    }
  }

  // To each piece that runs inside the box: so much, and so much for each px.
  void add_cost(const Rect& box, float once, float each) {
    const auto inside = [](const std::vector<float>& lines, float low, float high) {
      return std::pair{
          static_cast<std::size_t>(std::ranges::upper_bound(lines, low) - lines.begin()),
          static_cast<std::size_t>(std::ranges::lower_bound(lines, high) - lines.begin())};
    };
    const auto [x0, x1] = inside(xs_.all(), box.x, box.right());
    const auto [y0, y1] = inside(ys_.all(), box.y, box.bottom());
    const auto add = [&](float& piece, float begin, float end, float low, float high) {
      piece += once + each * std::max(std::min(end, high) - std::max(begin, low), 0.0f);
    };
    const std::size_t last_x = std::min(x1 + 1, columns_) - 1;
    for (std::size_t y = y0; y < y1; ++y) {
      for (std::size_t x = x0 > 0 ? x0 - 1 : 0; x < last_x; ++x) {
        if (xs_.all()[x + 1] <= box.x || xs_.all()[x] >= box.right()) continue;
        add(level_[y * columns_ + x], xs_.all()[x], xs_.all()[x + 1], box.x, box.right());
      }
    }
    const std::size_t last_y = std::min(y1 + 1, ys_.all().size()) - 1;
    for (std::size_t x = x0; x < x1; ++x) {
      for (std::size_t y = y0 > 0 ? y0 - 1 : 0; y < last_y; ++y) {
        if (ys_.all()[y + 1] <= box.y || ys_.all()[y] >= box.bottom()) continue;
        add(upright_[y * columns_ + x], ys_.all()[y], ys_.all()[y + 1], box.y, box.bottom());
      }
    }
  }

  // Its corners alone.
  [[nodiscard]] Path path_to(std::size_t state, const std::vector<std::size_t>& before) const {
    Path path{point_of(state)};
    for (std::size_t at = state; before[at] != kNone; at = before[at]) {
      const std::size_t previous = before[at];
      const Point point = point_of(previous);
      if (path.back().x == point.x && path.back().y == point.y) continue;  // it turns here
      if (path.size() > 1 && at % 2 == previous % 2 && runs_on(path, point)) {
        path.back() = point;
      } else {
        path.push_back(point);
      }
    }
    std::ranges::reverse(path);
    return path;
  }
  static bool runs_on(const Path& path, Point next) {
    const Point last = path.back();
    const Point before = path[path.size() - 2];
    return (before.x == last.x && last.x == next.x) || (before.y == last.y && last.y == next.y);
  }

  std::vector<Gate> starts_;
  std::vector<Gate> ends_;
  Lines xs_;
  Lines ys_;
  std::size_t columns_ = 0;
  std::vector<float> level_;    // by crossing
  std::vector<float> upright_;  // by crossing
};

// From the side of one that faces the other to the other's side.
Path straight(const Rect& from, const Rect& to) {
  if (to.x >= from.right()) return {{from.right(), from.center().y}, {to.x, to.center().y}};
  if (to.right() <= from.x) return {{from.x, from.center().y}, {to.right(), to.center().y}};
  const bool down = to.y >= from.bottom();
  return {{from.center().x, down ? from.bottom() : from.y},
          {to.center().x, down ? to.y : to.bottom()}};
}

float cost_of(const RouteMap& map, const Path& line) {
  const float length = length_of(line);
  float cost = length;
  const auto share_in = [&](const Rect& box) {
    const auto [first, last] = stretch_in(line.front(), line.back(), box);
    return std::max(last - first, 0.0f);
  };
  for (const Rect& box : map.closed) cost += share_in(box) > 0 ? kCrossing : 0;
  for (const Rect& box : map.pictures) cost += kThroughPicture * length * share_in(box);
  return cost;
}

}  // namespace

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

Path route(const RouteMap& map, const Rect& from, const Rect& to) {
  Path line = straight(from, to);
  auto [path, cost] = Grid(map, from, to).cheapest();
  return path.empty() || cost_of(map, line) <= cost ? line : path;
}

}  // namespace tilescope
