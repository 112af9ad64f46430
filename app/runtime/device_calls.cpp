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

Error device_attribute(int* value, int attribute) {
  const DeviceFacts& device = Connection::get().device();
  Properties all{};
  fill(all);
  switch (attribute) {
    case 1:
      *value = device.threads_per_block;
      break;
    case 2:
      *value = device.threads_per_block;
      break;
    case 3:
      *value = device.threads_per_block;
      break;
    case 4:
      *value = kMostThreadsZ;
      break;
    case 5:
      *value = kMostGridX;
      break;
    case 6:
      *value = kMostGridYz;
      break;
    case 7:
      *value = kMostGridYz;
      break;
    case 8:
      *value = device.shared_per_block;
      break;
    case 9:
      *value = static_cast<int>(kConstantBytes);
      break;
    case 10:
      *value = 32;
      break;
    case 11:
      *value = 0x7fffffff;
      break;
    case 12:
      *value = device.registers_per_block;
      break;
    case 13:
      *value = device.clock_khz;
      break;
    case 14:
      *value = 512;
      break;
    case 15:
      *value = 1;
      break;
    case 16:
      *value = device.multiprocessors;
      break;
    case 19:
      *value = 1;
      break;
    case 30:
      *value = 512;
      break;
    case 31:
      *value = 1;
      break;
    case 32:
      *value = 1;
      break;
    case 33:
      *value = 1;
      break;
    case 36:
      *value = device.memory_clock_khz;
      break;
    case 37:
      *value = device.memory_bus_bits;
      break;
    case 38:
      *value = device.l2_bytes;
      break;
    case 39:
      *value = device.threads_per_multiprocessor;
      break;
    case 40:
      *value = 3;
      break;
    case 41:
      *value = 1;
      break;
    case 51:
      *value = 32;
      break;
    case 75:
      *value = device.compute_capability / 10;
      break;
    case 76:
      *value = device.compute_capability % 10;
      break;
    case 78:
      *value = 1;
      break;
    case 79:
      *value = 1;
      break;
    case 80:
      *value = 1;
      break;
    case 81:
      *value = device.shared_per_multiprocessor;
      break;
    case 82:
      *value = device.registers_per_multiprocessor;
      break;
    case 83:
      *value = 1;
      break;
    case 87:
      *value = 2;
      break;
    case 89:
      *value = 1;
      break;
    case 90:
      *value = 1;
      break;
    case 91:
      *value = 1;
      break;
    case 95:
      *value = 1;
      break;
    case 97:
      *value = device.shared_per_block_optin;
      break;
    case 99:
    case 102:  // virtual memory
      *value = 1;
      break;
    case 107:  // memory that is compressed
      *value = device.compute_capability >= 80 ? 1 : 0;
      break;
    case 106:
      *value = device.blocks_per_multiprocessor;
      break;
    case 108:
      *value = all.persisting_l2_bytes;
      break;
    case 109:
      *value = all.access_window;
      break;
    case 111:
      *value = device.reserved_shared;
      break;
    case 115:
      *value = 1;
      break;
    case 120:
      *value = all.cluster_launch;
      break;
    default:
      *value = 0;
      break;
  }
  return kSuccess;
}

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
