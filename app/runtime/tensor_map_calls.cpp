#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/program_state.h"

// What the driver has and the runtime library hands out by cudaGetDriverEntryPoint: tensor maps
// (cuda.h). Their bytes are the emulator's own.
namespace tilescope::runtime {
namespace {

using DriverResult = int;  // CUresult; its numbers are cudaError_t's
constexpr std::size_t kMapBytes = 128;

DriverResult encode(void* map, const TensorMapRequest& request) {
  const auto reply = Connection::get().ask(Call::kTensorMap, request);
  if (reply.error == kSuccess && reply.bytes.size() == kMapBytes)
    std::memcpy(map, reply.bytes.data(), kMapBytes);
  return reply.error;
}

// false: the numbers are none that a map can have.
bool set_tensor(TensorMapRequest* request, std::uint32_t element, std::uint32_t rank,
                const void* address, const std::uint64_t* extents, const std::uint64_t* strides,
                const std::uint32_t* steps) {
  if (rank < 1 || rank > 5 || extents == nullptr || steps == nullptr ||
      (rank > 1 && strides == nullptr))
    return false;
  request->element = element;
  request->rank = rank;
  request->address = reinterpret_cast<std::uint64_t>(address);
  std::copy_n(extents, rank, request->extents);
  std::copy_n(steps, rank, request->steps);
  if (rank > 1) std::copy_n(strides, rank - 1, request->strides);
  return true;
}

DriverResult encode_tiled(void* map, std::uint32_t element, std::uint32_t rank, void* address,
                          const std::uint64_t* extents, const std::uint64_t* strides,
                          const std::uint32_t* box, const std::uint32_t* steps,
                          std::uint32_t interleave, std::uint32_t swizzle, std::uint32_t promotion,
                          std::uint32_t fill) {
  TensorMapRequest request;
  request.caller = TILESCOPE_CALLER;
  if (map == nullptr || box == nullptr ||
      !set_tensor(&request, element, rank, address, extents, strides, steps))
    return kInvalidValue;
  std::copy_n(box, rank, request.box);
  request.interleave = interleave;
  request.swizzle = swizzle;
  request.promotion = promotion;
  request.fill = fill;
  return encode(map, request);
}

DriverResult encode_im2col(void* map, std::uint32_t element, std::uint32_t rank, void* address,
                           const std::uint64_t* extents, const std::uint64_t* strides,
                           const int* lower, const int* upper, std::uint32_t channels,
                           std::uint32_t pixels, const std::uint32_t* steps,
                           std::uint32_t interleave, std::uint32_t swizzle, std::uint32_t promotion,
                           std::uint32_t fill) {
  TensorMapRequest request;
  request.caller = TILESCOPE_CALLER;
  if (map == nullptr || lower == nullptr || upper == nullptr || rank < 3 ||
      !set_tensor(&request, element, rank, address, extents, strides, steps))
    return kInvalidValue;
  request.is_im2col = 1;
  std::copy_n(lower, rank - 2, request.lower);
  std::copy_n(upper, rank - 2, request.upper);
  request.channels = channels;
  request.pixels = pixels;
  request.interleave = interleave;
  request.swizzle = swizzle;
  request.promotion = promotion;
  request.fill = fill;
  return encode(map, request);
}

DriverResult initialise(unsigned) { return kSuccess; }

DriverResult driver_version(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = 13000;
  return kSuccess;
}

DriverResult error_string(DriverResult error, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = error == kSuccess        ? "no error"
          : error == kInvalidValue ? "invalid argument"
                                   : "an error of CUDA's driver";
  return kSuccess;
}

DriverResult error_name(DriverResult error, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = error == kSuccess        ? "CUDA_SUCCESS"
          : error == kInvalidValue ? "CUDA_ERROR_INVALID_VALUE"
                                   : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

struct EntryPoint {
  std::string_view name;
  void* function;
};

void* entry_point(std::string_view name) {
  static const std::array kEntryPoints{
      EntryPoint{"cuTensorMapEncodeTiled", reinterpret_cast<void*>(encode_tiled)},
      EntryPoint{"cuTensorMapEncodeIm2col", reinterpret_cast<void*>(encode_im2col)},
      EntryPoint{"cuInit", reinterpret_cast<void*>(initialise)},
      EntryPoint{"cuDriverGetVersion", reinterpret_cast<void*>(driver_version)},
      EntryPoint{"cuGetErrorString", reinterpret_cast<void*>(error_string)},
      EntryPoint{"cuGetErrorName", reinterpret_cast<void*>(error_name)}};
  const auto found = std::ranges::find(kEntryPoints, name, &EntryPoint::name);
  return found == kEntryPoints.end() ? nullptr : found->function;
}

// cudaDriverEntryPointQueryResult: 0 found, 1 no such symbol.
Error find_entry_point(const char* name, void** function, int* status) {
  if (name == nullptr || function == nullptr) return kInvalidValue;
  *function = entry_point(name);
  if (status != nullptr) *status = *function != nullptr ? 0 : 1;
  return kSuccess;
}

}  // namespace
}  // namespace tilescope::runtime

using namespace tilescope::runtime;

TILESCOPE_EXPORT Error cudaGetDriverEntryPoint(const char* name, void** function,
                                               unsigned long long, int* status) {
  return finish(find_entry_point(name, function, status), __func__);
}
TILESCOPE_EXPORT Error cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                                        unsigned long long, int* status) {
  return finish(find_entry_point(name, function, status), __func__);
}
