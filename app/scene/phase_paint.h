#pragma once
#include <cstdint>
#include <string>

#include "emulator/program.h"
#include "scene/canvas.h"

namespace tilescope {

// The colour of a phase by what its name begins with (load, compute, wait, store), and its name in
// words. `phase`: index into program.phases(), or -1.
[[nodiscard]] Paint phase_paint(const Program& program, std::int16_t phase);
[[nodiscard]] std::string phase_name(const Program& program, std::int16_t phase);

}  // namespace tilescope
