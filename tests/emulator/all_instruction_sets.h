#pragma once

#include <vector>

#include "emulator/program_implementation.h"

namespace tilescope {

// All that this machine runs: the program's, and those that only the tests are built with.
[[nodiscard]] inline std::vector<InstructionSet> all_instruction_sets() {
  std::vector<InstructionSet> sets = instruction_sets();
#if defined(TILESCOPE_HAS_avx2)
  if (runs_avx2()) sets.push_back({"avx2", avx2::find_executor});
#endif
#if defined(TILESCOPE_HAS_avx512)
  if (runs_avx512()) sets.push_back({"avx512", avx512::find_executor});
#endif
  return sets;
}

}  // namespace tilescope
