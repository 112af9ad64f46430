#pragma once
#include <string>

#include "kernel/instance.h"

namespace tilescope {

// How a file's kernel is launched and on what, in words that are equal where the launches are:
// function, grid, block, shared memory, macros and each argument. Empty for a kernel of the
// catalogue, whose parameters, size and factors say all of it.
[[nodiscard]] std::string launch_words(const KernelInstance& instance);

}  // namespace tilescope
