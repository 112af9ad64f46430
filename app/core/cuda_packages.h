#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// One of NVIDIA's packages that has a part of the compilers, pinned to what was tried.
struct CudaPackage {
  std::string name;         // "nvidia-cuda-nvrtc"
  std::string version;      // "13.0.88"
  std::string sha256;       // of the wheel
  std::string requirement;  // all that as pip reads it
  int megabytes = 0;        // of the download
  std::string purpose;      // "compiles kernels"
};

// Those of assets/cuda_packages.txt, in order; of that file's form. kMachine: the file is not there
// or a line of it says nothing.
[[nodiscard]] Result<std::vector<CudaPackage>> cuda_packages(const std::filesystem::path& file);

// Unpacks the package's wheel, one of the files in `wheels`, into a folder as pip would install it.
// kMachine: the wheel is not there, or it is not the one that the SHA-256 names.
Status unpack_package(const CudaPackage& package, const std::filesystem::path& wheels,
                      const std::filesystem::path& folder);

}  // namespace tilescope
