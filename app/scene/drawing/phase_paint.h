#pragma once
#include <cstdint>
#include <string>

#include "emulator/program.h"
#include "scene/drawing/canvas.h"

namespace tilescope {

class Pen;

// The colour of a phase by what its name begins with (load, compute, wait, store), and its name in
// words. `phase`: index into program.phases(), or -1.
[[nodiscard]] Paint phase_paint(const Program& program, std::int16_t phase);
[[nodiscard]] std::string phase_name(const Program& program, std::int16_t phase);

// A stretch of time. The colour of what waits for other warps (kFourth) is as light as that of a
// load, so it is hatched too, wherever a line of the hatch has room.
void fill_time(Pen& pen, const Rect& box, Paint paint, float corner = 0);

}  // namespace tilescope
