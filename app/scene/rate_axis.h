#pragma once
#include <string_view>

#include "core/quantity.h"

namespace tilescope {

// Rates on one axis share a power of ten: 1e12 for flop/s, 1e9 for bytes/s.
[[nodiscard]] double rate_scale(Unit unit);
[[nodiscard]] std::string_view rate_unit_word(Unit unit);  // "TFLOP/s", "GB/s"

// An axis from 0 to a round figure above `most`, in `steps` equal steps.
struct RoundAxis {
  double top = 1;
  int steps = 2;
};
[[nodiscard]] RoundAxis round_axis(double most);

}  // namespace tilescope
