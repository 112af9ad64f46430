#pragma once

#include "analysis/study/tried_launch.h"

namespace tilescope {

// The dynamic shared memory of a launch that is tried, and a block that fits the kernel's shared
// arrays. What the file's own launch says of either stays.
class TriedShared {
 public:
  explicit TriedShared(TriedLaunch& tried) : tried_(tried) {}  // which outlives it

  // More dynamic shared memory; false: there is nothing to give, or it does not help.
  bool grow(const TrialRun& observed);
  // Doubling gave up to twice too much: it shrinks to what is accessed, within a thirty-second.
  // `has_smaller_sizes`: than those for which it grew; then it is twice as much at most.
  void trim(TrialRun* observed, bool has_smaller_sizes = false);

  bool shrink_block();
  // More threads than a tile has places for.
  void shrink_block_that_exceeds(TrialRun* observed);
  // A block that is longer than a row of shared memory uses words of it that nobody writes; one
  // that is smaller than a tile leaves some unwritten.
  void resize_block_that_leaves_words(TrialRun* observed);

 private:
  bool enlarge_block();

  TriedLaunch& tried_;
  bool helps_ = true;
};

}  // namespace tilescope
