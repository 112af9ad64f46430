#pragma once

#include <cstdint>

#include "emulator/warp_access.h"

namespace tilescope {

// Where a warp executes an instruction.
struct WarpPoint {
  std::uint64_t block = 0;  // linear index in the grid
  std::uint32_t warp = 0;
  std::uint32_t instruction = 0;
};

// Sees every memory access of the blocks one worker thread executes, in order. One sink per
// worker; nobody calls it concurrently. Called in the hot loop.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void on_access(const WarpPoint& where, const WarpAccess& access) = 0;
  // This instruction's last access once more, or `times` more, every address moved by the same
  // distance: `base` is the first active lane's. False: not taken, on_access() follows.
  virtual bool on_repeat(const WarpPoint& /*where*/, std::uint64_t /*base*/,
                         std::uint64_t /*times*/) {
    return false;
  }
  // The same of a cp.async, whose two accesses have both come again; told at once.
  virtual bool on_copy_repeat(const WarpPoint& /*where*/, std::uint64_t /*source*/,
                              std::uint64_t /*destination*/) {
    return false;
  }
  // True: repeats may be told at the end of the block, whatever came between; their base is known
  // modulo kRepeatBases alone, and the warp is not.
  [[nodiscard]] virtual bool takes_repeats_late() const { return false; }
  static constexpr std::uint64_t kRepeatBases = 128;
};

}  // namespace tilescope
