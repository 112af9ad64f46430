#pragma once

#include <string>
#include <vector>

namespace tilescope {

// A logarithmic axis: from `low` at `begin` to `high` at `end`, in pixels. What has no place on it
// (0, not a number, infinity) lies beyond one of its ends.
struct LogAxis {
  double low = 1;
  double high = 10;
  float begin = 0;
  float end = 1;
  [[nodiscard]] float at(double value) const;
};

// Powers of ten, and twice and five times them where these are fewer than three, if `least` px
// between them allow it: one tick alone says nothing about a logarithmic axis.
[[nodiscard]] std::vector<double> ticks_of(const LogAxis& axis, float least);
// "0.05", "2,000": as all numbers are written.
[[nodiscard]] std::string tick_words(double tick);

}  // namespace tilescope
