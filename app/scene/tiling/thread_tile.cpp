#include "scene/tiling/thread_tile.h"

#include "scene/prepared.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostSide = 16;  // rows or columns of a thread's tile that are drawn

bool is_of(const TilingModel& model, Origin origin, Role role) {
  return model.matrices[origin.matrix()].view.role == role;
}

// Whether the load brings what the thread multiplies next: from shared memory, or from global where
// nothing of the matrix goes through shared. Others fetch what is to be stored there.
bool feeds_products(const TilingModel& model, const CopyFlow& flow, const LaneFlow::Load& load) {
  const bool is_input = is_of(model, load.origin, Role::kA) || is_of(model, load.origin, Role::kB);
  return is_input && (load.from_shared || flow.routes[load.origin.matrix()].bypasses_shared());
}

// What has been loaded since the last multiply-add, as far as it is of the same k as the last of
// it.
void find_loaded(const ViewContext& context, const TilingMoment& moment, ThreadTile* tile) {
  const TilingModel& model = *moment.model;
  const std::vector<LaneFlow::Load>& loads = moment.flow.loads;
  const std::uint32_t since = moment.product ? moment.product->event : 0;
  for (auto load = loads.rbegin(); load != loads.rend(); ++load) {
    if (moment.product && load->event < since) break;
    if (!feeds_products(model, *context.prepared->flow, *load)) continue;
    const ElementIndex at = element_of(model, load->origin);
    const bool is_a = is_of(model, load->origin, Role::kA);
    const std::uint64_t k = is_a ? at.col : at.row;
    if (!tile->loading) tile->k = k;
    tile->loading = true;
    if (k != *tile->k) continue;
    (is_a ? tile->rows_loaded : tile->cols_loaded).insert(is_a ? at.row : at.col);
  }
}

void find_stored(const TilingMoment& moment, ThreadTile* tile) {
  for (const LaneFlow::Written& written : moment.flow.written) {
    if (!is_of(*moment.model, written.to, Role::kC)) continue;
    const ElementIndex at = element_of(*moment.model, written.to);
    tile->stored.insert({at.row, at.col});
    const bool is_now = moment.travel && moment.travel->event == written.event;
    if (is_now) tile->storing.insert({at.row, at.col});
  }
}

}  // namespace

bool multiplies_elements(const TilingMoment& moment) {
  const TilingModel& model = *moment.model;
  return model.find(Role::kA) != nullptr && model.find(Role::kB) != nullptr &&
         model.find(Role::kC) != nullptr && !moment.lane_rects.empty();
}

ThreadTile thread_tile(const ViewContext& context, const TilingMoment& moment) {
  std::set<std::uint64_t> rows;
  std::set<std::uint64_t> cols;
  for (const OwnedRect& rect : moment.lane_rects) {
    for (std::uint64_t r = 0; r < rect.box.rows && rows.size() < kMostSide; ++r)
      rows.insert(rect.box.row + r);
    for (std::uint64_t c = 0; c < rect.box.cols && cols.size() < kMostSide; ++c)
      cols.insert(rect.box.col + c);
  }
  ThreadTile tile;
  tile.rows.assign(rows.begin(), rows.end());
  tile.cols.assign(cols.begin(), cols.end());
  find_stored(moment, &tile);
  if (moment.product) tile.now = gemm_product(*moment.model, *moment.product);
  if (tile.now) tile.k = tile.now->a.col;
  find_loaded(context, moment, &tile);
  if (!tile.now || tile.loading) return tile;
  for (const LaneFlow::Product& product : moment.flow.products) {
    const auto gemm = gemm_product(*moment.model, product);
    if (gemm && gemm->a.col == *tile.k) tile.done.insert({gemm->a.row, gemm->b.col});
  }
  return tile;
}

}  // namespace tilescope
