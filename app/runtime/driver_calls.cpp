#include "runtime/driver_calls.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/device_calls.h"
#include "runtime/missing_calls.h"
#include "runtime/program_state.h"

// Of the driver library: how its functions are found, errors, the device, contexts.
namespace tilescope::runtime::driver {
namespace {

struct EntryPoint {
  std::string_view name;
  void* function;
};
constexpr int kDriverVersion = 13000;

// What CUcontext points to. All of them stand for the one device.
struct Context {
  unsigned flags = 0;
};
Context* primary() {
  static Context context;
  return &context;
}
thread_local std::vector<Context*> contexts;  // the last is the current one

Context* current() {
  if (!contexts.empty()) return contexts.back();
  return has_used_runtime() ? primary() : nullptr;
}

Error create(void** context, unsigned flags, int device) {
  if (context == nullptr) return kInvalidValue;
  if (device != 0) return kInvalidDevice;
  *context = contexts.emplace_back(new Context{flags});
  return kSuccess;
}

template <class T>
Error give(T* to, T value) {
  if (to == nullptr) return kInvalidValue;
  *to = value;
  return kSuccess;
}

struct ErrorName {
  Error error;
  const char* name;
};
constexpr std::array kErrorNames{
#define DRIVER_ERROR(number, name) ErrorName{number, name},
#include "runtime/driver_errors.inc"
#undef DRIVER_ERROR
};

}  // namespace

void* entry_point(const char* name) {
  static const std::array kEntryPoints{
#define DRIVER_CALL(name, parameters, arguments) \
  EntryPoint{#name, reinterpret_cast<void*>(&driver::name)},
#include "runtime/driver_calls.inc"
#undef DRIVER_CALL
  };
  // Of a function that has changed, the newest: programs that were built lately ask for it by the
  // plain name.
  const std::string plain(name);
  for (const std::string& wanted : {plain + "_v2", plain}) {
    const auto found = std::ranges::find(kEntryPoints, std::string_view(wanted), &EntryPoint::name);
    if (found != kEntryPoints.end()) return found->function;
  }
  return nullptr;
}

Error told(Error error, const char* name) {
  if (error == kSuccess) error = ProgramState::get().sticky;
  if (error != kSuccess && error != kNotReady)
    Connection::get().ask_about(Call::kFailed, FailedRequest{error, 0, 0}, name);
  return error;
}

Error cuInit(unsigned) { return kSuccess; }
Error cuDriverGetVersion(int* version) { return give(version, kDriverVersion); }
Error cuGetErrorName(int error, const char** text) {
  const auto found = std::ranges::find(kErrorNames, error, &ErrorName::error);
  if (found == kErrorNames.end()) return kInvalidValue;
  return give(text, found->name);
}
Error cuGetErrorString(int error, const char** text) {
  const char* found = error_text(error);
  if (found == nullptr) return kInvalidValue;
  return give(text, found);
}
Error cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int* status) {
  if (name == nullptr || function == nullptr) return kInvalidValue;
  *function = entry_point(name);
  if (status != nullptr) *status = *function != nullptr ? 0 : 1;  // 1: no such symbol
  return *function != nullptr ? kSuccess : kSymbolNotFound;
}
Error cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// What NVIDIA's own libraries share; they go on without.
Error cuGetExportTable(const void** table, const void*) {
  if (table != nullptr) *table = nullptr;
  return kSymbolNotFound;
}

Error cuDeviceGet(int* device, int ordinal) {
  return ordinal == 0 ? give(device, 0) : kInvalidDevice;
}
Error cuDeviceGetCount(int* count) {
  return give(count, Connection::get().device().compute_capability != 0 ? 1 : 0);
}
Error cuDeviceGetName(char* name, int length, int device) {
  if (device != 0) return kInvalidDevice;
  if (name == nullptr || length < 1) return kInvalidValue;
  std::snprintf(name, static_cast<std::size_t>(length), "%s", Connection::get().device().name);
  return kSuccess;
}
Error cuDeviceGetUuid_v2(void* uuid, int device) {
  if (device != 0) return kInvalidDevice;
  std::memcpy(uuid, kDeviceUuid, 16);
  return kSuccess;
}
Error cuDeviceGetUuid(void* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
Error cuDeviceGetLuid(char*, unsigned*, int) { return kNotSupported; }  // Windows alone has one
Error cuDeviceGetPCIBusId(char* text, int length, int device) {
  if (device != 0) return kInvalidDevice;
  std::snprintf(text, static_cast<std::size_t>(length), "%s", kDeviceBus);
  return kSuccess;
}
Error cuDeviceGetByPCIBusId(int* device, const char*) { return give(device, 0); }
Error cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (device != 0) return kInvalidDevice;
  return give(bytes, static_cast<std::size_t>(Connection::get().device().memory_bytes));
}
Error cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (device != 0) return kInvalidDevice;
  return value == nullptr ? kInvalidValue : device_attribute(value, attribute);
}
Error cuDeviceComputeCapability(int* major, int* minor, int device) {
  if (device != 0) return kInvalidDevice;
  *major = Connection::get().device().compute_capability / 10;
  *minor = Connection::get().device().compute_capability % 10;
  return kSuccess;
}
Error cuDeviceCanAccessPeer(int* can, int, int) { return give(can, 0); }

