#pragma once
#include <cstdint>

#include "analysis/warp_timing.h"
#include "scene/drawing/pen.h"

namespace tilescope {

// How a reason to wait is drawn, in the warps' lanes, their bar and the legends. The colour says
// what is waited for: arithmetic, shared memory, global memory, the block; the pattern says why.
struct StallMark {
  enum class Pattern : std::uint8_t {
    kSolid,
    kHatched,   // a value is not there yet
    kOutlined,  // the queue, the unit or the scheduler's slot is taken
  };
  Paint paint;
  Pattern pattern = Pattern::kSolid;
};
// Of kNone: that an instruction is issued.
[[nodiscard]] StallMark mark_of(Stall stall);
void draw_stall_mark(Pen& pen, const Rect& box, const StallMark& mark);

}  // namespace tilescope
