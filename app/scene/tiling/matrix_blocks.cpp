#include "scene/tiling/matrix_blocks.h"

#include <fmt/format.h>

#include <array>

#include "core/quantity.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kMostTileHits = 1024;

// A block's tile without the edge that may cut it, when the blocks' tiles follow their indices.
struct BlockMap {
  ElementBox tile;       // of block 0
  bool swapped = false;  // block.x runs down the rows
};
std::optional<BlockMap> block_map(const KernelStudy& study, const ElementBox& written) {
  const Dim3& block = study.trace->block;
  const auto tile_of = [](std::uint32_t index, std::uint64_t first, std::uint64_t extent) {
    return index == 0 ? (first == 0 ? extent : 0) : (first % index == 0 ? first / index : 0);
  };
  for (const bool swapped : {false, true}) {
    const std::uint64_t rows = tile_of(swapped ? block.x : block.y, written.row, written.rows);
    const std::uint64_t cols = tile_of(swapped ? block.y : block.x, written.col, written.cols);
    if (rows >= written.rows && cols >= written.cols && rows > 0 && cols > 0) {
      return BlockMap{{0, 0, rows, cols}, swapped};
    }
  }
  return std::nullopt;
}

}  // namespace

void add_block_hits(Pen& pen, const MatrixPicture& picture, const TiledMatrix& matrix,
                    const KernelStudy& study) {
  const auto map = block_map(study, matrix.written);
  const Dim3& grid = study.launch.grid;
  if (!map || grid.z != 1 || grid.count() > kMostTileHits) return;
  for (std::uint64_t index = 0; index < grid.count(); ++index) {
    const Dim3 block = unflatten(index, grid);
    const std::uint64_t down = map->swapped ? block.x : block.y;
    const std::uint64_t across = map->swapped ? block.y : block.x;
    const ElementBox box{down * map->tile.rows, across * map->tile.cols, map->tile.rows,
                         map->tile.cols};
    pen.hit(place_box(picture, matrix, box), HitKind::kBlock, static_cast<std::int64_t>(index),
            fmt::format("Block ({}, {}) stores rows {} on, columns {} on. Click to trace it.",
                        block.x, block.y, box.row, box.col));
  }
}

void hatch_cut_tiles(Pen& pen, const MatrixPicture& picture, const TilingModel& model,
                     const KernelStudy& study) {
  if (!model.output || *model.output != picture.matrix) return;
  const TiledMatrix& matrix = model.matrices[picture.matrix];
  if (matrix.view.folded || !block_map(study, matrix.written)) return;
  const ElementBox& tile = model.full_tile;
  const std::uint64_t rows = matrix.view.rows % tile.rows;
  const std::uint64_t cols = matrix.view.cols % tile.cols;
  const std::uint64_t whole_rows = matrix.view.rows - rows;
  const std::uint64_t whole_cols = matrix.view.cols - cols;
  const std::uint64_t tiles =
      (whole_rows / tile.rows + (rows > 0 ? 1 : 0)) * (whole_cols / tile.cols + (cols > 0 ? 1 : 0));
  if (tiles != study.launch.grid.count()) return;
  const std::array<ElementBox, 2> cut{ElementBox{0, whole_cols, matrix.view.rows, cols},
                                      ElementBox{whole_rows, 0, rows, whole_cols}};
  for (const ElementBox& part : cut) {
    if (part.empty()) continue;
    const Rect box = place_box(picture, matrix, part);
    pen.canvas.hatch_rect(box, Paint(ColourRole::kDim, 0.8f), pen.px(4));
    pen.hit(box, HitKind::kNone, 0,
            fmt::format("The edge of {} cuts these tiles: {} × {} is no multiple of {} × {}.",
                        matrix.view.name, format_count(matrix.view.rows),
                        format_count(matrix.view.cols), tile.rows, tile.cols));
  }
}

}  // namespace tilescope
