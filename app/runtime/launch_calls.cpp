#include "runtime/launch_calls.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/graph.h"
#include "runtime/program_state.h"

// What nvcc's host code calls (registration, <<< >>>), and launches by name.
namespace tilescope::runtime {
namespace {

struct Configuration {
  Extents grid, block;
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
  std::uint64_t caller = 0;
};
thread_local std::vector<Configuration> pushed;
// Of the <<< >>> whose configuration was taken last: its launch comes from a function of nvcc's.
thread_local std::uint64_t launched_from = 0;

// Asks for a launch and takes what it brings back.
Error execute(const LaunchRequest& request, const std::vector<std::byte>& parameters) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  if (const Error sticky = state.sticky; sticky != kSuccess) return sticky;
  const auto reply = Connection::get().ask(Call::kLaunch, request, parameters);
  if (reply.error != kSuccess) return reply.error;
  const auto answer = reply.head<LaunchReply>();
  std::size_t at = sizeof answer;
  for (std::uint32_t i = 0; i < answer.protect; ++i) close_pages(reply.at<Range>(at, i));
  at += answer.protect * sizeof(Range);
  const auto* text = reinterpret_cast<const char*>(reply.bytes.data());
  state.printed.append(text + at, answer.printed);
  at += answer.printed;
  if (answer.complaints != 0) {
    std::fflush(stdout);
    std::fwrite(text + at, 1, answer.complaints, stderr);
  }
  state.modelled_seconds = state.modelled_seconds + answer.seconds;
  if (answer.later_error != kSuccess) state.sticky = answer.later_error;
  return kSuccess;
}

// What is sent of it; parameters as they lie in the kernel's.
Error describe(const KernelLaunch& launch, LaunchRequest* request,
               std::vector<std::byte>* parameters) {
  ProgramState& state = ProgramState::get();
  if (const Error sticky = state.sticky; sticky != kSuccess) return sticky;
  Function* known = state.find(launch.function);
  if (known == nullptr) return kInvalidDeviceFunction;
  if (const Error error = state.resolve(*known); error != kSuccess) return error;
  request->function = known->facts.function;
  const std::uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const std::uint32_t block[3] = {launch.block.x, launch.block.y, launch.block.z};
  const std::uint32_t cluster[3] = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  std::memcpy(request->grid, grid, sizeof grid);
  std::memcpy(request->block, block, sizeof block);
  std::memcpy(request->cluster, cluster, sizeof cluster);
  request->shared_bytes = launch.shared_bytes;
  request->shared_limit = known->shared_limit;
  request->stream = stream_id(launch.stream);
  request->is_cooperative = launch.is_cooperative ? 1 : 0;
  request->caller = launch.caller;
  parameters->resize(known->parameter_bytes);
  if (launch.packed != nullptr) {
    std::memcpy(parameters->data(), launch.packed,
                std::min<std::size_t>(launch.packed_bytes, parameters->size()));
    return kSuccess;
  }
  if (launch.arguments == nullptr && !known->parameters.empty()) return kInvalidValue;
  for (std::size_t i = 0; i < known->parameters.size(); ++i) {
    const ParameterPlace& place = known->parameters[i];
    std::memcpy(parameters->data() + place.offset, launch.arguments[i], place.bytes);
  }
  return kSuccess;
}

// The launch as it is now, to be made then.
Error prepare(const KernelLaunch& launch, std::function<Error()>* work) {
  const std::scoped_lock lock(ProgramState::get().mutex);
  LaunchRequest request;
  std::vector<std::byte> parameters;
  if (const Error error = describe(launch, &request, &parameters); error != kSuccess) return error;
  *work = [request, parameters] { return execute(request, parameters); };
  return kSuccess;
}

// __cudaRegisterFatBinary's handle.
Module* module_of(void** handle) { return reinterpret_cast<Module*>(handle); }

}  // namespace

void KernelLaunch::take(std::span<const LaunchAttribute> attributes) {
  for (const LaunchAttribute& attribute : attributes) {
    if (attribute.id == kAttributeCooperative) is_cooperative = attribute.value.cooperative != 0;
    if (attribute.id == kAttributeCluster) {
      cluster = {attribute.value.cluster[0], attribute.value.cluster[1],
                 attribute.value.cluster[2]};
    }
  }
}

Error launch_kernel(const KernelLaunch& launch) {
  std::function<Error()> work;
  if (const Error error = prepare(launch, &work); error != kSuccess) return error;
  if (Graph* graph = capture_of(launch.stream)) return graph->add(std::move(work));
  return work();
}

