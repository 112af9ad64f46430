#pragma once
#include <cstdint>

#include "ptx/modifiers.h"

namespace tilescope {

// MicroOp::flags of kPackedFloat and kMixedFloat; the immediate is machine_rounding().
inline constexpr std::uint8_t kFlushes = 1;
inline constexpr std::uint8_t kSaturates = 2;
// What fesetround() takes for a PTX rounding word.
[[nodiscard]] int machine_rounding(Modifier rounding);

// MicroOp::flags of kRareExtreme.
struct ExtremeOptions {
  bool larger = false;
  bool nan = false;
  bool ftz = false;
  bool xorsign = false;
  bool abs = false;
  std::uint8_t inputs = 2;  // or 3

  [[nodiscard]] std::uint8_t pack() const;
  [[nodiscard]] static ExtremeOptions unpack(std::uint8_t bits);
};

}  // namespace tilescope
