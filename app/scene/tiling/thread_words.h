#pragma once
#include <string>
#include <vector>

#include "scene/tiling/tiling_scene.h"

namespace tilescope {

// "warp 0, lane 5 = thread (5, 0)"
[[nodiscard]] std::string thread_words(const ViewContext& context, const TilingMoment& moment);

// Which of its instructions the warp has come to, from "line 32 · ld.global.f32 · instruction 3,005
// of 5,947" to "3,005 of 5,947". The cells change with some of them only; these words with each.
[[nodiscard]] std::vector<std::string> instruction_words(const ViewContext& context,
                                                         const TilingMoment& moment);

}  // namespace tilescope
