#include "ui/platform/gl.h"

// NOLINTBEGIN(readability-identifier-naming)
#define GL_FUNCTION(name, type) type name = nullptr;
#include "ui/platform/gl_functions.inc"
#undef GL_FUNCTION
// NOLINTEND(readability-identifier-naming)

namespace tilescope {

bool load_gl(void (*(*find)(const char*))()) {
  bool whole = true;
#define GL_FUNCTION(name, type)               \
  name = reinterpret_cast<type>(find(#name)); \
  whole = whole && name != nullptr;
#include "ui/platform/gl_functions.inc"
#undef GL_FUNCTION
  return whole;
}

}  // namespace tilescope
