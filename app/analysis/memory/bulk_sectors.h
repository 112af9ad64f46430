#pragma once

#include <cstdint>
#include <span>

#include "emulator/block/block_trace.h"

namespace tilescope {

// Sectors of 32 bytes that bulk copies move between the L2 and a multiprocessor, as an H100 counts
// them (docs/accuracy.md, "Tensor copies"): those of each row, cut where a line of 128 bytes of
// shared memory ends. What of a box lies outside its tensor is not among the pieces. `pieces`: in
// the order of the trace.
[[nodiscard]] std::uint64_t bulk_sectors(std::span<const BulkCopy> pieces);

}  // namespace tilescope
