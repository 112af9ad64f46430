#include "gpu/kernel_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/device_table.h"
#include "core/quantity.h"

namespace tilescope {
namespace {

// The kernel's parameters as the arguments fill them, pointers with zeros.
std::vector<std::vector<std::byte>> parameters_of(const std::vector<Argument>& arguments) {
  std::vector<std::vector<std::byte>> parameters;
  ParameterIndex index;
  for (const Argument& argument : arguments) {
    const std::uint32_t i = index.next(argument.member);
    parameters.resize(std::max<std::size_t>(parameters.size(), i + 1));
    const std::uint32_t offset = argument.member ? argument.member->offset : 0;
    const std::uint32_t whole = argument.member ? argument.member->structure_bytes : 0;
    const std::uint32_t end = offset + parameter_bytes(argument);
    // A driver that does not tell how many bytes the kernel declares reads as many all the same.
    parameters[i].reserve(kMostParameterBytes);
    parameters[i].resize(std::max<std::size_t>({parameters[i].size(), whole, end}));
    std::memcpy(parameters[i].data() + offset, &argument.bits, parameter_bytes(argument));
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
    return usage(fmt::format("needs {} registers a thread: a block can have {} threads, not {}",
                             attribute(CU_FUNC_ATTRIBUTE_NUM_REGS), most_threads, threads),
                 "Make the block smaller");
  }
  const auto dynamic_bytes = static_cast<std::int64_t>(instance_->dynamic_shared_bytes);
  const int static_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const int most_bytes =
      gpu_->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - static_bytes;
  if (dynamic_bytes > most_bytes) {
    return usage(fmt::format("wants {} bytes of dynamic shared memory, {} are left on this GPU",
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
        "Give each argument the type that the kernel declares, a structure with all its members",
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

}  // namespace tilescope
