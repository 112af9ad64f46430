#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "scene/model/matrix_view.h"

namespace tilescope {

// What one bulk copy, with a tensor map or without, moves between a matrix and shared memory.
struct BulkBox {
  BulkCopy::Kind kind = BulkCopy::Kind::kLoad;
  std::uint32_t event = 0;   // BulkCopy::event
  std::uint32_t lane = 0;    // kWarpSize and more: another block of the cluster copies
  std::size_t matrix = 0;    // index into matrix_views()
  ElementBox box;            // of the matrix
  std::uint64_t shared = 0;  // first byte in shared memory
  std::uint64_t bytes = 0;
  std::size_t first = 0;  // BlockTrace::bulk_copies: its pieces
  std::size_t count = 0;

  [[nodiscard]] bool from_elsewhere() const { return lane >= kWarpSize; }
  [[nodiscard]] bool loads() const { return kind == BulkCopy::Kind::kLoad; }
};
// Of the traced block, in order. What lies in no matrix is left out.
[[nodiscard]] std::vector<BulkBox> bulk_boxes(const BlockTrace& trace,
                                              std::span<const MatrixView> matrices);

// How the boxes of a block are named: "Tensor copies (TMA)", "Bulk copies".
[[nodiscard]] std::string bulk_name(const Program& program);

}  // namespace tilescope
