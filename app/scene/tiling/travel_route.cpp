#include "scene/tiling/travel_route.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "scene/drawing/noted_labels.h"

namespace tilescope {
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
    using Item = std::pair<float, std::size_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
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
