#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "core/result.h"
#include "gpu/gpu_device.h"
#include "kernel/compile.h"

namespace tilescope {

// Compiled code in the context, unloaded with the last that uses it.
class LoadedModule {
 public:
  // Loads the cubin, or the PTX, which the driver compiles. `kernel_id`: for messages.
  [[nodiscard]] static Result<std::shared_ptr<const LoadedModule>> load(
      const GpuDevice& gpu, const CompiledKernel& compiled, const std::string& kernel_id);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  [[nodiscard]] CUmodule module() const { return module_; }
  [[nodiscard]] CUfunction function() const { return function_; }

 private:
  explicit LoadedModule(const GpuDevice& gpu) : gpu_(&gpu) {}

  const GpuDevice* gpu_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

// Keeps the modules of recent requests loaded, so that a slider that comes back finds its kernel in
// place. Only those without variables of their own: what a launch leaves in one must not be there
// at the next request.
class ModuleCache {
 public:
  static constexpr std::size_t kMostModules = 128;

  explicit ModuleCache(const GpuDevice& gpu) : gpu_(gpu) {}

  [[nodiscard]] Result<std::shared_ptr<const LoadedModule>> get(const CompiledKernel& compiled,
                                                                const std::string& kernel_id);

 private:
  struct Entry {
    std::uint64_t low = 0;  // of a 128-bit hash over code and name
    std::uint64_t high = 0;
    std::shared_ptr<const LoadedModule> module;
  };
  const GpuDevice& gpu_;
  std::list<Entry> entries_;  // most recently used first
};

}  // namespace tilescope
