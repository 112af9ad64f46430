#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/result.h"
#include "gpu/gpu_device.h"
#include "gpu/messages.h"
#include "gpu/module_cache.h"

namespace tilescope {

// A kernel loaded into the context, ready to be launched with one set of arguments.
class KernelModule {
 public:
  // Loads the code, or takes it from the cache where there is one, checks the launch against the
  // device and the arguments against the kernel's parameters, and opts in to the dynamic shared
  // memory. `pointers` holds the address of each pointer argument, in order.
  [[nodiscard]] static Result<KernelModule> load(const GpuDevice& gpu, const RunRequest& request,
                                                 const std::vector<CUdeviceptr>& pointers,
                                                 ModuleCache* cache = nullptr);
  KernelModule(KernelModule&& other) noexcept = default;
  KernelModule& operator=(KernelModule&&) = delete;

  // That fit at once, as the driver computes it; 0 where it cannot.
  [[nodiscard]] int blocks_per_multiprocessor() const;

  // Address of a variable of the module, which must have at least this many bytes.
  [[nodiscard]] Result<CUdeviceptr> variable(const char* name, std::size_t bytes) const;

  // Queues one launch. Faults show when the stream is waited for.
  [[nodiscard]] Status launch() const;

 private:
  KernelModule(const GpuDevice& gpu, const KernelInstance& instance,
               std::shared_ptr<const LoadedModule> code)
      : gpu_(&gpu), instance_(&instance), code_(std::move(code)) {}
  [[nodiscard]] Status check_launch() const;
  [[nodiscard]] Status check_parameters() const;
  void set_arguments(const std::vector<CUdeviceptr>& pointers);

  const GpuDevice* gpu_;
  const KernelInstance* instance_;  // the request outlives the module
  std::shared_ptr<const LoadedModule> code_;
  std::vector<std::vector<std::byte>> values_;  // one per parameter
  mutable std::vector<void*> parameters_;       // cuLaunchKernel wants them so
};

}  // namespace tilescope
