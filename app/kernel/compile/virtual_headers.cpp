#include "kernel/compile/virtual_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "build_config.h"
#include "core/cuda_folders.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/search_path.h"
#include "kernel/compile/small_headers.h"

namespace tilescope {
namespace {

// Headers of the standard library that CUDA has for device code.
constexpr std::array<std::string_view, 24> kCudaStandard = {
    "array",   "atomic",   "barrier", "bit",     "cfloat",     "chrono",      "climits", "cmath",
    "complex", "concepts", "cstddef", "cstdint", "functional", "iterator",    "limits",  "memory",
    "numeric", "optional", "ratio",   "span",    "tuple",      "type_traits", "utility", "variant"};

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
constexpr std::string_view kCub = R"(#include <cub/block/block_discontinuity.cuh>
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

// The driver's header is the host's, but for the type of a parameter of kernels.
constexpr std::string_view kDriver = R"(#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
typedef struct CUtensorMap_st {
  alignas(64) unsigned long long opaque[16];
} CUtensorMap;
#endif
)";

constexpr std::size_t kMostShippedBytes = 1 << 20;

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
  if (name.starts_with("hip") || name == kOldWarpFunctions || name == kDependentLaunches) {
    if (auto text = read_file(shipped_headers() / name, kMostShippedBytes)) {
      return {Kind::kVirtual, *std::move(text)};
    }
  }
  constexpr std::array<std::string_view, 4> kTorch = {"torch/", "ATen/", "c10/", "THC/"};
  if (std::ranges::any_of(kTorch,
                          [&](std::string_view folder) { return name.starts_with(folder); })) {
    if (auto text = read_file(shipped_headers() / "torch_types.h", kMostShippedBytes)) {
      return {Kind::kVirtual, *std::move(text), true};
    }
  }
  if (name == "cuda.h" || name == "cudaTypedefs.h") return {Kind::kVirtual, std::string(kDriver)};
  if (name == "cub/cub.cuh") {
    const auto older = read_file(shipped_headers() / kOlderCub, kMostShippedBytes);
    return {Kind::kVirtual, std::string(kCub) + (older ? *older : "")};
  }

  if (library == StandardLibrary::kFull && contains(kCudaStandard, name)) {
    return {Kind::kVirtual, fmt::format("#pragma once\n#include <cuda/std/{}>\n"
                                        "namespace std {{ using namespace cuda::std; }}\n",
                                        name)};
  }
  if (const auto small = small_header(name)) return {Kind::kVirtual, std::string(*small)};
  return {Kind::kDrop, ""};
}

std::filesystem::path shipped_headers() { return resource_directory() / "assets" / "headers"; }
std::filesystem::path sample_headers() { return shipped_headers() / "stand_ins"; }

std::string_view implied_header(std::string_view identifier) {
  constexpr std::array<std::string_view, 10> kImplied = {
      "climits",   "cmath",       "cfloat", "cstdint",         "ctime",
      "algorithm", "sys/types.h", "cuda.h", kOldWarpFunctions, kDependentLaunches};
  for (const std::string_view name : kImplied) {
    const std::string text = choose_header(name, StandardLibrary::kSmall).text;
    const bool declares = text.find(fmt::format("#define {} ", identifier)) != text.npos ||
                          text.find(fmt::format("#define {}(", identifier)) != text.npos ||
                          text.find(fmt::format(" {};\n", identifier)) != text.npos ||
                          text.find(fmt::format("& {}(const T&", identifier)) != text.npos ||
                          text.find(fmt::format("void {}(T&", identifier)) != text.npos ||
                          text.find(fmt::format("void {}() {{\n", identifier)) != text.npos;
    if (declares) return name;
  }
  return {};
}

