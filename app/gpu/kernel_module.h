#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "gpu/gpu_device.h"
#include "gpu/messages.h"
#include "kernel/compile/compile.h"

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

// True for a 64-bit little-endian ELF file whose headers and sections lie inside it, as a cubin's
// do. The driver reads a damaged one beyond its end and takes the process with it.
[[nodiscard]] bool is_whole_cubin(std::span<const std::byte> cubin);

// Whether the code has variables of its own in global memory, which outlast a launch.
[[nodiscard]] bool has_variables(std::span<const std::byte> cubin);

}  // namespace tilescope
