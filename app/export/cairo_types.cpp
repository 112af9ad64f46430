#include "export/cairo_types.h"

#include <cairo.h>

namespace tilescope {

void CairoSurfaceDeleter::operator()(cairo_surface_t* surface) const {
  cairo_surface_destroy(surface);
}

void CairoDeleter::operator()(cairo_t* cairo) const { cairo_destroy(cairo); }

std::string png_bytes(cairo_surface_t* surface) {
  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
  };
  if (cairo_surface_write_to_png_stream(surface, append, &bytes) != CAIRO_STATUS_SUCCESS) return {};
  return bytes;
}

}  // namespace tilescope
