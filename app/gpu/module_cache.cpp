#include "gpu/module_cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

#include "gpu/cubin_check.h"

namespace tilescope {
namespace {

XXH128_hash_t hash_of(const CompiledKernel& compiled) {
  const XXH64_hash_t name = XXH3_64bits(compiled.kernel.data(), compiled.kernel.size());
  return XXH3_128bits_withSeed(compiled.cubin.data(), compiled.cubin.size(), name);
}

}  // namespace

LoadedModule::~LoadedModule() {
  if (module_ != nullptr) gpu_->driver().cuModuleUnload(module_);
}

Result<std::shared_ptr<const LoadedModule>> LoadedModule::load(const GpuDevice& gpu,
                                                               const CompiledKernel& compiled,
                                                               const std::string& kernel_id) {
  const CudaDriver& driver = gpu.driver();
  if (!compiled.cubin.empty() && !is_whole_cubin(compiled.cubin)) {
    return Error{ErrorCode::kKernel,
                 fmt::format("cannot load {}: its compiled code is damaged", kernel_id),
                 "Compile it again: a cached file may have been cut short",
                 {}};
  }
  const std::shared_ptr<LoadedModule> loaded(new LoadedModule(gpu));
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> option_values = {log.data(), reinterpret_cast<void*>(log.size())};
  const void* code = compiled.cubin.empty() ? static_cast<const void*>(compiled.ptx.c_str())
                                            : static_cast<const void*>(compiled.cubin.data());
  const CUresult result = driver.cuModuleLoadDataEx(&loaded->module_, code, options.size(),
                                                    options.data(), option_values.data());
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} was compiled for {}, and this GPU is an sm_{}", kernel_id,
                             compiled.architecture, gpu.info().compute_capability),
                 fmt::format("Compile it with --arch sm_{}", gpu.info().compute_capability),
                 {}};
  }
  if (Status s = driver.check(result, fmt::format("load {}", kernel_id)); !s) {
    Error error = s.error();
    error.code = ErrorCode::kKernel;
    if (log[0] != '\0') error.message += fmt::format(": {}", log.data());
    return error;
  }
  const CUresult found =
      driver.cuModuleGetFunction(&loaded->function_, loaded->module_, compiled.kernel.c_str());
  if (Status s = driver.check(found, fmt::format("find {} in the compiled code", compiled.kernel));
      !s) {
    return s.error();
  }
  return std::shared_ptr<const LoadedModule>(loaded);
}

Result<std::shared_ptr<const LoadedModule>> ModuleCache::get(const CompiledKernel& compiled,
                                                             const std::string& kernel_id) {
  if (!is_whole_cubin(compiled.cubin) || has_variables(compiled.cubin)) {
    return LoadedModule::load(gpu_, compiled, kernel_id);
  }
  const XXH128_hash_t hash = hash_of(compiled);
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.low == hash.low64 && entry.high == hash.high64;
  });
  if (known != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, known);
    return entries_.front().module;
  }
  auto loaded = LoadedModule::load(gpu_, compiled, kernel_id);
  if (!loaded) return loaded;
  entries_.push_front({hash.low64, hash.high64, *loaded});
  if (entries_.size() > kMostModules) entries_.pop_back();
  return loaded;
}

}  // namespace tilescope
