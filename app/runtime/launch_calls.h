#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// A launch of a kernel, by any of the calls that make one.
struct KernelLaunch {
  const void* function = nullptr;  // the host function's address, or a handle of the kernel
  Extents grid, block;
  std::size_t shared_bytes = 0;  // dynamic
  void* stream = nullptr;
  bool is_cooperative = false;
  Extents cluster{0, 0, 0};           // 0: none is asked for
  void** arguments = nullptr;         // the address of each; or:
  const std::byte* packed = nullptr;  // all of them as they lie in the kernel's parameters
  std::size_t packed_bytes = 0;
  std::uint64_t caller = 0;  // an address in the program

  void take(std::span<const LaunchAttribute> attributes);
};
Error launch_kernel(const KernelLaunch& launch);

Error function_attributes(FunctionAttributes* attributes, const void* function);
// `attribute`: a cudaFuncAttribute; CUfunction_attribute has the same numbers.
Error set_function_attribute(const void* function, int attribute, int value);
// Of one multiprocessor.
Error active_blocks(int* blocks, const void* function, int threads, std::size_t shared_bytes);

}  // namespace tilescope::runtime
