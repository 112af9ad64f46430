#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/drawing/pen.h"
#include "scene/tiling/copy_flow.h"
#include "scene/tiling/tiling_model.h"
#include "scene/view.h"

namespace tilescope {

// What the tiling view shows at this moment, gathered once per frame.
struct TilingMoment {
  const TilingModel* model = nullptr;
  std::uint32_t event = 0;
  std::uint32_t warp = 0;  // selected
  int lane = 0;
  std::uint32_t step = 0;  // that the selected warp is in
  std::optional<std::uint32_t>
      access;     // the global access that happens now or happened last in this step
  LaneFlow flow;  // of the selected lane, from the previous step on
  std::optional<LaneFlow::Product> product;  // its last multiply-add
  std::vector<OwnedRect> lane_rects;         // what the selected thread stores
};
[[nodiscard]] TilingMoment tiling_moment(const ViewContext& context);

// `view` is the whole area of the view, `area` what its margins leave.
void draw_tiling(Canvas& canvas, const Rect& view, const Rect& area, const ViewContext& context);

// Where a matrix lies in the grid panel, before the camera.
struct MatrixSlot {
  std::size_t matrix = 0;  // index into TilingModel::matrices
  Rect box;
};
// Where the grid panel lies: at zoom 1, from which the matrices get their size; now, while the
// camera goes in; and the whole view, of which the camera's center is a share.
struct GridPanel {
  Rect home;
  Rect shown;
  Rect view;
};
// Each part returns the rectangle that the next panel zooms into.
[[nodiscard]] Rect draw_grid_panel(Pen& pen, const GridPanel& panel, const ViewContext& context,
                                   const TilingMoment& moment);
struct BlockPicture {
  Rect from_grid;  // what the grid panel's tile is drawn as here
  Rect thread;     // what the selected thread owns of the output
};
[[nodiscard]] BlockPicture draw_block_panel(Pen& pen, const Rect& area, const ViewContext& context,
                                            const TilingMoment& moment);
// Returns the rectangle of the thread's cells.
[[nodiscard]] Rect draw_thread_panel(Pen& pen, const Rect& area, const ViewContext& context,
                                     const TilingMoment& moment);
// What the launch moves and computes, over all its blocks.
struct MemoryTotals {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t sectors_ideal = 0;
  std::uint64_t shared_accesses = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t wavefronts_ideal = 0;
  std::uint64_t flop = 0;
  std::uint64_t multiply_adds = 0;    // lanes
  std::uint64_t matrix_products = 0;  // lanes: mma
  std::uint64_t integer_warps = 0;    // warp instructions, those of addresses too
  // Warp-wide ones for each shared access, or for each global one of a kernel without.
  [[nodiscard]] double per_access(std::uint64_t lanes) const;
};
[[nodiscard]] MemoryTotals memory_totals(const KernelStudy& study);
// Global -> shared -> registers, each with what it costs beside the ideal.
void draw_memory_summary(Pen& pen, const Rect& area, const ViewContext& context,
                         const TilingMoment& moment);

}  // namespace tilescope
