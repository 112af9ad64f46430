#pragma once
#include <string>

#include "ui/platform/platform.h"

namespace tilescope {

// Pixels of the framebuffer that is bound, bottom row of OpenGL turned to the last.
[[nodiscard]] Screenshot read_framebuffer(int width, int height);

// "OpenGL 4.5, llvmpipe (LLVM 15.0.6, 256 bits)" of the current context.
[[nodiscard]] std::string describe_gl();

}  // namespace tilescope