std::string_view standard_header(std::string_view member) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kHeaders{{
      {"tuple", "tuple"},
      {"make_tuple", "tuple"},
      {"tie", "tuple"},
      {"get", "tuple"},
      {"apply", "tuple"},
      {"pair", "utility"},
      {"make_pair", "utility"},
      {"move", "utility"},
      {"forward", "utility"},
      {"exchange", "utility"},
      {"array", "array"},
      {"optional", "optional"},
      {"complex", "complex"},
      {"variant", "variant"},
      {"span", "span"},
      {"plus", "functional"},
      {"multiplies", "functional"},
      {"bit_cast", "bit"},
      {"same_as", "concepts"},
      {"integral", "concepts"},
      {"floating_point", "concepts"},
      {"convertible_to", "concepts"},
      {"index_sequence", "utility"},
      {"memcpy", "cstring"},
      {"memset", "cstring"},
  }};
  const auto* const found =
      std::ranges::find(kHeaders, member, &std::pair<std::string_view, std::string_view>::first);
  if (found != kHeaders.end()) return found->second;
  for (const std::string_view name : {"type_traits", "limits", "cmath"}) {
    const std::string_view text = *small_header(name);
    const bool has = std::ranges::any_of(
        std::array<std::string, 4>{
            fmt::format("struct {} ", member), fmt::format("using {} ", member),
            fmt::format("bool {} ", member), fmt::format("using ::{};", member)},
        [&](const std::string& words) { return text.find(words) != std::string_view::npos; });
    if (has) return name;
  }
  return {};
}

std::string_view header_of_cuda(std::string_view identifier) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kHeaders{{
      {"half", "cuda_fp16.h"},
      {"half2", "cuda_fp16.h"},
      {"__half", "cuda_fp16.h"},
      {"__half2", "cuda_fp16.h"},
      {"nv_bfloat16", "cuda_bf16.h"},
      {"nv_bfloat162", "cuda_bf16.h"},
      {"__nv_bfloat16", "cuda_bf16.h"},
      {"__nv_bfloat162", "cuda_bf16.h"},
      {"__nv_fp8_e4m3", "cuda_fp8.h"},
      {"__nv_fp8_e5m2", "cuda_fp8.h"},
      {"nvcuda", "mma.h"},
      {"cooperative_groups", "cooperative_groups.h"},
      {"curandState", "curand_kernel.h"},
      {"curandState_t", "curand_kernel.h"},
      {"curandStatePhilox4_32_10_t", "curand_kernel.h"},
      {"__pipeline_memcpy_async", "cuda_pipeline_primitives.h"},
      {"cuComplex", "cuComplex.h"},
  }};
  const auto* const found = std::ranges::find(
      kHeaders, identifier, &std::pair<std::string_view, std::string_view>::first);
  return found == kHeaders.end() ? std::string_view() : found->second;
}

namespace fs = std::filesystem;
namespace {

constexpr const char* kBuildHints = TILESCOPE_CUDA_INCLUDE_HINTS;

// The folders with what lies in them for cccl, where these are CUDA's headers at all.
std::vector<std::string> complete(const std::vector<fs::path>& folders) {
  std::vector<std::string> found;
  bool is_cuda = false;
  for (const fs::path& folder : folders) {
    if (!is_there(folder)) continue;
    is_cuda = is_cuda || is_there(folder / "cuda_fp16.h");
    found.push_back(folder.string());
    if (is_there(folder / "cccl")) found.push_back((folder / "cccl").string());
  }
  if (!is_cuda) found.clear();
  return found;
}

}  // namespace

std::vector<std::string> cuda_include_directories(const std::string& nvrtc_file) {
  // Headers of one place alone: those of two CUDA versions do not mix.
  const fs::path beside = fs::path(nvrtc_file).parent_path().parent_path() / "include";
  std::vector<std::vector<fs::path>> places = {
      folders_of_list(std::getenv("TILESCOPE_CUDA_INCLUDE")),
      folders_of_list(kBuildHints),
      {beside}};
  for (const CudaPlace& place : cuda_places()) {
    std::vector<fs::path>& folders = places.emplace_back();
    for (const fs::path& root : place.roots) folders.push_back(root / "include");
  }
  for (const std::vector<fs::path>& place : places) {
    std::vector<std::string> found = complete(place);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace tilescope
