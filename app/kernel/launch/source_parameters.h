#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "kernel/launch/file_launch.h"

namespace tilescope {

// ParameterSpec::meaning of a __constant__ that the host fills: its value is a guess by its name.
inline constexpr std::string_view kFilledByHost = "A constant that the host fills";

// The whole numbers of a CUDA file that another launch may have otherwise: macros that it leaves to
// who compiles it (#ifndef TILE, #define TILE 16), its other numbers (source_numbers()) and those
// of the kernel's template, where `kernel` is gemm<16, 4>. Which values are legal is not known:
// powers of two around the default are offered.
[[nodiscard]] std::vector<ParameterSpec> source_parameters(const KernelFile& file,
                                                           const std::string& kernel = "");

// The kernel's name with another number for a parameter of its template; as it is where it has none
// of that name.
[[nodiscard]] std::string with_template_number(const KernelFile& file, const std::string& kernel,
                                               const std::string& name, std::int64_t value);

// The file's text with the numbers that stand in it as `parameters` has them.
[[nodiscard]] std::string with_parameters(const KernelFile& file, const std::string& kernel,
                                          const ParameterSet& parameters);

// Sets the instance's parameters, and with them its source, kernel and defines: an open macro is
// defined, another number is written in the place of the one that stands there.
void set_parameters(const KernelFile& file, const LaunchText& launch, KernelInstance* instance);

// Those with the values that the launch gives them, in `parameters` or as a define.
[[nodiscard]] ParameterSet given_parameters(const KernelFile& file, const LaunchText& launch);

// What grid, block and shared memory of the launch may be written in: the file's macros and
// constants that are whole numbers, as the launch sets them, and the kernel's whole numbers.
// Precondition: arguments have the kernel's names.
[[nodiscard]] ParameterSet launch_names(const KernelFile& file, const LaunchText& launch,
                                        const std::vector<Argument>& arguments);

}  // namespace tilescope
