#include "scene/model/problem_of.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilescope {
namespace {

// A product that all of a thread's multiply-adds are part of.
struct Factors {
  std::size_t a = 0;
  std::size_t b = 0;
  friend bool operator==(const Factors&, const Factors&) = default;
};

bool stores(const TilingModel& model, std::uint32_t warp, int lane, ElementIndex at) {
  return std::ranges::any_of(model.lane_rects, [&](const OwnedRect& rect) {
    return rect.warp == warp && rect.lane == lane && rect.box.contains(at.row, at.col);
  });
}

// Two or more values of k, and every product's element of C stored by the thread itself.
bool is_product(const TilingModel& model, const LaneFlow& flow, const Factors& factors,
                std::uint32_t warp, int lane) {
  bool several = false;
  std::optional<std::uint64_t> k;
  for (const LaneFlow::Product& product : flow.products) {
    const bool turned = product.left.matrix() == factors.b;
    const Origin of_a = turned ? product.right : product.left;
    const Origin of_b = turned ? product.left : product.right;
    if (of_a.matrix() != factors.a || of_b.matrix() != factors.b) return false;
    const ElementIndex a = element_of(model, of_a);
    const ElementIndex b = element_of(model, of_b);
    if (a.col != b.row || !stores(model, warp, lane, {a.row, b.col})) return false;
    several = several || (k && *k != a.col);
    k = a.col;
  }
  return several;
}

// `moved`: some element is not on the diagonal, where a copy would look the same.
bool is_transpose(const TilingModel& model, const LaneFlow& flow, bool* moved) {
  for (const LaneFlow::Store& store : flow.stores) {
    if (!store.to.known() || store.from.matrix() == store.to.matrix()) return false;
    const ElementIndex from = element_of(model, store.from);
    const ElementIndex to = element_of(model, store.to);
    if (from.row != to.col || from.col != to.row) return false;
    *moved = *moved || from.row != from.col;
  }
  return flow.products.empty() && !flow.stores.empty();
}

// The matrix whose elements the block's bulk stores put to their transposed places; nullopt: they
// do something else, or there are none. `moved` as above.
std::optional<std::size_t> transposed_in_bulk(const KernelStudy& study, const CopyFlow& flow,
                                              const TilingModel& model, bool* moved) {
  std::optional<std::size_t> input;
  for (const BulkCopy& copy : study.trace->bulk_copies) {
    if (copy.loads()) continue;
    for (const std::uint64_t at : {std::uint64_t{0}, (copy.bytes - 1) / kWordBytes * kWordBytes}) {
      const Origin from = flow.shared_element(copy.shared + at, copy.event);
      const Origin to = flow.origin_at(copy.global + at);
      if (!from.known() || !to.known() || from.matrix() == to.matrix()) return std::nullopt;
      const ElementIndex a = element_of(model, from);
      const ElementIndex b = element_of(model, to);
      if (a.row != b.col || a.col != b.row) return std::nullopt;
      *moved = *moved || a.row != a.col;
      if (input.value_or(from.matrix()) != from.matrix()) return std::nullopt;
      input = from.matrix();
    }
  }
  return input;
}

void give_role(TiledMatrix& matrix, Role role, ColourRole colour) {
  matrix.view.role = role;
  matrix.view.colour = colour;
  matrix.heat.tint = colour;
}

// The first and the last lane of the first and the last warp that store.
std::vector<std::pair<std::uint32_t, int>> sampled_lanes(const TilingModel& model) {
  std::vector<std::pair<std::uint32_t, int>> lanes;
  const std::vector<OwnedRect>& rects = model.lane_rects;
  if (rects.empty()) return lanes;
  for (const std::size_t i : std::array<std::size_t, 3>{
           0, std::min<std::size_t>(rects.size() - 1, 31), rects.size() - 1}) {
    lanes.emplace_back(rects[i].warp, rects[i].lane);
  }
  return lanes;
}

}  // namespace

ElementIndex element_of(const TilingModel& model, Origin origin) {
  const std::uint64_t leading = model.matrices[origin.matrix()].view.leading;
  return {origin.element() / leading, origin.element() % leading};
}

std::optional<GemmProduct> gemm_product(const TilingModel& model,
                                        const LaneFlow::Product& product) {
  const auto role = [&](Origin origin) { return model.matrices[origin.matrix()].view.role; };
  if (role(product.left) == Role::kA && role(product.right) == Role::kB) {
    return GemmProduct{element_of(model, product.left), element_of(model, product.right)};
  }
  if (role(product.left) == Role::kB && role(product.right) == Role::kA) {
    return GemmProduct{element_of(model, product.right), element_of(model, product.left)};
  }
  return std::nullopt;
}

void find_problem(const KernelStudy& study, const CopyFlow& flow, TilingModel& model) {
  if (study.instance.problem || !model.output || study.trace->events.empty()) return;
  if (model.matrices[*model.output].view.folded) return;
  const auto last = static_cast<std::uint32_t>(study.trace->events.size() - 1);
  std::vector<Factors> ways;
  bool first = true;
  bool transposes = true;
  bool moved = false;
  std::optional<std::size_t> input;
  for (const auto& [warp, lane] : sampled_lanes(model)) {
    const LaneFlow way = follow_lane(study, flow, warp, lane, 0, last);
    if (std::exchange(first, false) && !way.products.empty()) {
      const std::size_t left = way.products.front().left.matrix();
      const std::size_t right = way.products.front().right.matrix();
      if (left != right) ways = {{left, right}, {right, left}};
    }
    const std::uint32_t of_warp = warp;
    const int of_lane = lane;
    std::erase_if(ways, [&](const Factors& factors) {
      return !is_product(model, way, factors, of_warp, of_lane);
    });
    if (!way.stores.empty()) input = way.stores.front().from.matrix();
    transposes = transposes && is_transpose(model, way, &moved);
  }
  if (const auto source = transposed_in_bulk(study, flow, model, &moved)) {
    input = source;
    transposes = true;
  }
  TiledMatrix& output = model.matrices[*model.output];
  std::erase_if(ways, [&](const Factors& factors) {
    return model.matrices[factors.a].view.folded || model.matrices[factors.b].view.folded;
  });
  if (ways.size() == 1) {
    TiledMatrix& a = model.matrices[ways.front().a];
    TiledMatrix& b = model.matrices[ways.front().b];
    give_role(a, Role::kA, ColourRole::kFirst);
    give_role(b, Role::kB, ColourRole::kSecond);
    give_role(output, Role::kC, ColourRole::kThird);
    model.movement = Movement::kProduct;
  } else if (transposes && moved && input && !model.matrices[*input].view.folded) {
    give_role(model.matrices[*input], Role::kIn, ColourRole::kFirst);
    give_role(output, Role::kOut, ColourRole::kThird);
    model.movement = Movement::kTranspose;
  }
}

}  // namespace tilescope
