#include <algorithm>
#include <cstring>

#include "runtime/driver_calls.h"
#include "runtime/graph.h"
#include "runtime/memory.h"
#include "runtime/program_state.h"
#include "runtime/stream_calls.h"

// Of the driver library: memory, copies, sets; streams and events.
namespace tilescope::runtime::driver {
namespace {

void* pointer(DeviceAddress address) {
  return reinterpret_cast<void*>(address);  // NOLINT: device addresses are its own
}

Error allocate_at(DeviceAddress* address, std::size_t bytes, MemoryKind kind,
                  std::uint64_t caller) {
  if (address == nullptr || bytes == 0) return kInvalidValue;
  void* place = nullptr;
  const Error error = allocate(&place, bytes, kind, caller);
  *address = reinterpret_cast<DeviceAddress>(place);
  return error;
}

Error allocate_host(void** place, std::size_t bytes, std::uint64_t caller) {
  if (place == nullptr || bytes == 0) return kInvalidValue;
  return allocate(place, bytes, MemoryKind::kPageLocked, caller);
}

Error release_async(DeviceAddress address, void* stream) {
  if (capture_of(stream) != nullptr || is_graph_memory(pointer(address))) return kSuccess;
  return release(pointer(address));
}

struct Side {
  void* begin = nullptr;
  std::size_t pitch = 0;
  bool is_array = false;
};
Side side_of(const DriverPlace2& place, std::size_t width) {
  const std::size_t pitch = place.pitch == 0 ? width : place.pitch;
  const auto begin = place.kind == DriverMemory::kHost ? reinterpret_cast<DeviceAddress>(place.host)
                                                       : place.device;
  return {pointer(begin + place.y * pitch + place.x), pitch, place.kind == DriverMemory::kArray};
}
Error copy_2d(const DriverCopy2* copy, std::uint64_t caller, Asynchrony how = {}) {
  if (copy == nullptr) return kInvalidValue;
  const Side to = side_of(copy->to, copy->width);
  const Side from = side_of(copy->from, copy->width);
  if (to.is_array || from.is_array) return kNotSupported;
  return copy_rows(to.begin, from.begin, {to.pitch, from.pitch, copy->width, copy->height},
                   kDefault, caller, how);
}

template <class T>
Error give(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return kSuccess;
}
// CUpointer_attribute.
Error pointer_attribute(void* value, int attribute, DeviceAddress address) {
  const PointerReply known = ask_pointer(address);
  if (value == nullptr || known.is_known == 0) return kInvalidValue;
  const bool on_host = known.kind == MemoryKind::kPageLocked;
  switch (attribute) {
    case 1: {
      void* context = nullptr;
      cuDevicePrimaryCtxRetain(&context, 0);
      return give(value, context);
    }
    case 2:
      return give(value,
                  static_cast<unsigned>(on_host ? DriverMemory::kHost : DriverMemory::kDevice));
    case 3:
      return give(value, address);
    case 4:
      return known.kind == MemoryKind::kDevice ? kInvalidValue : give(value, pointer(address));
    case 7:
      return give(value, static_cast<unsigned long long>(known.range.begin));
    case 8:
      return give(value, static_cast<unsigned char>(known.kind == MemoryKind::kManaged));
    case 9:
      return give(value, 0);
    case 11:
      return give(value, static_cast<DeviceAddress>(known.range.begin));
    case 12:
      return give(value, static_cast<std::size_t>(known.range.bytes));
    case 13:
      return give(value, static_cast<unsigned char>(1));
    default:
      return kNotSupported;
  }
}

}  // namespace

Error cuMemAlloc_v2(DeviceAddress* address, std::size_t bytes) {
  return told(allocate_at(address, bytes, MemoryKind::kDevice, TILESCOPE_CALLER), __func__);
}
Error cuMemAllocAsync(DeviceAddress* address, std::size_t bytes, void*) {
  return told(allocate_at(address, bytes, MemoryKind::kDevice, TILESCOPE_CALLER), __func__);
}
Error cuMemAllocManaged(DeviceAddress* address, std::size_t bytes, unsigned) {
  return told(allocate_at(address, bytes, MemoryKind::kManaged, TILESCOPE_CALLER), __func__);
}
Error cuMemAllocPitch_v2(DeviceAddress* address, std::size_t* pitch, std::size_t width,
                         std::size_t height, unsigned) {
  if (pitch == nullptr) return told(kInvalidValue, __func__);
  *pitch = pitch_of(width);
  return told(allocate_at(address, *pitch * height, MemoryKind::kDevice, TILESCOPE_CALLER),
              __func__);
}
Error cuMemAllocHost_v2(void** place, std::size_t bytes) {
  return told(allocate_host(place, bytes, TILESCOPE_CALLER), __func__);
}
Error cuMemHostAlloc(void** place, std::size_t bytes, unsigned) {
  return told(allocate_host(place, bytes, TILESCOPE_CALLER), __func__);
}
Error cuMemFree_v2(DeviceAddress address) { return told(release(pointer(address)), __func__); }
Error cuMemFreeAsync(DeviceAddress address, void* stream) {
  return told(release_async(address, stream), __func__);
}
Error cuMemFreeHost(void* place) { return told(release(place, Freeing::kHost), __func__); }
Error cuMemHostRegister_v2(void* place, std::size_t bytes, unsigned) {
  if (place == nullptr || bytes == 0) return told(kInvalidValue, __func__);
  return told(share_pages({reinterpret_cast<std::uint64_t>(place), bytes}), __func__);
}
Error cuMemHostUnregister(void* place) {
  return told(release(place, Freeing::kRegistered), __func__);
}
Error cuMemHostGetDevicePointer_v2(DeviceAddress* address, void* place, unsigned) {
  const auto wanted = reinterpret_cast<DeviceAddress>(place);
  if (address == nullptr || ask_pointer(wanted).is_known == 0) return told(kInvalidValue, __func__);
  *address = wanted;
  return kSuccess;
}
Error cuMemHostGetFlags(unsigned* flags, void*) {
  *flags = 2;  // mapped
  return kSuccess;
}
Error cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const auto memory = Connection::get().ask_bytes(Call::kMemory, {}).head<MemoryReply>();
  if (free != nullptr) *free = memory.free;
  if (total != nullptr) *total = memory.total;
  return kSuccess;
}
Error cuMemGetAddressRange_v2(DeviceAddress* begin, std::size_t* bytes, DeviceAddress address) {
  const PointerReply known = ask_pointer(address);
  if (known.is_known == 0) return told(kInvalidValue, __func__);
  if (begin != nullptr) *begin = known.range.begin;
  if (bytes != nullptr) *bytes = known.range.bytes;
  return kSuccess;
}
// Programs ask for what is no device memory, too, and take the error for an answer.
Error cuPointerGetAttribute(void* value, int attribute, DeviceAddress address) {
  return pointer_attribute(value, attribute, address);
}
Error cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                             DeviceAddress address) {
  for (unsigned i = 0; i < count; ++i) {
    if (pointer_attribute(values[i], attributes[i], address) != kSuccess)
      std::memset(values[i], 0, attributes[i] == 8 ? 1 : 4);
  }
  return kSuccess;
}
Error cuPointerSetAttribute(const void*, int, DeviceAddress) { return kSuccess; }

