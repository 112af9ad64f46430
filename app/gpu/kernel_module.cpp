#include "gpu/kernel_module.h"

#include <elf.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/device_table.h"
#include "core/quantity.h"
#include "kernel/launch/tensor_map.h"

namespace tilescope {
namespace {

// Bytes of an argument's value; a tensor map is given by value.
std::uint32_t value_bytes(const Argument& argument) {
  return argument.tensor ? kTensorMapBytes : parameter_bytes(argument);
}

// The kernel's parameters as the arguments fill them, pointers with zeros, which a tensor map
// begins with as well.
std::vector<std::vector<std::byte>> parameters_of(const std::vector<Argument>& arguments) {
  std::vector<std::vector<std::byte>> parameters;
  ParameterIndex index;
  for (const Argument& argument : arguments) {
    const std::uint32_t i = index.next(argument.member);
    parameters.resize(std::max<std::size_t>(parameters.size(), i + 1));
    const std::uint32_t offset = argument.member ? argument.member->offset : 0;
    const std::uint32_t whole = argument.member ? argument.member->structure_bytes : 0;
    const std::uint32_t end = offset + value_bytes(argument);
    // A driver that does not tell how many bytes the kernel declares reads as many all the same.
    parameters[i].reserve(kMostParameterBytes);
    parameters[i].resize(std::max<std::size_t>({parameters[i].size(), whole, end}));
    std::byte* const value = parameters[i].data() + offset;
    if (argument.tensor) {
      if (const auto map = tensor_map_of(argument, 0)) map->write(value);
    } else {
      std::memcpy(value, &argument.bits, parameter_bytes(argument));
    }
  }
  return parameters;
}

}  // namespace

Result<KernelModule> KernelModule::load(const GpuDevice& gpu, const RunRequest& request,
                                        const std::vector<CUdeviceptr>& pointers,
                                        ModuleCache* cache) {
  const std::string& id = request.instance.id;
  auto code = cache != nullptr ? cache->get(*request.compiled, id)
                               : LoadedModule::load(gpu, *request.compiled, id);
  if (!code) return code.error();
  KernelModule module(gpu, request.instance, *std::move(code));
  module.values_ = parameters_of(request.instance.arguments);
  if (Status s = module.check_launch(); !s) return s.error();
  if (Status s = module.check_parameters(); !s) return s.error();
  module.set_arguments(pointers);
  return module;
}

Status KernelModule::check_launch() const {
  const CudaDriver& driver = gpu_->driver();
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver.cuFuncGetAttribute(&value, which, code_->function());
    return value;
  };
  const auto usage = [&](std::string message, std::string remedy) {
    return Error{
        ErrorCode::kUsage, fmt::format("{} {}", instance_->id, message), std::move(remedy), {}};
  };
  const std::uint64_t threads = instance_->block.count();
  const int most_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > static_cast<std::uint64_t>(most_threads)) {
    return usage(fmt::format("needs {} registers per thread: a block can have {} threads, not {}",
                             attribute(CU_FUNC_ATTRIBUTE_NUM_REGS), most_threads, threads),
                 "Make the block smaller");
  }
  const auto dynamic_bytes = static_cast<std::int64_t>(instance_->dynamic_shared_bytes);
  const int static_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const int most_bytes =
      gpu_->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - static_bytes;
  if (dynamic_bytes > most_bytes) {
    return usage(
        fmt::format("needs {} bytes of dynamic shared memory; {} are available on this GPU",
                    dynamic_bytes, most_bytes),
        "Make the tile smaller");
  }
  if (dynamic_bytes + static_bytes <= kMostStaticSharedBytes) return ok_status();
  return driver.check(
      driver.cuFuncSetAttribute(code_->function(), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(dynamic_bytes)),
      "opt in to large shared memory");
}

