#pragma once
#include <filesystem>
#include <vector>

namespace tilescope {

// One set of CUDA's libraries, programs and headers, of one version: a toolkit, or NVIDIA's
// packages of one Python. Each root has lib64 or lib, bin and include, or some of them.
struct CudaPlace {
  std::vector<std::filesystem::path> roots;
};

// Where CUDA is, the first to be taken first: toolkits ($CUDA_HOME, $CUDA_PATH, that of the nvcc on
// $PATH, /usr/local/cuda); the packages of the Python that this program is installed in, of the
// active environment and of the system's Pythons; what `tilescope fetch` put into the cache.
[[nodiscard]] std::vector<CudaPlace> cuda_places();

// NVIDIA's packages in a folder that pip installs into: nvidia/cu13, or nvidia/cuda_nvrtc and its
// like of CUDA 12. None: no roots.
[[nodiscard]] CudaPlace cuda_packages_in(const std::filesystem::path& site_packages);

// Folders that pip installs into: of the Python that this program is installed in first.
[[nodiscard]] std::vector<std::filesystem::path> site_packages_folders();

// The folder into which `tilescope fetch` installs NVIDIA's packages, by pip.
[[nodiscard]] std::filesystem::path fetched_packages();

// Folders of libraries: $TILESCOPE_CUDA_LIBRARIES (':'-separated), those that the build found, then
// those of cuda_places(). Only what exists. The loader's own places are not among them.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders();
// The same for CUPTI, which toolkits also keep in a folder beside these.
[[nodiscard]] std::vector<std::filesystem::path> cupti_library_folders();

}  // namespace tilescope
