#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace tilescope {

// The convergence barriers B0 .. B15 of a warp's machine code: for each lane the lanes that it will
// meet at the barrier's BSYNC. BSSY fills in the lanes that execute it together, BREAK takes those
// that execute it out for all the others. Lanes that have parted are at different places of the
// code, so each has its own view. YIELD shows that the machine has one mask for them all, to which
// BSSY adds and which a BSYNC that all have come to empties (docs/accuracy.md): `open`.
class ConvergenceBarriers {
 public:
  static constexpr std::uint32_t kCount = 16;

  void reset() {
    members_.clear();
    open_.fill(0);
  }
  void start(std::uint32_t barrier, std::uint32_t lanes);  // BSSY
  void leave(std::uint32_t barrier, std::uint32_t lanes);  // BREAK
  void set(std::uint32_t barrier, unsigned lane, std::uint32_t members);
  [[nodiscard]] std::uint32_t members(std::uint32_t barrier, unsigned lane) const {
    return members_.empty() ? 0 : members_[barrier][lane];
  }
  [[nodiscard]] std::uint32_t open(std::uint32_t barrier) const { return open_[barrier]; }
  void close(std::uint32_t barrier, std::uint32_t lanes) { open_[barrier] &= ~lanes; }
  void reopen(std::uint32_t barrier, std::uint32_t lanes) { open_[barrier] |= lanes; }

 private:
  std::array<std::uint32_t, kCount> open_{};
  std::vector<std::array<std::uint32_t, 32>> members_;  // empty until the first BSSY
};

}  // namespace tilescope
