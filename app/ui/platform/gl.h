#pragma once
#include <GL/glcorearb.h>

// OpenGL's functions as pointers under their own names, which load_gl() fills. Nothing of OpenGL is
// linked, so the program starts where there is none. Dear ImGui is compiled with this header, too.
// NOLINTBEGIN(readability-identifier-naming): these are OpenGL's names
#define GL_FUNCTION(name, type) [[gnu::visibility("hidden")]] extern type name;
#include "ui/platform/gl_functions.inc"
#undef GL_FUNCTION
// NOLINTEND(readability-identifier-naming)

namespace tilescope {

// Before the first call, with a context current. `find` is eglGetProcAddress or glfwGetProcAddress.
// False: this is no OpenGL 3.3.
[[nodiscard]] bool load_gl(void (*(*find)(const char*))());

}  // namespace tilescope