Error cuMemcpy(DeviceAddress to, DeviceAddress from, std::size_t bytes) {
  return told(copy_bytes(pointer(to), pointer(from), bytes, kDefault, TILESCOPE_CALLER), __func__);
}
Error cuMemcpyAsync(DeviceAddress to, DeviceAddress from, std::size_t bytes, void* stream) {
  return told(
      copy_bytes(pointer(to), pointer(from), bytes, kDefault, TILESCOPE_CALLER, {true, stream}),
      __func__);
}
Error cuMemcpyHtoD_v2(DeviceAddress to, const void* from, std::size_t bytes) {
  return told(copy_bytes(pointer(to), from, bytes, kHostToDevice, TILESCOPE_CALLER), __func__);
}
Error cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, std::size_t bytes, void* stream) {
  return told(copy_bytes(pointer(to), from, bytes, kHostToDevice, TILESCOPE_CALLER, {true, stream}),
              __func__);
}
Error cuMemcpyDtoH_v2(void* to, DeviceAddress from, std::size_t bytes) {
  return told(copy_bytes(to, pointer(from), bytes, kDeviceToHost, TILESCOPE_CALLER), __func__);
}
Error cuMemcpyDtoHAsync_v2(void* to, DeviceAddress from, std::size_t bytes, void* stream) {
  return told(copy_bytes(to, pointer(from), bytes, kDeviceToHost, TILESCOPE_CALLER, {true, stream}),
              __func__);
}
Error cuMemcpyDtoD_v2(DeviceAddress to, DeviceAddress from, std::size_t bytes) {
  return told(copy_bytes(pointer(to), pointer(from), bytes, kDeviceToDevice, TILESCOPE_CALLER),
              __func__);
}
Error cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from, std::size_t bytes, void* stream) {
  return told(copy_bytes(pointer(to), pointer(from), bytes, kDeviceToDevice, TILESCOPE_CALLER,
                         {true, stream}),
              __func__);
}
Error cuMemcpy2D_v2(const DriverCopy2* copy) {
  return told(copy_2d(copy, TILESCOPE_CALLER), __func__);
}
Error cuMemcpy2DUnaligned_v2(const DriverCopy2* copy) {
  return told(copy_2d(copy, TILESCOPE_CALLER), __func__);
}
Error cuMemcpy2DAsync_v2(const DriverCopy2* copy, void* stream) {
  return told(copy_2d(copy, TILESCOPE_CALLER, {true, stream}), __func__);
}
Error cuMemsetD8_v2(DeviceAddress to, unsigned char value, std::size_t count) {
  return told(set_elements(pointer(to), value, 1, count, TILESCOPE_CALLER), __func__);
}
Error cuMemsetD16_v2(DeviceAddress to, unsigned short value, std::size_t count) {
  return told(set_elements(pointer(to), value, 2, count, TILESCOPE_CALLER), __func__);
}
Error cuMemsetD32_v2(DeviceAddress to, unsigned value, std::size_t count) {
  return told(set_elements(pointer(to), value, 4, count, TILESCOPE_CALLER), __func__);
}
Error cuMemsetD8Async(DeviceAddress to, unsigned char value, std::size_t count, void* stream) {
  return told(set_elements(pointer(to), value, 1, count, TILESCOPE_CALLER, stream), __func__);
}
Error cuMemsetD16Async(DeviceAddress to, unsigned short value, std::size_t count, void* stream) {
  return told(set_elements(pointer(to), value, 2, count, TILESCOPE_CALLER, stream), __func__);
}
Error cuMemsetD32Async(DeviceAddress to, unsigned value, std::size_t count, void* stream) {
  return told(set_elements(pointer(to), value, 4, count, TILESCOPE_CALLER, stream), __func__);
}
Error cuMemPrefetchAsync(DeviceAddress, std::size_t, int, void*) { return kSuccess; }
Error cuMemAdvise(DeviceAddress, std::size_t, int, int) { return kSuccess; }