std::function<Error()> kernel_work(const void* function, Extents grid, Extents block,
                                   std::size_t shared_bytes, void** arguments, Error* error) {
  std::function<Error()> work;
  *error = prepare({.function = function,
                    .grid = grid,
                    .block = block,
                    .shared_bytes = shared_bytes,
                    .arguments = arguments},
                   &work);
  return work;
}

Error function_attributes(FunctionAttributes* attributes, const void* function) {
  ProgramState& state = ProgramState::get();
  Function* known = state.find(function);
  if (attributes == nullptr || known == nullptr) return kInvalidDeviceFunction;
  if (const Error error = state.resolve(*known); error != kSuccess) return error;
  *attributes = {};
  const DeviceFacts& device = Connection::get().device();
  attributes->shared = static_cast<std::size_t>(known->facts.static_shared);
  attributes->constant = static_cast<std::size_t>(known->facts.constant_bytes);
  attributes->local = static_cast<std::size_t>(known->facts.local_bytes);
  attributes->most_threads = known->facts.most_threads;
  attributes->registers = known->facts.registers;
  attributes->ptx_version = known->facts.ptx_version;
  attributes->binary_version = known->facts.binary_version;
  attributes->most_dynamic_shared = known->shared_limit != 0
                                        ? static_cast<int>(known->shared_limit)
                                        : device.shared_per_block - known->facts.static_shared;
  attributes->shared_carveout = known->shared_carveout;
  return kSuccess;
}

Error set_function_attribute(const void* function, int attribute, int value) {
  constexpr int kMostDynamicShared = 8;
  constexpr int kCarveout = 9;
  ProgramState& state = ProgramState::get();
  Function* known = state.find(function);
  if (known == nullptr) return kInvalidDeviceFunction;
  if (const Error error = state.resolve(*known); error != kSuccess) return error;
  if (attribute == kMostDynamicShared) {
    const int most = Connection::get().device().shared_per_block_optin - known->facts.static_shared;
    if (value < 0 || value > most) return kInvalidValue;
    known->shared_limit = static_cast<std::uint64_t>(value);
  }
  if (attribute == kCarveout) known->shared_carveout = value;
  return kSuccess;
}

Error active_blocks(int* blocks, const void* function, int threads, std::size_t shared_bytes) {
  ProgramState& state = ProgramState::get();
  Function* known = state.find(function);
  if (known == nullptr) return kInvalidDeviceFunction;
  if (const Error error = state.resolve(*known); error != kSuccess) return error;
  if (blocks == nullptr || threads <= 0) return kInvalidValue;
  const OccupancyRequest request{known->facts.function, static_cast<std::uint32_t>(threads),
                                 shared_bytes};
  const auto reply = Connection::get().ask(Call::kOccupancy, request);
  *blocks = reply.head<OccupancyReply>().blocks;
  return reply.error;
}

}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT void** __cudaRegisterFatBinary(void* fat_binary) {
  auto* module = new Module;  // as long as the program
  module->fat_binary = fat_binary;
  return reinterpret_cast<void**>(module);
}
TILESCOPE_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}
TILESCOPE_EXPORT void __cudaUnregisterFatBinary(void**) {}
TILESCOPE_EXPORT void __cudaRegisterFunction(void** handle, const char* host, char*,
                                             const char* name, int, void*, void*, void*, void*,
                                             int*) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  Function& function = state.functions[host];
  function.module = module_of(handle);
  function.name = name;
}
TILESCOPE_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int,
                                        std::size_t, int, int) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  Variable& variable = state.variables[host];
  variable.module = module_of(handle);
  variable.name = name;
}
TILESCOPE_EXPORT void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name,
                                               int, std::size_t, int, int) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  Variable& variable = state.variables[host];
  variable.module = module_of(handle);
  variable.name = name;
  variable.managed = host;
}
// Before the program first uses a managed variable: its pointer is set.
TILESCOPE_EXPORT char __cudaInitModule(void** handle) {
  ProgramState& state = ProgramState::get();
  const std::scoped_lock lock(state.mutex);
  for (auto& [host, variable] : state.variables) {
    if (variable.managed == nullptr || variable.is_resolved ||
        variable.module != module_of(handle) || state.resolve(variable) != kSuccess)
      continue;
    open_pages(variable.range);
    *variable.managed = reinterpret_cast<void*>(variable.range.begin);
  }
  return 1;
}

