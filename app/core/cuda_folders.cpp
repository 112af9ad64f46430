#include "core/cuda_folders.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "build_config.h"
#include "core/paths.h"
#include "core/search_path.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& folder) {
  std::error_code ignored;
  return !folder.empty() && fs::is_directory(folder, ignored);
}

// The folders in `folder` whose names begin so, in order of their names.
std::vector<fs::path> folders_in(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failure)) {
    if (each.path().filename().string().starts_with(prefix)) found.push_back(each.path());
  }
  std::ranges::sort(found);
  return found;
}

void add_toolkit(const fs::path& root, std::vector<CudaPlace>* places) {
  if (is_folder(root)) places->push_back({{root}});
}

}  // namespace

CudaPlace cuda_packages_in(const fs::path& site_packages) {
  CudaPlace place;
  std::vector<fs::path> packages = folders_in(site_packages / "nvidia", "cu");
  // cu13 before cuda_nvrtc and its like: versions do not mix.
  const auto is_whole = [](const fs::path& package) {
    return !package.filename().string().starts_with("cuda_");
  };
  std::ranges::stable_partition(packages, is_whole);
  if (!packages.empty() && is_whole(packages.front())) packages.resize(1);
  place.roots = std::move(packages);
  return place;
}

std::vector<fs::path> site_packages_folders() {
  std::vector<fs::path> folders;
  // A wheel's program is SITE-PACKAGES/tilescope/bin/tilescope.
  const fs::path installed_in = program_file().parent_path().parent_path().parent_path();
  if (installed_in.filename().string().ends_with("-packages")) folders.push_back(installed_in);
  std::vector<fs::path> roots;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* root = std::getenv(variable)) roots.emplace_back(root);
  }
  if (const char* home = std::getenv("HOME")) roots.push_back(fs::path(home) / ".local");
  roots.emplace_back("/usr/local");
  roots.emplace_back("/usr");
  for (const fs::path& root : roots) {
    for (const fs::path& python : folders_in(root / "lib", "python3")) {
      for (const char* name : {"site-packages", "dist-packages"}) {
        const fs::path folder = python / name;
        if (is_folder(folder) && std::ranges::find(folders, folder) == folders.end()) {
          folders.push_back(folder);
        }
      }
    }
  }
  return folders;
}

fs::path fetched_packages() { return cache_directory() / "nvidia-packages"; }

std::vector<CudaPlace> cuda_places() {
  std::vector<CudaPlace> places;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) add_toolkit(home, &places);
  }
  if (const fs::path nvcc = find_on_path("nvcc"); !nvcc.empty()) {
    add_toolkit(nvcc.parent_path().parent_path(), &places);
  }
  add_toolkit("/usr/local/cuda", &places);
  std::vector<fs::path> packages = site_packages_folders();
  packages.push_back(fetched_packages());
  for (const fs::path& folder : packages) {
    if (CudaPlace place = cuda_packages_in(folder); !place.roots.empty()) {
      places.push_back(std::move(place));
    }
  }
  return places;
}

std::vector<fs::path> cuda_library_folders() {
  std::vector<fs::path> folders;
  const auto add = [&folders](const fs::path& folder) {
    if (is_folder(folder) && std::ranges::find(folders, folder) == folders.end()) {
      folders.push_back(folder);
    }
  };
  std::ranges::for_each(folders_of_list(std::getenv("TILESCOPE_CUDA_LIBRARIES")), add);
  std::ranges::for_each(folders_of_list(TILESCOPE_CUDA_LIBRARY_HINTS), add);
  for (const CudaPlace& place : cuda_places()) {
    for (const fs::path& root : place.roots) {
      add(root / "lib64");
      add(root / "lib");
    }
  }
  return folders;
}

std::vector<fs::path> cupti_library_folders() {
  std::vector<fs::path> folders = cuda_library_folders();
  const std::size_t count = folders.size();
  for (std::size_t i = 0; i < count; ++i) {
    folders.push_back(folders[i] / ".." / "extras" / "CUPTI" / "lib64");
  }
  return folders;
}

}  // namespace tilescope
