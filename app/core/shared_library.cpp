#include "core/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <string_view>
#include <system_error>

namespace tilescope {
namespace fs = std::filesystem;
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

}  // namespace tilescope
