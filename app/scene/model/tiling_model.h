#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/drawing/canvas.h"
#include "scene/model/bulk_boxes.h"
#include "scene/model/matrix_view.h"
#include "scene/model/ring_model.h"

namespace tilescope {

// Which way a warp's lanes go through a matrix from one lane to the next. kStrided: along a row,
// but not to the next elements.
enum class LaneWalk : std::uint8_t { kNone, kRow, kStrided, kColumn };

// Neighbouring lanes whose elements lie in one row, and in one column.
struct LanePairs {
  std::uint64_t along_row = 0;
  std::uint64_t strided = 0;  // of along_row, those with elements between them
  std::uint64_t down_column = 0;
  // What most pairs do; kNone where there is no pair, or as many go the other way.
  [[nodiscard]] LaneWalk walk() const {
    if (along_row == down_column) return LaneWalk::kNone;
    if (along_row < down_column) return LaneWalk::kColumn;
    return 2 * strided > along_row ? LaneWalk::kStrided : LaneWalk::kRow;
  }
};

// A product's main loop told by its tiles: which one a step multiplies, and which it brings. A loop
// that fills its ring first has more steps than there are tiles.
struct StepTiles {
  // Of tiles that go through shared memory, from 0 to `count` - 1; 0: the steps are not these.
  std::uint32_t count = 0;
  std::uint32_t filling = 0;  // steps before the first product
  struct Brought {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::vector<std::optional<Brought>> brought;  // by step

  [[nodiscard]] std::optional<std::uint32_t> multiplied_in(std::uint32_t step) const;
  [[nodiscard]] std::optional<Brought> brought_in(std::uint32_t step) const;
};
// `steps`: of the warp that has most.
[[nodiscard]] StepTiles step_tiles_of(const KernelStudy& study, const RingModel& ring,
                                      std::uint32_t steps);

// "tile 31 of 0…63", "filling, 1 of 2"; without such tiles "step 5 of 64", `steps` of them.
[[nodiscard]] std::string step_in_words(const StepTiles& tiles, std::uint32_t step,
                                        std::size_t steps);

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

// What becomes of the elements that the block reads, as far as the pictures know it.
enum class Movement { kOther, kProduct, kTranspose };

struct TilingModel {
  std::vector<TiledMatrix> matrices;  // in the arguments' order
  // As the catalogue's problem says, else as found (scene/model/problem_of.h).
  Movement movement = Movement::kOther;
  std::optional<std::size_t> output;  // index into matrices: what the block stores
  ElementBox full_tile;          // of `output`: with what the matrix's edge cuts off the block's
  std::uint32_t steps = 1;       // of the warp that has most
  std::uint32_t most_reads = 0;  // of one element, over all matrices

  // The thread (warp * 32 + lane) that stored each element of `output`'s tile last, row by row; of
  // what a bulk copy stores, the thread that put it into shared memory. kNobody: none did. Empty
  // when the tile is too large to keep.
  static constexpr std::uint32_t kNobody = 0xffffffff;
  std::vector<std::uint32_t> owners;
  std::vector<std::uint32_t> store_lines;  // of the source, for each of `owners`
  std::vector<OwnedRect> warp_rects;       // of `output`'s tile, one warp each (lane unused)
  std::vector<OwnedRect> lane_rects;       // one thread each, sorted by warp, then lane
  std::vector<StoredRect> stored;          // of `output`'s tile, ascending
  std::uint64_t elements_per_thread = 0;   // stored by the busiest thread

  std::vector<BulkBox> boxes;  // what bulk copies move, in order
  RingModel ring;              // the buffers that tiles go through
  StepTiles by_tile;           // the steps as tiles, of a product

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
