#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "kernel/device_program.h"
#include "kernel/kernel_name.h"
#include "kernel/nvrtc_process.h"
#include "kernel/refusals.h"

namespace tilescope {

// Has NVRTC compile a program again and again, each time with what it complained of set aside,
// until it takes it or nothing is left to set aside. `refusal`: gets its last complaints then, and
// whether it crashed. Errors: kKernel with the place in the source, also where NVRTC crashes, takes
// too long or needs too much memory; kUsage where the kernel cannot be had.
[[nodiscard]] Result<NvrtcLibrary::Output> compile_in_rounds(
    NvrtcProcesses& nvrtc, DeviceProgram& program, const std::vector<std::string>& options,
    const KernelChoice& choice, Refusal* refusal, const std::stop_token& stop);

// The program's files under their own names.
[[nodiscard]] std::string with_given_names(std::string ptx, const DeviceProgram& program);

}  // namespace tilescope
