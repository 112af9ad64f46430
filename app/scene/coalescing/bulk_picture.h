#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/drawing/pen.h"
#include "scene/model/bulk_boxes.h"
#include "scene/view/view.h"

namespace tilescope {

// Bytes side by side in global memory that a bulk copy moves: a row of its box.
struct BulkRow {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t first_sector() const;
  [[nodiscard]] std::uint64_t sectors() const;
};

// The bulk copy that the coalescing view looks at where no lane addresses global memory.
struct BulkRequest {
  BulkBox box;
  std::uint32_t line = 0;  // of the source; 0: another block issues it
  std::string matrix;
  std::vector<BulkRow> rows;
  std::uint64_t sectors = 0;        // distinct ones that the rows lie in
  std::uint64_t sectors_ideal = 0;  // that hold as many bytes
};
// The last copy that the block has issued at the selected moment, else its first; nullopt: there is
// none.
[[nodiscard]] std::optional<BulkRequest> bulk_request(const ViewContext& context);

// "Line 18 copies 32 rows of 128 B of in to shared memory ..."
[[nodiscard]] Sentence bulk_sentence(const BulkRequest& request);

// Its rows, each with the sectors that it lies in, and what each line's copies move in this block.
void draw_bulk_copy(Pen& pen, const Rect& area, const ViewContext& context,
                    const BulkRequest& request);

}  // namespace tilescope
