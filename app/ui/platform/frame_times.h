#pragma once
#include <algorithm>
#include <vector>

namespace tilescope {

// How long frames took, for report-frames: the program's own part, and all of it with the drawing
// that OpenGL did (with software OpenGL the larger part, on the same cores).
class FrameTimes {
 public:
  struct Frame {
    double own_seconds = 0;    // taking results, panels, draw lists
    double whole_seconds = 0;  // until the picture was finished
  };
  void add(Frame frame) { frames_.push_back(frame); }
  void forget() { frames_.clear(); }
  [[nodiscard]] std::size_t count() const { return frames_.size(); }
  [[nodiscard]] Frame slowest() const;
  [[nodiscard]] Frame median() const;

 private:
  std::vector<Frame> frames_;
};

}  // namespace tilescope
