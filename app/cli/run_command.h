#pragma once
#include <string>

#include "cli/command.h"
#include "gpu/messages.h"

namespace tilescope {

// `tilescope run` as it was typed.
struct RunArguments {
  KernelArguments kernel;
  bool architecture_given = false;  // else the GPU's own
  TimingOptions timing;
  bool each_value = false;
  bool counters = false;
  bool phases = false;
  bool json = false;
  bool no_history = false;
  std::string record;  // file to append to; empty: none
};

// Verifies and times on the GPU. Exit status: 0 all right, 1 usage, 2 a wrong result or a fault,
// 3 no GPU.
int run_command(const RunArguments& arguments);

}  // namespace tilescope
