#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/study/moment.h"
#include "core/dim3.h"
#include "scene/model/prepared.h"
#include "scene/view/view.h"

namespace tilescope {

// (3, 2), or as near to it as the grid has: off the edges, where tiles are whole and have
// neighbours. Linear index.
[[nodiscard]] std::uint64_t default_block(const Dim3& grid);

// The middle of the middle step, or of the stores where there is one step: lane 5 of warp 0 of the
// traced block.
[[nodiscard]] Selection middle_of_time(const KernelStudy& study, const PreparedStudy& prepared);
// Moves the selection to this event, and to its line.
void look_at(const KernelStudy& study, std::uint32_t event, Selection& selection);
// As many accesses of a warp a view looks through for the worst.
inline constexpr std::size_t kMostLookedAt = 65536;

// An event of the warp about two thirds through this step (0-based), where its tiles are being
// used. Steps past the end count as the last.
[[nodiscard]] std::uint32_t event_in_step(const KernelStudy& study, const PreparedStudy& prepared,
                                          std::uint32_t warp, std::uint32_t step);

// The block's time as this warp goes through it. Precondition: a traced study with an event. Valid
// as long as both are.
[[nodiscard]] WarpTime time_of(const KernelStudy& study, const PreparedStudy& prepared,
                               std::uint32_t warp);

}  // namespace tilescope
