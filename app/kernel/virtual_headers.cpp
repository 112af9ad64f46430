#include "kernel/virtual_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/small_headers.h"

namespace tilescope {
namespace {

// Headers of the standard library that CUDA has for device code.
constexpr std::array<std::string_view, 23> kCudaStandard = {
    "array",   "atomic",   "barrier", "bit",     "cfloat",     "chrono",      "climits", "cmath",
    "complex", "concepts", "cstddef", "cstdint", "functional", "iterator",    "limits",  "memory",
    "numeric", "optional", "ratio",   "span",    "tuple",      "type_traits", "utility"};

// Files of CUDA's folder that NVRTC can read; cuda/ and nv/ as a whole.
constexpr std::array<std::string_view, 20> kDeviceHeaders = {"cuda_fp16.h",
                                                             "cuda_bf16.h",
                                                             "cuda_fp8.h",
                                                             "cuda_fp6.h",
                                                             "cuda_fp4.h",
                                                             "mma.h",
                                                             "cooperative_groups.h",
                                                             "cuda_pipeline.h",
                                                             "cuda_pipeline_primitives.h",
                                                             "cuda_awbarrier.h",
                                                             "cuda_awbarrier_primitives.h",
                                                             "curand_kernel.h",
                                                             "curand_uniform.h",
                                                             "curand_normal.h",
                                                             "math_constants.h",
                                                             "cuComplex.h",
                                                             "curand_philox4x32_x.h",
                                                             "curand_mrg32k3a.h",
                                                             "curand_poisson.h",
                                                             "curand_lognormal.h"};
constexpr std::array<std::string_view, 7> kDeviceFolders = {
    "cuda/", "nv/", "cooperative_groups/", "cub/block/", "cub/warp/", "cub/thread/", "cub/util"};

// cub.cuh as a whole includes host code that NVRTC refuses.
constexpr std::string_view kCub = R"(#pragma once
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
)";

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

HeaderChoice choose_header(std::string_view name, StandardLibrary library) {
  using Kind = HeaderChoice::Kind;
  const bool in_folder = std::ranges::any_of(
      kDeviceFolders, [&](std::string_view folder) { return name.starts_with(folder); });
  if (in_folder || contains(kDeviceHeaders, name)) return {Kind::kKeep, ""};
  if (name == "cub/cub.cuh") return {Kind::kVirtual, std::string(kCub)};

  if (library == StandardLibrary::kFull && contains(kCudaStandard, name)) {
    return {Kind::kVirtual, fmt::format("#pragma once\n#include <cuda/std/{}>\n"
                                        "namespace std {{ using namespace cuda::std; }}\n",
                                        name)};
  }
  if (const auto small = small_header(name)) return {Kind::kVirtual, std::string(*small)};
  return {Kind::kDrop, ""};
}

std::string_view implied_header(std::string_view identifier) {
  constexpr std::array<std::string_view, 6> kImplied = {"climits", "cmath",     "cfloat",
                                                        "cstdint", "algorithm", "sys/types.h"};
  for (const std::string_view name : kImplied) {
    const std::string_view text = *small_header(name);
    const bool declares = text.find(fmt::format("#define {} ", identifier)) != text.npos ||
                          text.find(fmt::format(" {};\n", identifier)) != text.npos ||
                          text.find(fmt::format("& {}(const T&", identifier)) != text.npos ||
                          text.find(fmt::format("void {}(T&", identifier)) != text.npos;
    if (declares) return name;
  }
  return {};
}

}  // namespace tilescope
