#include "core/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include "build_config.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr const char* kBuildHints = TILESCOPE_CUDA_LIBRARY_HINTS;

void append_existing(std::vector<fs::path>* folders, const fs::path& folder) {
  std::error_code ignored;
  if (!folder.empty() && fs::is_directory(folder, ignored)) folders->push_back(folder);
}

void append_list(std::vector<fs::path>* folders, const char* list) {
  if (list == nullptr) return;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ':');) append_existing(folders, part);
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& names,
                                          const std::vector<fs::path>& folders) {
  assert(!names.empty());
  std::string problem;
  for (const std::string& name : names) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
    const std::string missing = name + ": cannot open shared object file: No such file";
    if (const char* why = ::dlerror();
        why != nullptr && !std::string_view(why).starts_with(missing)) {
      problem = why;
    }
    for (const fs::path& folder : folders) {
      const fs::path file = folder / name;
      std::error_code ignored;
      if (!fs::exists(file, ignored)) continue;
      if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
        return SharedLibrary(handle);
      const char* why = ::dlerror();
      if (problem.empty()) problem = why != nullptr ? why : file.string();
    }
  }
  return Error{ErrorCode::kMachine,
               problem.empty() ? fmt::format("{} is not installed", names.front())
                               : fmt::format("{} cannot be loaded: {}", names.front(), problem),
               "",
               {}};
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* SharedLibrary::address_of(const char* symbol) const { return ::dlsym(handle_, symbol); }

fs::path SharedLibrary::file() const {
  const link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  return map->l_name;
}

std::vector<fs::path> cuda_library_folders() {
  std::vector<fs::path> folders;
  append_list(&folders, std::getenv("TILESCOPE_CUDA_LIBRARIES"));
  append_list(&folders, kBuildHints);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable))
      append_existing(&folders, fs::path(home) / "lib64");
  }
  append_existing(&folders, "/usr/local/cuda/lib64");
  return folders;
}

std::vector<fs::path> cupti_library_folders() {
  const std::vector<fs::path> libraries = cuda_library_folders();
  std::vector<fs::path> folders = libraries;
  for (const fs::path& folder : libraries)
    folders.push_back(folder / ".." / "extras" / "CUPTI" / "lib64");
  return folders;
}

}  // namespace tilescope
