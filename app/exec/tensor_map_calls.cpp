#include "exec/tensor_map_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "kernel/launch/tensor_map.h"
#include "runtime/cuda_abi.h"

namespace tilescope {

namespace wire = runtime;

namespace {

// By CUtensorMapDataType.
constexpr std::array kElements{
    TensorMap::Element::kU8,         TensorMap::Element::kU16,        TensorMap::Element::kU32,
    TensorMap::Element::kS32,        TensorMap::Element::kU64,        TensorMap::Element::kS64,
    TensorMap::Element::kF16,        TensorMap::Element::kF32,        TensorMap::Element::kF64,
    TensorMap::Element::kBf16,       TensorMap::Element::kF32Flushed, TensorMap::Element::kTf32,
    TensorMap::Element::kTf32Flushed};

// Numbers that the map has no room for are ones that the driver refuses, too.
template <class To, class From>
To narrowed(From value) {
  const bool fits = value >= 0 && static_cast<std::uint64_t>(value) <=
                                      static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  return fits ? static_cast<To>(value) : To{0};
}

TensorMap map_of(const wire::TensorMapRequest& request) {
  TensorMap map;
  map.last_dimension = narrowed<std::uint8_t>(request.rank - 1);
  map.element =
      request.element < kElements.size() ? kElements[request.element] : TensorMap::Element{0xff};
  map.interleave = static_cast<TensorMap::Interleave>(narrowed<std::uint8_t>(request.interleave));
  // CU_TENSOR_MAP_SWIZZLE_128B_ATOM_... are 4 and up.
  map.swizzle = static_cast<TensorMap::Swizzle>(std::min(request.swizzle, 3u));
  if (request.swizzle > 3)
    map.atom = static_cast<TensorMap::Atom>(narrowed<std::uint8_t>(request.swizzle - 3));
  map.promotion = narrowed<std::uint8_t>(request.promotion);
  map.fill = static_cast<TensorMap::Fill>(narrowed<std::uint8_t>(request.fill));
  map.mode = request.is_im2col != 0 ? TensorMap::Mode::kIm2col : TensorMap::Mode::kTiled;
  map.address = request.address;
  for (unsigned i = 0; i < TensorMap::kMostRank; ++i) {
    map.extent[i] = narrowed<std::uint32_t>(request.extents[i]);
    map.box[i] = narrowed<std::uint16_t>(request.box[i]);
    map.step[i] = narrowed<std::uint8_t>(request.steps[i]);
  }
  std::copy_n(request.strides, map.stride.size(), map.stride.begin());
  for (unsigned i = 0; i < map.lower.size(); ++i) {
    map.lower[i] = static_cast<std::int16_t>(request.lower[i]);
    map.upper[i] = static_cast<std::int16_t>(request.upper[i]);
  }
  map.channels = narrowed<std::uint16_t>(request.channels);
  map.pixels = narrowed<std::uint16_t>(request.pixels);
  return map;
}

}  // namespace

Answer tensor_map_answer(const wire::TensorMapRequest& request, HostProblems& problems) {
  const TensorMap map = map_of(request);
  if (const std::string mistake = mistake_in(map); !mistake.empty()) {
    problems.note(
        {.kind = HostProblem::Kind::kFailedCall,
         .message = fmt::format(
             "{} gives CUDA_ERROR_INVALID_VALUE: the tensor map has {}",
             request.is_im2col != 0 ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled",
             mistake),
         .caller = request.caller});
    return refusal(wire::kInvalidValue);
  }
  Answer answer;
  std::array<std::byte, TensorMap::kBytes> bytes{};
  map.write(bytes.data());
  answer.add(bytes);
  return answer;
}

}  // namespace tilescope
