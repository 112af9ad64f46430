#include "runtime/device_calls.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "runtime/graph.h"
#include "runtime/program_state.h"

// The device, its properties, errors and versions. There is one device.
namespace tilescope::runtime {
namespace {

struct ErrorText {
  Error error;
  const char* name;
  const char* text;
};
constexpr std::array kErrors{
#define ERROR(number, name, text) ErrorText{number, name, text},
#include "runtime/errors.inc"
#undef ERROR
};
const ErrorText* find_error(Error error) {
  for (const ErrorText& known : kErrors) {
    if (known.error == error) return &known;
  }
  return nullptr;
}

constexpr int kMostThreadsZ = 64;
constexpr int kMostGridX = 0x7fffffff;
constexpr int kMostGridYz = 65535;
constexpr std::size_t kConstantBytes = 65536;
constexpr int kVersion = TILESCOPE_RUNTIME_MAJOR * 1000;

unsigned device_flags = 0;

// What both layouts of cudaDeviceProp have.
template <class Properties>
void fill(Properties& to) {
  const DeviceFacts& device = Connection::get().device();
  std::memset(&to, 0, sizeof to);
  std::memcpy(to.name, device.name, sizeof to.name);
  std::memcpy(to.uuid, kDeviceUuid, sizeof to.uuid);
  to.total_memory = device.memory_bytes;
  to.shared_per_block = static_cast<std::size_t>(device.shared_per_block);
  to.registers_per_block = device.registers_per_block;
  to.warp_size = 32;
  to.memory_pitch = 0x7fffffff;
  to.threads_per_block = device.threads_per_block;
  to.block_extents[0] = to.block_extents[1] = device.threads_per_block;
  to.block_extents[2] = kMostThreadsZ;
  to.grid_extents[0] = kMostGridX;
  to.grid_extents[1] = to.grid_extents[2] = kMostGridYz;
  to.constant_memory = kConstantBytes;
  to.major = device.compute_capability / 10;
  to.minor = device.compute_capability % 10;
  to.texture_alignment = 512;
  to.texture_pitch_alignment = 32;
  to.multiprocessors = device.multiprocessors;
  to.maps_host_memory = 1;
  to.surface_alignment = 512;
  to.concurrent_kernels = 1;
  to.ecc = 1;
  to.pci_bus = 1;
  to.async_engines = 3;
  to.unified_addressing = 1;
  to.memory_bus_bits = device.memory_bus_bits;
  to.l2_bytes = device.l2_bytes;
  to.threads_per_multiprocessor = device.threads_per_multiprocessor;
  to.stream_priorities = 1;
  to.caches_global = to.caches_local = 1;
  to.shared_per_multiprocessor = static_cast<std::size_t>(device.shared_per_multiprocessor);
  to.registers_per_multiprocessor = device.registers_per_multiprocessor;
  to.managed_memory = 1;
  to.concurrent_managed = 1;
  to.preemption = 1;
  to.registered_host_pointers = 1;
  to.cooperative_launch = 1;
  to.shared_per_block_optin = static_cast<std::size_t>(device.shared_per_block_optin);
  to.blocks_per_multiprocessor = device.blocks_per_multiprocessor;
  to.reserved_shared = static_cast<std::size_t>(device.reserved_shared);
  to.host_register = 1;
  to.memory_pools = 1;
  if (device.compute_capability >= 80) {
    to.persisting_l2_bytes = device.l2_bytes / 4 * 3;
    to.access_window = 128 << 20;
  }
  to.cluster_launch = device.compute_capability >= 90 ? 1 : 0;
}

}  // namespace

// What cudaDeviceGetAttribute says; each row ends with its name: cudaDevAttr... in driver_types.h,
// or CU_DEVICE_ATTRIBUTE_... in cuda.h where the runtime has none. The others are 0.
Error device_attribute(int* value, int attribute) {
  const DeviceFacts& device = Connection::get().device();
  Properties all{};
  fill(all);
  struct Row {
    int attribute;
    int value;
  };
  const Row rows[] = {
      {1, device.threads_per_block},                   // MaxThreadsPerBlock
      {2, device.threads_per_block},                   // MaxBlockDimX
      {3, device.threads_per_block},                   // MaxBlockDimY
      {4, kMostThreadsZ},                              // MaxBlockDimZ
      {5, kMostGridX},                                 // MaxGridDimX
      {6, kMostGridYz},                                // MaxGridDimY
      {7, kMostGridYz},                                // MaxGridDimZ
      {8, device.shared_per_block},                    // MaxSharedMemoryPerBlock
      {9, static_cast<int>(kConstantBytes)},           // TotalConstantMemory
      {10, 32},                                        // WarpSize
      {11, 0x7fffffff},                                // MaxPitch
      {12, device.registers_per_block},                // MaxRegistersPerBlock
      {13, device.clock_khz},                          // ClockRate
      {14, 512},                                       // TextureAlignment
      {15, 1},                                         // GpuOverlap
      {16, device.multiprocessors},                    // MultiProcessorCount
      {19, 1},                                         // CanMapHostMemory
      {30, 512},                                       // SurfaceAlignment
      {31, 1},                                         // ConcurrentKernels
      {32, 1},                                         // EccEnabled
      {33, 1},                                         // PciBusId
      {36, device.memory_clock_khz},                   // MemoryClockRate
      {37, device.memory_bus_bits},                    // GlobalMemoryBusWidth
      {38, device.l2_bytes},                           // L2CacheSize
      {39, device.threads_per_multiprocessor},         // MaxThreadsPerMultiProcessor
      {40, 3},                                         // AsyncEngineCount
      {41, 1},                                         // UnifiedAddressing
      {51, 32},                                        // TexturePitchAlignment
      {75, device.compute_capability / 10},            // ComputeCapabilityMajor
      {76, device.compute_capability % 10},            // ComputeCapabilityMinor
      {78, 1},                                         // StreamPrioritiesSupported
      {79, 1},                                         // GlobalL1CacheSupported
      {80, 1},                                         // LocalL1CacheSupported
      {81, device.shared_per_multiprocessor},          // MaxSharedMemoryPerMultiprocessor
      {82, device.registers_per_multiprocessor},       // MaxRegistersPerMultiprocessor
      {83, 1},                                         // ManagedMemory
      {87, 2},                                         // SingleToDoublePrecisionPerfRatio
      {89, 1},                                         // ConcurrentManagedAccess
      {90, 1},                                         // ComputePreemptionSupported
      {91, 1},                                         // CanUseHostPointerForRegisteredMem
      {95, 1},                                         // CooperativeLaunch
      {97, device.shared_per_block_optin},             // MaxSharedMemoryPerBlockOptin
      {99, 1},                                         // HostRegisterSupported
      {102, 1},                                        // VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
      {106, device.blocks_per_multiprocessor},         // MaxBlocksPerMultiprocessor
      {107, device.compute_capability >= 80 ? 1 : 0},  // GENERIC_COMPRESSION_SUPPORTED
      {108, all.persisting_l2_bytes},                  // MaxPersistingL2CacheSize
      {109, all.access_window},                        // MaxAccessPolicyWindowSize
      {111, device.reserved_shared},                   // ReservedSharedMemoryPerBlock
      {115, 1},                                        // MemoryPoolsSupported
      {120, all.cluster_launch},                       // ClusterLaunch
  };
  *value = 0;
  for (const Row& row : rows)
    if (row.attribute == attribute) *value = row.value;
  return kSuccess;
}

// cudaLimit: stack bytes of a thread, bytes of printf's buffer, of the heap for malloc(); depth of
// synchronisation and number of launches that kernels may make. What CUDA has unless a program sets
// it.
std::size_t device_limit(int limit) {
  constexpr std::array<std::size_t, 5> kDefaults{1024, 1 << 20, 8 << 20, 2, 2048};
  return limit >= 0 && limit < 5 ? kDefaults[static_cast<std::size_t>(limit)] : 0;
}

const char* error_text(Error error) {
  const ErrorText* known = find_error(error);
  return known == nullptr ? nullptr : known->text;
}

}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT const char* cudaGetErrorName(Error error) {
  const ErrorText* known = find_error(error);
  return known == nullptr ? "unrecognized error code" : known->name;
}
TILESCOPE_EXPORT const char* cudaGetErrorString(Error error) {
  const char* text = error_text(error);
  return text == nullptr ? "unrecognized error code" : text;
}
TILESCOPE_EXPORT Error cudaGetLastError() { return last_error(true); }
TILESCOPE_EXPORT Error cudaPeekAtLastError() { return last_error(false); }

