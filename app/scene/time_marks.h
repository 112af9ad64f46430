#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace tilescope {

// Moments of a traced block that a person marked; indices into BlockTrace::events.
struct TimeMarks {
  std::optional<std::uint32_t> loop_in;   // playing repeats from here ...
  std::optional<std::uint32_t> loop_out;  // ... to here, both included; loop_in <= loop_out
  std::array<std::optional<std::uint32_t>, 10> bookmarks;

  [[nodiscard]] bool loops() const { return loop_in.has_value() && loop_out.has_value(); }
  friend bool operator==(const TimeMarks&, const TimeMarks&) = default;
};

}  // namespace tilescope
