#include "core/unit_symbol.h"

namespace tilescope {

std::string_view symbol_of(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kBytes:
      return "B";
    case Unit::kSeconds:
      return "s";
    case Unit::kFlopPerSecond:
      return "flop/s";
    case Unit::kBytesPerSecond:
      return "B/s";
    case Unit::kHertz:
      return "Hz";
    case Unit::kPercent:
      return "%";
    case Unit::kCycles:
      return "cycles";
  }
  return "";
}

AxisUnit axis_unit(Unit unit) {
  if (unit == Unit::kFlopPerSecond) return {1e12, "TFLOP/s"};
  if (unit == Unit::kBytesPerSecond) return {1e9, "GB/s"};
  return {1, symbol_of(unit)};
}

}  // namespace tilescope
