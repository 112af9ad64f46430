#pragma once
#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/file_launch.h"

namespace tilescope {

// The macros that a CUDA file leaves to who compiles it, with a whole number for a default: #ifndef
// TILE, #define TILE 16. Which values are legal is not known: powers of two around the default are
// offered.
[[nodiscard]] std::vector<ParameterSpec> source_parameters(const KernelFile& file);

// Those with the values that the launch gives them, in `parameters` or as a define.
[[nodiscard]] ParameterSet given_parameters(const KernelFile& file, const LaunchText& launch);

// What grid, block and shared memory of the launch may be written in: the file's macros and
// constants that are whole numbers, as the launch sets them, and the kernel's whole numbers.
// Precondition: arguments have the kernel's names.
[[nodiscard]] ParameterSet launch_names(const KernelFile& file, const LaunchText& launch,
                                        const std::vector<Argument>& arguments);

}  // namespace tilescope
