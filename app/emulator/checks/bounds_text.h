#pragma once
#include <string>

#include "emulator/block/execution_context.h"

namespace tilescope {

// What is said of an access out of bounds. The array is the one that the address is computed from,
// where that is known; else the one before it.
struct BadAccess {
  const MicroOp& op;
  MemorySpace space = MemorySpace::kGlobal;
  std::uint64_t address = 0;  // in its space
  bool writes = false;
};
[[nodiscard]] std::string bounds_text(const BadAccess& access, const ExecutionContext& context);

}  // namespace tilescope
