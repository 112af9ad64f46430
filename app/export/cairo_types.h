#pragma once
#include <memory>
#include <string>

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

namespace tilescope {

struct CairoSurfaceDeleter {
  void operator()(cairo_surface_t* surface) const;
};
struct CairoDeleter {
  void operator()(cairo_t* cairo) const;
};
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoSurfaceDeleter>;
using CairoContext = std::unique_ptr<cairo_t, CairoDeleter>;

// The surface as a PNG file's bytes; "" where Cairo has no memory for it.
[[nodiscard]] std::string png_bytes(cairo_surface_t* surface);

}  // namespace tilescope
