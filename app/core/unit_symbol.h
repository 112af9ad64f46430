#pragma once
#include <string_view>

#include "core/quantity.h"

namespace tilescope {

// The unit without a prefix, as files of numbers name it: "B", "s", "flop/s", "B/s", "Hz", "%",
// "cycles"; "" of a count or a ratio.
[[nodiscard]] std::string_view symbol_of(Unit unit);

// What numbers that stand on one axis are divided by, and the word at the axis: 1e12 and "TFLOP/s",
// 1e9 and "GB/s"; 1 and the symbol for the rest.
struct AxisUnit {
  double divisor = 1;
  std::string_view word;
};
[[nodiscard]] AxisUnit axis_unit(Unit unit);

}  // namespace tilescope
