#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "build_config.h"
#include "kernel/virtual_headers.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr const char* kBuildHints = TILESCOPE_CUDA_INCLUDE_HINTS;

std::vector<fs::path> split(const char* list) {
  std::vector<fs::path> folders;
  std::istringstream parts(list == nullptr ? "" : list);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) folders.emplace_back(part);
  }
  return folders;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

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
      split(std::getenv("TILESCOPE_CUDA_INCLUDE")), split(kBuildHints), {beside}};
  if (const char* home = std::getenv("CUDA_HOME")) places.push_back({fs::path(home) / "include"});
  places.push_back({"/usr/local/cuda/include"});
  for (const std::vector<fs::path>& place : places) {
    std::vector<std::string> found = complete(place);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace tilescope
