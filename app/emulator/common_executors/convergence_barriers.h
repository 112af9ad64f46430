#pragma once
#include <array>
#include <cstdint>

namespace tilescope {

// How lanes that come to a WARPSYNC together go on.
enum class WarpSync : std::uint8_t {
  kTogether,
  kExclusive,  // the lanes of one mask, then those of the next
  kTurns,      // no waiting: the lanes of one value, then those of the next
};

// The convergence barriers B0 .. B15 of a warp's machine code: for each the lanes that take part in
// it. BSSY adds the lanes that execute it, BREAK takes those that execute it out, a BSYNC that all
// have come to empties it. One whose lanes came out of a register again (BMOV) is executed once
// more when all have come (measured: docs/accuracy.md).
class ConvergenceBarriers {
 public:
  static constexpr std::uint32_t kCount = 16;

  void reset() {
    members_.fill(0);
    restored_ = 0;
  }
  void add(std::uint32_t barrier, std::uint32_t lanes) { members_[barrier] |= lanes; }
  void remove(std::uint32_t barrier, std::uint32_t lanes) {
    members_[barrier] &= ~lanes;
    if (members_[barrier] == 0) settle(barrier);
  }
  void restore(std::uint32_t barrier, std::uint32_t lanes) {
    members_[barrier] = lanes;
    restored_ |= 1u << barrier;
  }
  [[nodiscard]] std::uint32_t members(std::uint32_t barrier) const { return members_[barrier]; }
  void settle(std::uint32_t barrier) { restored_ &= ~(1u << barrier); }
  [[nodiscard]] bool restored(std::uint32_t barrier) const {
    return (restored_ >> barrier & 1u) != 0;
  }

 private:
  std::array<std::uint32_t, kCount> members_{};
  std::uint32_t restored_ = 0;  // a bit a barrier
};

}  // namespace tilescope
