#pragma once
#include <string>

#include "cli/command.h"

namespace tilescope {

// `tilescope run` as it was typed.
struct RunArguments {
  KernelArguments kernel;
  bool architecture_given = false;  // else the GPU's own
  bool warm = false;
  int samples = 20;
  double max_seconds = 1.5;
  double deadline_seconds = 10;
  bool each_value = false;
  bool json = false;
  std::string record;  // file to append to; empty: none
  std::string typed;   // the command as a person would repeat it, for the record
};

// Verifies and times on the GPU. Exit status: 0 all right, 1 usage, 2 a wrong result or a fault,
// 3 no GPU.
int run_command(const RunArguments& arguments);

}  // namespace tilescope
