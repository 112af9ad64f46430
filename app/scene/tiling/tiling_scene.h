#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scene/drawing/pen.h"
#include "scene/model/copy_flow.h"
#include "scene/model/tiling_model.h"
#include "scene/model/travel.h"
#include "scene/view/view.h"
#include "scene/view/view_descriptor.h"

namespace tilescope {

class NotedLabels;  // scene/drawing/labels.h

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
  std::vector<Origin> multiplied;  // elements of its last matrix product, of each operand some
  std::vector<std::pair<std::size_t, ElementBox>> multiplied_parts;  // of A and B, where known
  std::optional<Travel> travel;  // what the selected warp moves right now
  // Of the output: what the selected thread stores; where threads share their sums, what it
  // multiplies for in this step, until it stores.
  std::vector<OwnedRect> lane_rects;
  // What the selected warp reads and stores on the line under the pointer, by matrix.
  std::vector<std::pair<std::size_t, ElementBox>> lit;
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
struct GridPicture {
  Rect tile;                                        // that the next panel zooms into
  std::vector<std::pair<std::size_t, Rect>> boxes;  // of the matrices, by index
};
[[nodiscard]] GridPicture draw_grid_panel(Pen& pen, const GridPanel& panel,
                                          const ViewContext& context, const TilingMoment& moment);
struct BlockPicture {
  Rect from_grid;  // what the grid panel's tile is drawn as here
  Rect thread;     // what the selected thread owns of the output
  struct Part {
    std::size_t matrix = 0;
    Rect box;
    ElementBox elements;
  };
  std::vector<Part> parts;   // the tiles that are multiplied, and of C
  std::vector<Rect> stages;  // of the ring
  Rect registers;            // where tiles wait before their stage; none: w 0
  // Of a block that multiplies no matrices: where what travels lies in global memory, and in the
  // shared array.
  std::optional<Rect> global = {};
  std::optional<Rect> shared = {};
  std::vector<Rect> tiles = {};  // its pictures
};
// The room below its heading.
[[nodiscard]] Rect block_room(const Pen& pen, const Rect& panel);
[[nodiscard]] BlockPicture draw_block_panel(Pen& pen, const Rect& area, const ViewContext& context,
                                            const TilingMoment& moment);
// Where tiles lie on their way.
struct RingPicture {
  std::vector<Rect> stages;
  Rect registers;  // w 0: no tile waits there
};
// The stages of a ring side by side: which is filled, which is multiplied; before them the
// registers where tiles wait there for a stage. Height 0: no ring, or no room for the row in a
// panel of height `room`; a low one has it where `beside` the tile, without the row, there is no
// room for the column.
[[nodiscard]] float ring_row_height(const Pen& pen, const TilingModel& model, float room,
                                    float beside);
[[nodiscard]] RingPicture draw_ring_row(Pen& pen, const Rect& area, const TilingMoment& moment);
// The same below one another, where there is no room for the row; no stages where there is none
// here either.
[[nodiscard]] RingPicture draw_ring_column(Pen& pen, const Rect& area, const TilingMoment& moment);
struct ThreadPicture {
  Rect cells;                                   // that the block's picture zooms into
  std::vector<std::pair<Origin, Rect>> values;  // of a and b in registers, and of C's places
  std::vector<std::pair<std::size_t, Rect>> operands = {};  // of a matrix product, by matrix
};
[[nodiscard]] ThreadPicture draw_thread_panel(Pen& pen, const Rect& area,
                                              const ViewContext& context,
                                              const TilingMoment& moment);
// What the three panels show.
struct TilingPictures {
  const ViewContext& context;
  const TilingMoment& moment;
  const GridPicture& grid;
  const BlockPicture& block;
  const ThreadPicture& thread;
  Rect room;  // of the panels, up to the next rule
};
// The way from panel to panel of what the selected lane moves right now; `labels`: the pen's.
void draw_travel(Pen& pen, NotedLabels& labels, const TilingPictures& pictures);
inline constexpr float kLabelMargin = 2;  // px between a label and such a line

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

// The parts that make a picture alone.
[[nodiscard]] std::span<const ViewPart> tiling_parts();

}  // namespace tilescope
