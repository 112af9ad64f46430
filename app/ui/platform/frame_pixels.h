#pragma once
#include <string>

#include "ui/platform/platform.h"

namespace tilescope {

// Pixels of the framebuffer that is bound, bottom row of OpenGL turned to the last.
[[nodiscard]] Screenshot read_framebuffer(int width, int height);

// "OpenGL 4.5, llvmpipe (LLVM 15.0.6, 256 bits)" of the current context.
[[nodiscard]] std::string describe_gl();

// Whether anything at all was drawn: the window has no black part as large as itself.
[[nodiscard]] bool is_drawn(const Screenshot& picture);

// What OpenGL reports of its last calls, "out of memory" or the error's number; "" where all is
// well. Asking clears it.
[[nodiscard]] std::string take_gl_errors();

}  // namespace tilescope
