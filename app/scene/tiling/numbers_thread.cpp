#include <fmt/format.h>

#include "scene/drawn_numbers.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/thread_tile.h"

namespace tilescope {
namespace {

void add_tile_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment,
                      const ThreadTile& tile) {
  list.add("multiply-adds of a k", tile.rows.size() * tile.cols.size());
  if (!tile.stored.empty()) {
    list.add("elements stored", tile.stored.size());
    return;
  }
  if (!tile.k) return;
  const std::uint64_t k = *tile.k;
  list.add("k", k);
  if (tile.loading) {
    list.add("values in registers at this k", tile.loaded());
  } else {
    list.add("multiply-adds done at this k", tile.done.size());
  }
  const MatrixView& a = moment.model->find(Role::kA)->view;
  const MatrixView& b = moment.model->find(Role::kB)->view;
  for (const std::uint64_t row : tile.rows) {
    if (!tile.has_a(row)) continue;
    list.item(fmt::format("{}[{}][{}]", a.name, row, k));
    if (const auto value = value_at(*context.study, a, row, k)) list.add("value", *value);
  }
  for (const std::uint64_t col : tile.cols) {
    if (!tile.has_b(col)) continue;
    list.item(fmt::format("{}[{}][{}]", b.name, k, col));
    if (const auto value = value_at(*context.study, b, k, col)) list.add("value", *value);
  }
  for (const std::uint64_t row : tile.rows) {
    for (const std::uint64_t col : tile.cols) {
      if (tile.loading) continue;
      const auto left = value_at(*context.study, a, row, k);
      const auto right = value_at(*context.study, b, k, col);
      if (!left || !right) continue;
      list.item(fmt::format("{}[{}][{}]", moment.model->find(Role::kC)->view.name, row, col));
      list.add("product", *left * *right);
    }
  }
}

}  // namespace

void add_thread_numbers(NumberList& list, const ViewContext& context, const TilingMoment& moment) {
  if (const auto product = warp_product(context, moment)) {
    add_warp_product_numbers(list, moment, *product);
    return;
  }
  if (!multiplies_elements(moment)) {
    add_move_numbers(list, context, moment);
    return;
  }
  const ThreadTile tile = thread_tile(context, moment);
  if (tile.rows.size() * tile.cols.size() <= 1) {
    add_dot_product_numbers(list, context, moment);
    return;
  }
  add_tile_numbers(list, context, moment, tile);
}

}  // namespace tilescope
