#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/driver_calls.h"
#include "runtime/program_state.h"

// Of the driver library: tensor maps.
namespace tilescope::runtime {
namespace {

constexpr std::size_t kMapBytes = 128;

Error encode(void* map, const TensorMapRequest& request) {
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

}  // namespace
}  // namespace tilescope::runtime

namespace tilescope::runtime::driver {

Error cuTensorMapEncodeTiled(void* map, std::uint32_t element, std::uint32_t rank, void* address,
                             const std::uint64_t* extents, const std::uint64_t* strides,
                             const std::uint32_t* box, const std::uint32_t* steps,
                             std::uint32_t interleave, std::uint32_t swizzle,
                             std::uint32_t promotion, std::uint32_t fill) {
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

Error cuTensorMapEncodeIm2col(void* map, std::uint32_t element, std::uint32_t rank, void* address,
                              const std::uint64_t* extents, const std::uint64_t* strides,
                              const int* lower, const int* upper, std::uint32_t channels,
                              std::uint32_t pixels, const std::uint32_t* steps,
                              std::uint32_t interleave, std::uint32_t swizzle,
                              std::uint32_t promotion, std::uint32_t fill) {
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

}  // namespace tilescope::runtime::driver
