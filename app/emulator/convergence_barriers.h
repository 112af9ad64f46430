#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tilescope {

// The convergence barriers B0 .. B15 of a warp's machine code: for each lane the lanes that it will
// meet at the barrier's BSYNC. BSSY fills in the lanes that execute it together, BREAK takes those
// that execute it out for all the others. Lanes that have parted are at different places of the
// code, so each has its own view.
class ConvergenceBarriers {
 public:
  static constexpr std::uint32_t kCount = 16;

  void reset() { members_.clear(); }
  void start(std::uint32_t barrier, std::uint32_t lanes);  // BSSY
  void leave(std::uint32_t barrier, std::uint32_t lanes);  // BREAK
  void set(std::uint32_t barrier, unsigned lane, std::uint32_t members);
  [[nodiscard]] std::uint32_t members(std::uint32_t barrier, unsigned lane) const {
    return members_.empty() ? 0 : members_[barrier][lane];
  }

 private:
  std::vector<std::array<std::uint32_t, 32>> members_;  // empty until the first BSSY
};

}  // namespace tilescope