TILESCOPE_EXPORT unsigned __cudaPushCallConfiguration(Extents grid, Extents block,
                                                      std::size_t shared_bytes, void* stream) {
  pushed.push_back({grid, block, shared_bytes, stream, TILESCOPE_CALLER});
  return 0;
}
TILESCOPE_EXPORT Error __cudaPopCallConfiguration(Extents* grid, Extents* block,
                                                  std::size_t* shared_bytes, void* stream) {
  if (pushed.empty()) return kInvalidConfiguration;
  const Configuration& top = pushed.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  launched_from = top.caller;
  pushed.pop_back();
  return kSuccess;
}
TILESCOPE_EXPORT Error __cudaGetKernel(void** kernel, const void* host) {
  *kernel = ProgramState::get().find(host);
  return *kernel == nullptr ? kInvalidDeviceFunction : kSuccess;
}
TILESCOPE_EXPORT Error __cudaLaunchKernel(void* kernel, Extents grid, Extents block,
                                          void** arguments, std::size_t shared_bytes,
                                          void* stream) {
  return finish(launch_kernel({.function = kernel,
                               .grid = grid,
                               .block = block,
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .arguments = arguments,
                               .caller = launched_from}),
                "<<< >>>", true);
}

TILESCOPE_EXPORT Error cudaLaunchKernel(const void* function, Extents grid, Extents block,
                                        void** arguments, std::size_t shared_bytes, void* stream) {
  return finish(launch_kernel({.function = function,
                               .grid = grid,
                               .block = block,
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .arguments = arguments,
                               .caller = launched_from != 0 ? launched_from : TILESCOPE_CALLER}),
                __func__, true);
}
TILESCOPE_EXPORT Error cudaLaunchCooperativeKernel(const void* function, Extents grid,
                                                   Extents block, void** arguments,
                                                   std::size_t shared_bytes, void* stream) {
  return finish(launch_kernel({.function = function,
                               .grid = grid,
                               .block = block,
                               .shared_bytes = shared_bytes,
                               .stream = stream,
                               .is_cooperative = true,
                               .arguments = arguments,
                               .caller = TILESCOPE_CALLER}),
                __func__);
}
TILESCOPE_EXPORT Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function,
                                           void** arguments) {
  if (config == nullptr) return finish(kInvalidValue, __func__);
  KernelLaunch launch{.function = function,
                      .grid = config->grid,
                      .block = config->block,
                      .shared_bytes = config->shared_bytes,
                      .stream = config->stream,
                      .arguments = arguments,
                      .caller = TILESCOPE_CALLER};
  launch.take({config->attributes, config->attribute_count});
  return finish(launch_kernel(launch), __func__);
}

TILESCOPE_EXPORT Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function) {
  return finish(function_attributes(attributes, function), __func__);
}
TILESCOPE_EXPORT Error cudaFuncSetAttribute(const void* function, int attribute, int value) {
  return finish(set_function_attribute(function, attribute, value), __func__);
}
TILESCOPE_EXPORT Error cudaFuncSetCacheConfig(const void*, int) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaFuncSetSharedMemConfig(const void*, int) {
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaFuncGetName(const char** name, const void* function) {
  Function* known = ProgramState::get().find(function);
  if (known == nullptr) return finish(kInvalidDeviceFunction, __func__);
  *name = known->name.c_str();
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetFuncBySymbol(void** function, const void* host) {
  *function = ProgramState::get().find(host);
  return finish(*function == nullptr ? kInvalidDeviceFunction : kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetKernel(void** kernel, const void* host) {
  return cudaGetFuncBySymbol(kernel, host);
}

TILESCOPE_EXPORT Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                     const void* function,
                                                                     int threads,
                                                                     std::size_t shared_bytes) {
  return finish(active_blocks(blocks, function, threads, shared_bytes), __func__);
}
TILESCOPE_EXPORT Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t shared_bytes, unsigned) {
  return finish(active_blocks(blocks, function, threads, shared_bytes), __func__);
}
TILESCOPE_EXPORT Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes,
                                                                 const void* function, int blocks,
                                                                 int) {
  Function* known = ProgramState::get().find(function);
  if (known == nullptr || blocks <= 0) return finish(kInvalidValue, __func__);
  const DeviceFacts& device = Connection::get().device();
  const int each = device.shared_per_multiprocessor / blocks - device.reserved_shared -
                   known->facts.static_shared;
  *bytes = static_cast<std::size_t>(each < 0 ? 0 : each);
  return finish(kSuccess, __func__);
}
