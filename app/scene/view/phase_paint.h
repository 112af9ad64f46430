#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/time/warp_timing.h"
#include "emulator/program.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/pen.h"

namespace tilescope {

class Pen;

// The colour of a phase by what its name begins with (load, compute, wait, store), and its name in
// words. `phase`: index into program.phases(), or -1.
[[nodiscard]] Paint phase_paint(const Program& program, std::int16_t phase);
[[nodiscard]] std::string phase_name(const Program& program, std::int16_t phase);

// A stretch of time. The colour of what waits for other warps (kFourth) is as light as that of a
// load, so it is hatched too, wherever a line of the hatch has room.
void fill_time(Pen& pen, const Rect& box, Paint paint, float corner = 0);

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

// The states of a tile in a buffer of shared memory, named alike in every view. Tiling follows the
// program, which knows what it has issued and waited for; Pipeline follows modelled cycles, which
// know when the bytes arrive:
//   copy      its bytes are being loaded (Pipeline)
//   in registers  loaded there, it waits until its buffer may be written (both; Tiling from its
//             first load on, Pipeline once its bytes are there)
//   arrived   all bytes are there, and no warp has read one (Pipeline)
//   load started  its copies are issued, and no warp has waited for them (Tiling)
//   ready     a warp has waited for it, so it has arrived and may be read (Tiling)
//   multiply  warps use it (both)
//   free      all uses are done (Tiling; Pipeline draws nothing)
inline constexpr std::string_view kTileInRegisters = "in registers";
inline constexpr std::string_view kTileIssued = "load started";
inline constexpr std::string_view kTileArrived = "arrived";
inline constexpr std::string_view kTileReady = "ready";

// How a state of one view appears in the other: sentences for the tooltips.
inline constexpr std::string_view kIssuedElsewhere =
    "No warp has waited for it yet, so no warp may read it; Pipeline shows when it arrives.";
inline constexpr std::string_view kArrivedElsewhere =
    "Tiling shows \"load started\" until a warp has waited for it, then \"ready\".";

}  // namespace tilescope
