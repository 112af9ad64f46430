#pragma once
namespace tilescope {

// An axis from 0 to a round figure above `most`, in `steps` equal steps.
struct RoundAxis {
  double top = 1;
  int steps = 2;
};
[[nodiscard]] RoundAxis round_axis(double most);

}  // namespace tilescope
