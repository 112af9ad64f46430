#pragma once

#include <cstdint>

#include "analysis/study/moment.h"
#include "core/dim3.h"
#include "scene/model/prepared.h"
#include "scene/view/view.h"

namespace tilescope {

// (3, 2), or as near to it as the grid has: off the edges, where tiles are whole and have
// neighbours. Linear index.
[[nodiscard]] std::uint64_t telling_block(const Dim3& grid);

// Where to look when nobody has chosen yet: for tiling the middle of the middle step; for
// coalescing the line that wastes most sectors; for banks the access with most conflicts, most
// wavefronts, loads first; for divergence the warp that loses most lane slots. Warp 0, lane 5 of
// the traced block unless the thing to see lies elsewhere.
[[nodiscard]] Selection telling_selection(View view, const KernelStudy& study,
                                          const PreparedStudy& prepared);

// An event of the warp about two thirds through this step (0-based), where its tiles are being
// used. Steps past the end count as the last.
[[nodiscard]] std::uint32_t event_in_step(const KernelStudy& study, const PreparedStudy& prepared,
                                          std::uint32_t warp, std::uint32_t step);

// The block's time as this warp goes through it. Precondition: a traced study with an event. Valid
// as long as both are.
[[nodiscard]] WarpTime time_of(const KernelStudy& study, const PreparedStudy& prepared,
                               std::uint32_t warp);

}  // namespace tilescope
