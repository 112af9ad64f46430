#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/compile/compile.h"
#include "kernel/compile/device_program.h"
#include "kernel/compile/nvrtc_library.h"

namespace tilescope {

// NAME=VALUE each. A file's parameters have their place in its text or among its defines
// (kernel/launch/source_parameters.h).
[[nodiscard]] std::vector<std::string> defines_of(const KernelInstance& instance);

// "a" where the program has instructions of one architecture alone (PTX ISA, ".target"); for a
// program without them that changes nothing but the name.
[[nodiscard]] std::string_view specific_suffix(const DeviceProgram& program,
                                               int compute_capability);

// "--std=c++17", or what a newer word in the program asks for.
[[nodiscard]] std::string_view language_standard(const DeviceProgram& program);

[[nodiscard]] std::vector<std::string> nvrtc_options(const CompileRequest& request,
                                                     const DeviceProgram& program,
                                                     const NvrtcFacts& nvrtc);

}  // namespace tilescope
