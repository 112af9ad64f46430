#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/result.h"
#include "gpu/gpu_device.h"
#include "gpu/messages.h"

namespace tilescope {

// A kernel loaded into the context, ready to be launched with one set of arguments.
class KernelModule {
 public:
  // Loads the cubin (or the PTX, which the driver compiles), checks the launch against the device
  // and the arguments against the kernel's parameters, and opts in to the dynamic shared memory.
  // `pointers` holds the address of each pointer argument, in order.
  [[nodiscard]] static Result<KernelModule> load(const GpuDevice& gpu, const RunRequest& request,
                                                 const std::vector<CUdeviceptr>& pointers);
  ~KernelModule();
  KernelModule(KernelModule&& other) noexcept;
  KernelModule& operator=(KernelModule&&) = delete;

  // That fit at once, as the driver computes it; 0 where it cannot.
  [[nodiscard]] int blocks_per_multiprocessor() const;

  // Address of a variable of the module, which must have at least this many bytes.
  [[nodiscard]] Result<CUdeviceptr> variable(const char* name, std::size_t bytes) const;

  // Queues one launch. Faults show when the stream is waited for.
  [[nodiscard]] Status launch() const;

 private:
  KernelModule(const GpuDevice& gpu, const KernelInstance& instance)
      : gpu_(&gpu), instance_(&instance) {}
  [[nodiscard]] Status load_code(const CompiledKernel& compiled);
  [[nodiscard]] Status check_launch() const;
  [[nodiscard]] Status check_parameters() const;
  void set_arguments(const std::vector<CUdeviceptr>& pointers);

  const GpuDevice* gpu_;
  const KernelInstance* instance_;  // the request outlives the module
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::vector<std::uint64_t> values_;      // one per argument, little-endian in the low bytes
  mutable std::vector<void*> parameters_;  // cuLaunchKernel wants them so
};

}  // namespace tilescope
