#pragma once
#include <string>

#include "core/result.h"
#include "kernel/instance.h"

namespace tilescope {

// What every command shares. A command registers its CLI11 subcommand and, when chosen, sets
// `status` to its exit status: 0 done, 1 usage, 2 the kernel is wrong, 3 the machine cannot, or
// stdout did not take the output (end_output()).
struct CommandContext {
  int status = 0;
};

// One line on stderr; the exit status that belongs to the error's code.
int report(const Error& error);

// A mistake on the command line, and what to write instead.
[[nodiscard]] Error usage(std::string message, std::string remedy = "");

// Of a .ptx file, an error that knows its line alone.
[[nodiscard]] Error in_file(Error error, const KernelInstance& instance);

}  // namespace tilescope
