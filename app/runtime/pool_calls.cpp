#include <array>
#include <cstdint>
#include <cstring>

#include "runtime/driver_calls.h"
#include "runtime/memory.h"
#include "runtime/program_state.h"

// Memory pools of the driver library and of the runtime library, which are the same. All memory is
// the device's: a pool only remembers what it was told.
namespace tilescope::runtime::driver {
namespace {

// CUmemPool_attribute, from 1: whether freed memory is used again (three ints), the bytes that are
// kept, and what is reserved and used, now and at most.
struct Pool {
  std::array<std::uint64_t, 9> attributes{0, 1, 1, 1, 0, 0, 0, 0, 0};
};
constexpr int kReleaseThreshold = 4;

Pool& default_pool() {
  static Pool pool;
  return pool;
}

std::size_t size_of(int attribute) {
  return attribute < kReleaseThreshold ? sizeof(int) : sizeof(std::uint64_t);
}
bool is_attribute(int attribute) { return attribute >= 1 && attribute <= 8; }

}  // namespace

Error cuDeviceGetDefaultMemPool(void** pool, int) {
  if (pool == nullptr) return told(kInvalidValue, __func__);
  *pool = &default_pool();
  return kSuccess;
}
Error cuDeviceGetMemPool(void** pool, int device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
Error cuDeviceSetMemPool(int, void*) { return kSuccess; }
Error cuMemPoolCreate(void** pool, const void*) {
  if (pool == nullptr) return told(kInvalidValue, __func__);
  *pool = new Pool;
  return kSuccess;
}
Error cuMemPoolDestroy(void* pool) {
  if (pool != &default_pool()) delete static_cast<Pool*>(pool);
  return kSuccess;
}
Error cuMemPoolGetAttribute(void* pool, int attribute, void* value) {
  if (pool == nullptr || value == nullptr || !is_attribute(attribute))
    return told(kInvalidValue, __func__);
  std::memcpy(value, &static_cast<Pool*>(pool)->attributes[static_cast<std::size_t>(attribute)],
              size_of(attribute));
  return kSuccess;
}
Error cuMemPoolSetAttribute(void* pool, int attribute, const void* value) {
  if (pool == nullptr || value == nullptr || !is_attribute(attribute))
    return told(kInvalidValue, __func__);
  std::memcpy(&static_cast<Pool*>(pool)->attributes[static_cast<std::size_t>(attribute)], value,
              size_of(attribute));
  return kSuccess;
}
Error cuMemPoolTrimTo(void*, std::size_t) { return kSuccess; }
Error cuMemPoolSetAccess(void*, const void*, std::size_t) { return kSuccess; }
Error cuMemPoolGetAccess(int* flags, void*, const void*) {
  if (flags == nullptr) return told(kInvalidValue, __func__);
  *flags = 3;  // read and write
  return kSuccess;
}
Error cuMemAllocFromPoolAsync(DeviceAddress* address, std::size_t bytes, void*, void*) {
  if (address == nullptr || bytes == 0) return told(kInvalidValue, __func__);
  void* place = nullptr;
  const Error error = allocate(&place, bytes, MemoryKind::kDevice, TILESCOPE_CALLER);
  *address = reinterpret_cast<DeviceAddress>(place);
  return told(error, __func__);
}

}  // namespace tilescope::runtime::driver

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaDeviceGetDefaultMemPool(void** pool, int device) {
  return finish(driver::cuDeviceGetDefaultMemPool(pool, device), __func__);
}
TILESCOPE_EXPORT Error cudaDeviceGetMemPool(void** pool, int device) {
  return finish(driver::cuDeviceGetMemPool(pool, device), __func__);
}
TILESCOPE_EXPORT Error cudaDeviceSetMemPool(int device, void* pool) {
  return finish(driver::cuDeviceSetMemPool(device, pool), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolCreate(void** pool, const void* properties) {
  return finish(driver::cuMemPoolCreate(pool, properties), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolDestroy(void* pool) {
  return finish(driver::cuMemPoolDestroy(pool), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolGetAttribute(void* pool, int attribute, void* value) {
  return finish(driver::cuMemPoolGetAttribute(pool, attribute, value), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolSetAttribute(void* pool, int attribute, void* value) {
  return finish(driver::cuMemPoolSetAttribute(pool, attribute, value), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolTrimTo(void* pool, std::size_t bytes) {
  return finish(driver::cuMemPoolTrimTo(pool, bytes), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolSetAccess(void* pool, const void* access, std::size_t count) {
  return finish(driver::cuMemPoolSetAccess(pool, access, count), __func__);
}
TILESCOPE_EXPORT Error cudaMemPoolGetAccess(int* flags, void* pool, void* place) {
  return finish(driver::cuMemPoolGetAccess(flags, pool, place), __func__);
}