TILESCOPE_EXPORT Error cudaGetDeviceCount(int* count) {
  *count = Connection::get().device().compute_capability != 0 ? 1 : 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetDevice(int* device) {
  *device = 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaSetDevice(int device) {
  return finish(device == 0 ? kSuccess : kInvalidDevice, __func__);
}
TILESCOPE_EXPORT Error cudaInitDevice(int device, unsigned, unsigned) {
  return finish(device == 0 ? kSuccess : kInvalidDevice, __func__);
}
TILESCOPE_EXPORT Error cudaChooseDevice(int* device, const void*) {
  *device = 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaSetValidDevices(int*, int) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaSetDeviceFlags(unsigned flags) {
  device_flags = flags;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetDeviceFlags(unsigned* flags) {
  *flags = device_flags;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetDeviceProperties_v2(Properties12* properties, int device) {
  if (device != 0) return finish(kInvalidDevice, __func__);
  fill(*properties);
  properties->clock_khz = Connection::get().device().clock_khz;
  properties->memory_clock_khz = Connection::get().device().memory_clock_khz;
  properties->device_overlap = 1;
  properties->single_to_double = 2;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetDeviceProperties(void* properties, int device) {
#if TILESCOPE_RUNTIME_MAJOR >= 13
  if (device != 0) return finish(kInvalidDevice, __func__);
  fill(*static_cast<Properties*>(properties));
  return finish(kSuccess, __func__);
#else
  return cudaGetDeviceProperties_v2(static_cast<Properties12*>(properties), device);
#endif
}
TILESCOPE_EXPORT Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 0) return finish(kInvalidDevice, __func__);
  return finish(device_attribute(value, attribute), __func__);
}
TILESCOPE_EXPORT Error cudaDeviceSynchronize() { return finish(synchronise(0, true), __func__); }
TILESCOPE_EXPORT Error cudaThreadSynchronize() { return finish(synchronise(0, true), __func__); }
TILESCOPE_EXPORT Error cudaDeviceReset() {
  synchronise(0, true);
  ProgramState::get().sticky = kSuccess;
  return last_error(true);
}
TILESCOPE_EXPORT Error cudaThreadExit() { return finish(synchronise(0, true), __func__); }
TILESCOPE_EXPORT Error cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return finish(kSuccess, __func__);
}
// There is no other one.
TILESCOPE_EXPORT Error cudaDeviceEnablePeerAccess(int, unsigned) {
  return finish(kInvalidDevice, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceDisablePeerAccess(int) { return finish(kInvalidDevice, __func__); }
TILESCOPE_EXPORT Error cudaDeviceGetPCIBusId(char* text, int length, int) {
  std::snprintf(text, static_cast<std::size_t>(length), "%s", kDeviceBus);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceGetByPCIBusId(int* device, const char*) {
  *device = 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceGetLimit(std::size_t* value, int limit) {
  *value = device_limit(limit);
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceSetLimit(int, std::size_t) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaDeviceSetCacheConfig(int) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaDeviceGetCacheConfig(int* config) {
  *config = 0;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDeviceSetSharedMemConfig(int) { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaDeviceGetSharedMemConfig(int* config) {
  *config = 1;  // banks of four bytes
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaCtxResetPersistingL2Cache() { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaProfilerStart() { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT Error cudaProfilerStop() { return finish(kSuccess, __func__); }
TILESCOPE_EXPORT ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}

// CUDA 13 gave the name of its predecessor's second form.
TILESCOPE_EXPORT Error cudaGraphAddDependencies_v2(void* graph, void* const* before,
                                                   void* const* after, const void*,
                                                   std::size_t count) {
  return finish(add_edges(graph, before, after, count), __func__);
}
#if TILESCOPE_RUNTIME_MAJOR >= 13
TILESCOPE_EXPORT Error cudaGraphAddDependencies(void* graph, void* const* before,
                                                void* const* after, const void* data,
                                                std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, before, after, data, count);
}
#else
TILESCOPE_EXPORT Error cudaGraphAddDependencies(void* graph, void* const* before,
                                                void* const* after, std::size_t count) {
  return cudaGraphAddDependencies_v2(graph, before, after, nullptr, count);
}
#endif
