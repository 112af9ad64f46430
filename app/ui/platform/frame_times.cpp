#include "ui/platform/frame_times.h"

namespace tilescope {
namespace {

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

}  // namespace

FrameTimes::Frame FrameTimes::slowest() const {
  Frame worst;
  for (const Frame& frame : frames_) {
    worst.own_seconds = std::max(worst.own_seconds, frame.own_seconds);
    worst.whole_seconds = std::max(worst.whole_seconds, frame.whole_seconds);
  }
  return worst;
}

FrameTimes::Frame FrameTimes::median() const {
  std::vector<double> own;
  std::vector<double> whole;
  for (const Frame& frame : frames_) {
    own.push_back(frame.own_seconds);
    whole.push_back(frame.whole_seconds);
  }
  return {middle(std::move(own)), middle(std::move(whole))};
}

}  // namespace tilescope
