#include "gpu/messages.h"

#include <array>
#include <cmath>
#include <utility>

namespace tilescope {

std::string throttle_text(std::uint64_t reasons) {
  constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kWords = {{
      {kPowerCap, "power cap"},
      {kThermal | kHardwareThermal, "temperature"},
      {kPowerBrake, "power brake"},
      {kHardwareSlowdown, "hardware slowdown"},
  }};
  std::string text;
  for (const auto& [bits, words] : kWords) {
    if ((reasons & bits) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  }
  return text;
}

bool MeasuredConditions::clock_moved() const {
  if (!sm_clock_before_hz || !sm_clock_after_hz) return false;
  return std::abs(*sm_clock_after_hz - *sm_clock_before_hz) > 0.02 * *sm_clock_before_hz;
}

}  // namespace tilescope
