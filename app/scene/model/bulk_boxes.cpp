#include "scene/model/bulk_boxes.h"

#include <algorithm>

namespace tilescope {
namespace {

bool is_tensor_copy(const StaticInstruction& instruction) {
  return instruction.operation == Operation::kTensorLoad ||
         instruction.operation == Operation::kTensorStore ||
         instruction.operation == Operation::kTensorReduction;
}

void add_piece(const BulkCopy& piece, const MatrixView& matrix, BulkBox& box) {
  const std::uint64_t each = size_of(matrix.type);
  const std::uint64_t first = (piece.global - matrix.address) / each;
  const std::uint64_t end = std::min(first + piece.bytes / each, matrix.rows * matrix.leading);
  // One that goes on in the next rows fills those.
  for (std::uint64_t at = first; at < end;) {
    const std::uint64_t col = at % matrix.leading;
    const std::uint64_t wide = std::min(end - at, matrix.leading - col);
    box.box.add(at / matrix.leading, col, wide);
    at += wide;
  }
  box.shared = std::min(box.shared, piece.shared);
  box.bytes += piece.bytes;
}

}  // namespace

std::vector<BulkBox> bulk_boxes(const BlockTrace& trace, std::span<const MatrixView> matrices) {
  std::vector<BulkBox> boxes;
  const std::vector<BulkCopy>& pieces = trace.bulk_copies;
  for (std::size_t i = 0; i < pieces.size();) {
    BulkBox box;
    box.kind = pieces[i].kind;
    box.event = pieces[i].event;
    box.lane = pieces[i].lane;
    box.shared = pieces[i].shared;
    box.first = i;
    const auto matrix = std::ranges::find_if(
        matrices, [&](const MatrixView& view) { return view.holds(pieces[i].global); });
    const bool is_same = matrix != matrices.end();
    for (; i < pieces.size() && pieces[i].event == box.event && pieces[i].lane == box.lane &&
           pieces[i].kind == box.kind && pieces[i].barrier == pieces[box.first].barrier;
         ++i) {
      if (is_same && matrix->holds(pieces[i].global)) add_piece(pieces[i], *matrix, box);
    }
    box.count = i - box.first;
    if (!is_same || box.box.empty()) continue;
    box.matrix = static_cast<std::size_t>(matrix - matrices.begin());
    boxes.push_back(box);
  }
  return boxes;
}

std::string bulk_name(const Program& program) {
  return std::ranges::any_of(program.instructions(), is_tensor_copy) ? "Tensor copies (TMA)"
                                                                     : "Bulk copies";
}

}  // namespace tilescope
