#include "scene/tiling/full_tile.h"

#include <array>
#include <utility>

namespace tilescope {
namespace {

// One axis of a matrix: what the block's tile takes of it.
struct TileAxis {
  std::uint64_t first = 0;
  std::uint64_t extent = 0;
  std::uint64_t all = 0;  // of the matrix
};

// Only a tile that ends at the matrix's edge can be cut; where it starts, and the block's index,
// tell how wide those before it are. Which of the grid's axes the tile follows is the kernel's
// choice: the one whose blocks just cover the matrix.
std::uint64_t full_extent(const TileAxis& axis, const Dim3& block, const Dim3& grid) {
  if (axis.first + axis.extent < axis.all) return axis.extent;
  const std::array<std::pair<std::uint32_t, std::uint32_t>, 2> axes = {
      {{block.x, grid.x}, {block.y, grid.y}}};
  for (const auto& [index, blocks] : axes) {
    if (index == 0 || axis.first % index != 0) continue;
    const std::uint64_t full = axis.first / index;
    if (full > axis.extent && (axis.all + full - 1) / full == blocks) return full;
  }
  return axis.extent;
}

}  // namespace

ElementBox full_tile(const ElementBox& written, const MatrixView& matrix, const Dim3& block,
                     const Dim3& grid) {
  return {written.row, written.col,
          full_extent({written.row, written.rows, matrix.rows}, block, grid),
          full_extent({written.col, written.cols, matrix.cols}, block, grid)};
}

}  // namespace tilescope