Status KernelModule::check_parameters() const {
  const CudaDriver& driver = gpu_->driver();
  if (driver.cuFuncGetParamInfo == nullptr) return ok_status();
  const std::size_t given = values_.size();
  std::size_t index = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
  for (; driver.cuFuncGetParamInfo(code_->function(), index, &offset, &size) == CUDA_SUCCESS;
       ++index) {
    if (index >= given || values_[index].size() == size) continue;
    return Error{
        ErrorCode::kUsage,
        fmt::format("{}: argument {} has {} bytes, the kernel's parameter has {}", instance_->id,
                    index + 1, values_[index].size(), size),
        values_[index].size() == kTensorMapBytes
            ? "Take the tensor map by value, as const __grid_constant__ CUtensorMap; one that is "
              "taken by its address is emulated only"
            : "Give each argument the type that the kernel declares, a structure with all its "
              "members",
        {}};
  }
  if (index == given) return ok_status();
  return Error{ErrorCode::kUsage,
               fmt::format("{} takes {}, not {}", instance_->id, counted(index, "argument"), given),
               "Give one --arg for each of the kernel's parameters, in order",
               {}};
}

void KernelModule::set_arguments(const std::vector<CUdeviceptr>& pointers) {
  std::size_t pointer = 0;
  ParameterIndex index;
  for (const Argument& argument : instance_->arguments) {
    std::vector<std::byte>& value = values_[index.next(argument.member)];
    if (!argument.is_pointer) continue;
    const CUdeviceptr address = pointers[pointer++];
    std::memcpy(value.data() + (argument.member ? argument.member->offset : 0), &address,
                sizeof address);
  }
  for (std::vector<std::byte>& value : values_) parameters_.push_back(value.data());
}

int KernelModule::blocks_per_multiprocessor() const {
  const Dim3& block = instance_->block;
  int blocks = 0;
  const CUresult result = gpu_->driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, code_->function(), static_cast<int>(block.x * block.y * block.z),
      instance_->dynamic_shared_bytes);
  return result == CUDA_SUCCESS ? blocks : 0;
}

Result<CUdeviceptr> KernelModule::variable(const char* name, std::size_t bytes) const {
  const CudaDriver& driver = gpu_->driver();
  CUdeviceptr address = 0;
  std::size_t has = 0;
  const CUresult found = driver.cuModuleGetGlobal(&address, &has, code_->module(), name);
  if (Status s = driver.check(found, fmt::format("find {} in {}", name, instance_->id)); !s)
    return s.error();
  if (has < bytes) {
    return Error{
        ErrorCode::kKernel,
        fmt::format("{} of {} has {} bytes instead of {}", name, instance_->id, has, bytes),
        {},
        {}};
  }
  return address;
}

Status KernelModule::launch() const {
  const Dim3& grid = instance_->grid;
  const Dim3& block = instance_->block;
  const CUresult launched = gpu_->driver().cuLaunchKernel(
      code_->function(), grid.x, grid.y, grid.z, block.x, block.y, block.z,
      instance_->dynamic_shared_bytes, gpu_->stream(), parameters_.data(), nullptr);
  Status status =
      gpu_->check_kernel(launched, instance_->id, fmt::format("launch {}", instance_->id));
  if (!status && launched == CUDA_ERROR_INVALID_VALUE) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: the grid {}x{}x{} of blocks {}x{}x{} cannot be launched",
                             instance_->id, grid.x, grid.y, grid.z, block.x, block.y, block.z),
                 "A grid has at most 2^31-1 x 65,535 x 65,535 blocks",
                 {}};
  }
  return status;
}

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

namespace {

template <typename T>
bool read_at(std::span<const std::byte> file, std::uint64_t offset, T* value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(value, file.data() + offset, sizeof(T));
  return true;
}

bool lies_inside(std::span<const std::byte> file, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= file.size() && bytes <= file.size() - offset;
}

}  // namespace

bool is_whole_cubin(std::span<const std::byte> cubin) {
  Elf64_Ehdr header{};
  if (!read_at(cubin, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return false;
  }
  if (!lies_inside(cubin, header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize)) {
    return false;
  }
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(cubin, header.e_shoff + i * sizeof(section), &section)) return false;
    const bool has_bytes = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (has_bytes && !lies_inside(cubin, section.sh_offset, section.sh_size)) return false;
  }
  return true;
}

bool has_variables(std::span<const std::byte> cubin) {
  constexpr std::string_view kSection = ".nv.global";  // and .nv.global.init
  const auto* text = reinterpret_cast<const char*>(cubin.data());
  return std::string_view(text, cubin.size()).find(kSection) != std::string_view::npos;
}

}  // namespace tilescope
