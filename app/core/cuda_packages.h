#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// One of NVIDIA's packages that has a part of the compilers, pinned to what was tried.
struct CudaPackage {
  std::string name;         // "nvidia-cuda-nvrtc"
  std::string requirement;  // as pip reads it: version and SHA-256
  int megabytes = 0;        // of the download
  std::string purpose;      // "compiles kernels"
};

// Those of assets/cuda_packages.txt, in order; of that file's form. kMachine: the file is not there
// or a line of it says nothing.
[[nodiscard]] Result<std::vector<CudaPackage>> cuda_packages(const std::filesystem::path& file);

}  // namespace tilescope
