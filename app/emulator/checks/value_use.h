#pragma once
#include <cstdint>
#include <vector>

#include "emulator/program.h"

namespace tilescope {

// What becomes of the value of a load, followed from register to register without regard to the
// order of instructions. A comparison ends the way: what depends on its outcome is not followed.
struct ValueUse {
  std::vector<std::uint32_t> atomics;  // that take it as an operand
  bool kept = false;                   // stored, passed on or used as an address
};

[[nodiscard]] ValueUse follow_value(const Program& program, std::uint32_t load);

}  // namespace tilescope
