#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/device_program.h"

namespace tilescope {

// A CUDA file that NVRTC refuses, for nvcc.
struct NvccRequest {
  const CompileRequest& request;
  const DeviceProgram& program;
  std::string kernel;             // "scale<4>": an instance to be made of a template; else empty
  bool launches_kernels = false;  // device code does: -rdc
  std::string digest;             // of all that goes into it
};

// Has nvcc compile it: host libraries in device code, such as Thrust. It takes a second or more,
// needs a host compiler, and its code is not always NVRTC's (docs/accuracy.md). Kept on disk where
// the program is closed. Errors: kMachine when there is no nvcc; kKernel when it refuses the file
// too; kUsage when the kernel that is meant is not in it; kCancelled. Thread-safe.
[[nodiscard]] Result<CompiledKernel> compile_with_nvcc(const NvccRequest& wanted,
                                                       const std::stop_token& stop);

// Whether compile_with_nvcc() answers at once: from the cache, or because there is no nvcc.
[[nodiscard]] bool nvcc_answers_at_once(const NvccRequest& wanted);

// The program that is used (kernel/compile/cuda_tool.h); $TILESCOPE_NVCC names another. kMachine
// when there is none.
[[nodiscard]] Result<std::filesystem::path> nvcc();

// Options for nvcc that name headers of what older versions of CUDA had and `message`, nvcc's own,
// misses: texture references, members of cudaDeviceProp, functions that CUB and Thrust lost.
[[nodiscard]] std::vector<std::string> headers_of_older_cuda(const std::string& message);

}  // namespace tilescope
