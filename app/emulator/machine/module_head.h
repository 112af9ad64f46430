#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/lifter.h"

namespace tilescope::machine {

// What stands before the code of a lifted kernel: the module's directives, the memory that the code
// names, the kernel's parameters, and its registers. `writer` says how many temporaries were used.
struct LiftedModule {
  const Listing& listing;
  std::string_view kernel;
  std::string_view target;
  const std::vector<KernelParameter>& parameters;
  const std::vector<std::string_view>& files;  // of .loc, from 1 on
  const InstructionWriter& writer;
};
[[nodiscard]] std::string module_head(const LiftedModule& module);

}  // namespace tilescope::machine
