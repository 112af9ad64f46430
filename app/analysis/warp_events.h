#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/block/block_trace.h"

namespace tilescope {

// Of each warp of the traced block its events: indices into BlockTrace::events, ascending. At least
// `warps` entries; one is empty where nothing of its warp was traced.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> events_by_warp(const BlockTrace& trace,
                                                                     std::size_t warps = 0);

}  // namespace tilescope
