#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "scene/banks/shared_layout.h"
#include "scene/tiling/tiling_scene.h"

namespace tilescope {

// One of the boxes: a part of a matrix, or an array in shared memory. Long rows are broken like
// lines of text, so that their elements are large enough to be seen.
struct MovePart {
  const TiledMatrix* matrix = nullptr;
  const SharedRegion* shared = nullptr;
  ElementBox box;
  bool written = false;
  std::uint64_t line = 0;  // elements of each row that is drawn; 0: the rows are the box's own

  [[nodiscard]] std::uint64_t lines_of_a_row() const { return (box.cols + line - 1) / line; }
  [[nodiscard]] std::uint64_t rows() const {
    return line == 0 ? box.rows : box.rows * lines_of_a_row();
  }
  [[nodiscard]] std::uint64_t cols() const { return line == 0 ? box.cols : line; }
  // Elements as drawn() places them.
  [[nodiscard]] ElementBox extent() const {
    return line == 0 ? box : ElementBox{0, 0, rows(), cols()};
  }
  [[nodiscard]] ElementBox drawn(const ElementBox& elements) const {
    if (line == 0) return elements;
    const std::uint64_t col = elements.col - box.col;
    return {(elements.row - box.row) * lines_of_a_row() + col / line, col % line, 1,
            std::min(elements.cols, line - col % line)};
  }
  // A buffer of one dimension is one row, wherever its picture in the grid goes on in the next.
  [[nodiscard]] ElementBox placed(const ElementBox& at) const {
    const bool flat = matrix != nullptr && matrix->view.folded;
    return flat ? ElementBox{0, at.row * matrix->view.leading + at.col, 1, at.cols} : at;
  }
};

// Those of a block that multiplies no matrices: what it reads, its shared array, what it stores.
[[nodiscard]] std::vector<MovePart> move_parts(const TilingModel& model,
                                               const PreparedStudy& prepared);

// Breaks long rows where a warp's access ends, so that each line is one warp's where the warps
// follow one another.
void break_row(MovePart& part, const ViewContext& context, std::uint32_t warp);

// The half of a copy that this part can have; the access itself where there is one.
[[nodiscard]] WarpAccess access_to(const MovePart& part, const BlockTrace& trace,
                                   std::uint32_t event);
// Where in the part a lane's access lies; none outside it.
[[nodiscard]] std::optional<ElementBox> touched(const MovePart& part, const WarpAccess& access,
                                                std::size_t lane);
// Where of this part what travels now leaves or arrives; none: it does neither here.
[[nodiscard]] std::optional<ElementBox> travels_in(const MovePart& part, const ViewContext& context,
                                                   const TilingMoment& moment);

}  // namespace tilescope