Error cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device != 0) return kInvalidDevice;
  return give(context, static_cast<void*>(primary()));
}
Error cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
Error cuDevicePrimaryCtxReset_v2(int) {
  ProgramState::get().sticky = kSuccess;
  return kSuccess;
}
Error cuDevicePrimaryCtxSetFlags_v2(int, unsigned flags) {
  primary()->flags = flags;
  return kSuccess;
}
Error cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  if (flags != nullptr) *flags = primary()->flags;
  return give(active, 1);
}
Error cuCtxCreate_v2(void** context, unsigned flags, int device) {
  return told(create(context, flags, device), __func__);
}
Error cuCtxCreate_v3(void** context, void*, int, unsigned flags, int device) {
  return told(create(context, flags, device), __func__);
}
Error cuCtxCreate_v4(void** context, void*, unsigned flags, int device) {
  return told(create(context, flags, device), __func__);
}
Error cuCtxDestroy_v2(void* context) {
  if (context == nullptr) return told(kInvalidContext, __func__);
  std::erase(contexts, context);
  const Error waited = synchronise(0, true);
  if (context != primary()) delete static_cast<Context*>(context);
  return waited;
}
Error cuCtxPushCurrent_v2(void* context) {
  if (context == nullptr) return told(kInvalidContext, __func__);
  contexts.push_back(static_cast<Context*>(context));
  return kSuccess;
}
Error cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) return told(kInvalidContext, __func__);
  if (context != nullptr) *context = contexts.back();
  contexts.pop_back();
  return kSuccess;
}
Error cuCtxSetCurrent(void* context) {
  if (!contexts.empty()) contexts.pop_back();
  if (context != nullptr) contexts.push_back(static_cast<Context*>(context));
  return kSuccess;
}
Error cuCtxGetCurrent(void** context) { return give(context, static_cast<void*>(current())); }
Error cuCtxGetDevice(int* device) {
  return current() != nullptr ? give(device, 0) : kInvalidContext;
}
Error cuCtxGetFlags(unsigned* flags) {
  return current() != nullptr ? give(flags, current()->flags) : kInvalidContext;
}
Error cuCtxGetApiVersion(void*, unsigned* version) {
  return give(version, static_cast<unsigned>(kDriverVersion));
}
Error cuCtxSynchronize() { return told(synchronise(0, true), __func__); }
Error cuCtxGetLimit(std::size_t* value, int limit) { return give(value, device_limit(limit)); }
Error cuCtxSetLimit(int, std::size_t) { return kSuccess; }
Error cuCtxGetCacheConfig(int* config) { return give(config, 0); }
Error cuCtxSetCacheConfig(int) { return kSuccess; }
Error cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return kSuccess;
}
Error cuProfilerStart() { return kSuccess; }
Error cuProfilerStop() { return kSuccess; }

}  // namespace tilescope::runtime::driver

using namespace tilescope::runtime;

// cudaDriverEntryPointQueryResult: 0 found, 1 no such symbol.
TILESCOPE_EXPORT Error cudaGetDriverEntryPoint(const char* name, void** function,
                                               unsigned long long, int* status) {
  if (name == nullptr || function == nullptr) return finish(kInvalidValue, __func__);
  *function = driver::entry_point(name);
  if (status != nullptr) *status = *function != nullptr ? 0 : 1;
  return finish(kSuccess, __func__);
}
TILESCOPE_EXPORT Error cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                                        unsigned long long flags, int* status) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
// For libcuda.so.1: a function of the driver library that is not here was called.
TILESCOPE_EXPORT void* __cudaDriverEntryPoint(const char* name) {
  return driver::entry_point(name);
}
TILESCOPE_EXPORT Error __cudaMissingDriverCall(const char* name) { return missing(name); }
