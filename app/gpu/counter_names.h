#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// A hardware counter that explains a time, besides those that the emulator counts too.
struct ProfileCounter {
  std::string_view name;   // Nsight Compute's
  std::string_view group;  // "stalls", "pipes", "memory", "occupancy"
  std::string_view words;  // "waits for global memory (long scoreboard)"
  std::string_view unit;   // "%", "B", "cycles an instruction", ""
};
[[nodiscard]] const std::vector<ProfileCounter>& profile_counters();

}  // namespace tilescope
