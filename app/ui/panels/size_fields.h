#pragma once
#include "ui/drawing/sheet.h"

namespace tilescope {

inline constexpr float kFactorsHeight = 30;  // units, of a product

// The active kernel's M, N, K or rows, cols, to be typed. Returns the y below. Precondition: it is
// the catalogue's.
float draw_extents(Sheet& sheet, float y);
// The factors of C = alpha A B + beta C. Returns the y below; the same where the kernel has none.
float draw_factors(Sheet& sheet, float y);

}  // namespace tilescope
