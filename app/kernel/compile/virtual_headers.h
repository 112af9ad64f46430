#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// What becomes of an #include <name> for a compiler that has no C++ standard library.
struct HeaderChoice {
  enum class Kind {
    kDrop,     // host only: iostream, vector, cuda_runtime.h, what nobody knows
    kVirtual,  // `text` stands for it
    kKeep,     // NVRTC takes the file itself, from CUDA's folder
  };
  Kind kind = Kind::kDrop;
  std::string text;
  bool is_part =
      false;  // kVirtual: of a library's header that is not here, what kernels mostly use
};

// How much of the standard library device code gets.
enum class StandardLibrary {
  kSmall,  // fixed-width integers, limits, min and max, the usual type traits: milliseconds
  kFull,   // CUDA's own cuda/std headers: the better part of a second
};

// A header in angle brackets that is neither the user's own nor on an include path.
[[nodiscard]] HeaderChoice choose_header(std::string_view name, StandardLibrary library);

// Headers of our own, in shipped_headers(): HIP's (hip/hip_runtime.h), __shfl() and the like as
// CUDA before 9.0 had them, what overlaps a launch with the one before it, which NVRTC does not
// know, and what kernels use of PyTorch.
inline constexpr std::string_view kOldWarpFunctions = "old_warp_functions.h";
inline constexpr std::string_view kDependentLaunches = "dependent_launches.h";
// What CUB lost with CUDA 13; it follows cub/cub.cuh.
inline constexpr std::string_view kOlderCub = "older_cub.h";
[[nodiscard]] std::filesystem::path shipped_headers();
// Below it, those that stand for headers which CUDA's samples bring along, as helper_math.h, and
// for nvToolsExt.h: for files whose repository has none.
[[nodiscard]] std::filesystem::path sample_headers();

// The header whose absence a complaint about these names may come from, "cmath" for INFINITY: nvcc
// includes some of the host's headers by itself, and excerpts come without their first lines. Empty
// when there is none; its text is choose_header's of the small library.
[[nodiscard]] std::string_view implied_header(std::string_view identifier);

// The header of the standard library that has this member of std, "tuple" for std::tie; empty where
// that is not known or the header has nothing for device code.
[[nodiscard]] std::string_view standard_header(std::string_view member);

// The header of CUDA's own that has a type or a namespace, "cuda_fp16.h" for half, for excerpts
// that come without their first lines. Empty when there is none.
[[nodiscard]] std::string_view header_of_cuda(std::string_view identifier);

// Folders that hold CUDA's headers, cccl's among them; empty where there are none. Those of
// $TILESCOPE_CUDA_INCLUDE, of the build, beside the NVRTC library, of $CUDA_HOME, /usr/local/cuda.
[[nodiscard]] std::vector<std::string> cuda_include_directories(const std::string& nvrtc_file);

}  // namespace tilescope