Error cuStreamCreate(void** stream, unsigned flags) {
  return told(make_stream(stream, flags, 0), __func__);
}
Error cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return told(make_stream(stream, flags, priority), __func__);
}
Error cuStreamDestroy_v2(void* stream) { return told(destroy_stream(stream), __func__); }
Error cuStreamSynchronize(void* stream) { return told(wait_for_stream(stream), __func__); }
Error cuStreamQuery(void* stream) { return told(wait_for_stream(stream), __func__); }
Error cuStreamWaitEvent(void* stream, void* event, unsigned) {
  let_stream_wait(stream, event);
  return told(kSuccess, __func__);
}
Error cuStreamGetFlags(void* stream, unsigned* flags) {
  *flags = stream_id(stream) == 0 ? 0 : static_cast<Stream*>(stream)->flags;
  return kSuccess;
}
Error cuStreamGetPriority(void* stream, int* priority) {
  *priority = stream_id(stream) == 0 ? 0 : static_cast<Stream*>(stream)->priority;
  return kSuccess;
}
Error cuStreamGetCtx(void*, void** context) { return cuCtxGetCurrent(context); }
Error cuStreamIsCapturing(void* stream, int* status) {
  *status = capture_of(stream) != nullptr ? 1 : 0;
  return kSuccess;
}
Error cuStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned) {
  call_after(stream, function, data);
  return kSuccess;
}
Error cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return told(call_in_order(stream, function, data), __func__);
}
Error cuEventCreate(void** event, unsigned flags) {
  return told(make_event(event, flags), __func__);
}
Error cuEventDestroy_v2(void* event) { return told(destroy_event(event), __func__); }
Error cuEventRecord(void* event, void* stream) {
  return told(record_event(event, stream), __func__);
}
Error cuEventSynchronize(void* event) { return told(wait_for_event(event), __func__); }
Error cuEventQuery(void* event) { return told(wait_for_event(event), __func__); }
Error cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return told(elapsed_between(milliseconds, start, end), __func__);
}
Error cuEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return told(elapsed_between(milliseconds, start, end), __func__);
}

}  // namespace tilescope::runtime::driver
