#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/kernel_study.h"
#include "scene/drawing/canvas.h"
#include "scene/tiling/lane_walk.h"
#include "scene/tiling/matrix_view.h"
#include "scene/tiling/ring_model.h"
#include "scene/tiling/step_tiles.h"

namespace tilescope {

// The heat of every element that is read, where none is read more than once.
inline constexpr std::uint8_t kSingleReadHeat = 96;

// One matrix as the traced block uses it.
struct TiledMatrix {
  MatrixView view;
  ElementBox read;  // bounding boxes over the whole block
  ElementBox written;
  LanePairs read_pairs;  // over the whole block
  LanePairs write_pairs;
  std::vector<std::uint32_t> read_lines;  // of the source, ascending; of what the block executes
  std::vector<ElementBox>
      read_in_step;  // by step, over all warps; empty boxes where nothing is read
  // How often the block's lanes read each element of `read`, row by row; empty when the box is too
  // large to keep (then only its reach is known).
  std::vector<std::uint16_t> reads;
  std::uint64_t elements_read = 0;  // distinct, as far as `reads` is kept; else the reads
  // Lanes' reads of the whole grid over the elements that it reads; 0: never read, or not known
  // yet: of a buffer whose shape nobody says, before the whole grid is emulated.
  double grid_reads_per_element = 0;
  CellGrid heat;  // logarithmic; one cell stands for cell_elements^2 elements
  std::uint32_t cell_elements = 1;

  [[nodiscard]] std::uint32_t reads_of(std::uint64_t row, std::uint64_t col) const;
};

// Who stores which element of the block's output tile, as rectangles.
struct OwnedRect {
  ElementBox box;
  std::uint16_t warp = 0;
  std::uint8_t lane = 0;
};

// Elements of the block's output tile that one event stores, and no later one.
struct StoredRect {
  std::uint32_t event = 0;
  ElementBox box;
};

struct TilingModel {
  std::vector<TiledMatrix> matrices;  // in the arguments' order
  std::optional<Problem> problem;     // the catalogue's, else as found (scene/tiling/problem_of.h)
  std::optional<std::size_t> output;  // index into matrices: what the block stores
  ElementBox full_tile;          // of `output`: with what the matrix's edge cuts off the block's
  std::uint32_t steps = 1;       // of the warp that has most
  std::uint32_t most_reads = 0;  // of one element, over all matrices

  // The thread (warp * 32 + lane) that stored each element of `output`'s tile last, row by row;
  // kNobody: none did. Empty when the tile is too large to keep.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  std::vector<std::uint32_t> owners;
  std::vector<std::uint32_t> store_lines;  // of the source, for each of `owners`
  std::vector<OwnedRect> warp_rects;       // of `output`'s tile, one warp each (lane unused)
  std::vector<OwnedRect> lane_rects;       // one thread each, sorted by warp, then lane
  std::vector<StoredRect> stored;          // of `output`'s tile, ascending
  std::uint64_t elements_per_thread = 0;   // stored by the busiest thread

  RingModel ring;     // the buffers that tiles go through
  StepTiles by_tile;  // the steps as tiles, of a product

  bool uses_shared = false;
  [[nodiscard]] std::uint32_t owner_of(std::uint64_t row, std::uint64_t col) const;
  // Where it was stored last. Precondition: it has an owner.
  [[nodiscard]] std::uint32_t store_line_of(std::uint64_t row, std::uint64_t col) const;
  [[nodiscard]] const TiledMatrix* find(Role role) const;
};
[[nodiscard]] TilingModel tiling_model_of(const KernelStudy& study);
// What the whole grid reads of each matrix, by the study's counters: read_lines and
// grid_reads_per_element. Part of tiling_model_of(); again when there are other counters.
void count_grid_reads(const KernelStudy& study, TilingModel* model);

}  // namespace tilescope
