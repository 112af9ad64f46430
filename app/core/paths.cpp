#include "core/paths.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "build_config.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

fs::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

// XDG Base Directory Specification: an unset or relative variable falls back to below $HOME.
fs::path xdg_directory(const char* variable, const char* below_home) {
  fs::path base = environment_path(variable);
  if (!base.is_absolute()) {
    const fs::path home = environment_path("HOME");
    base = home.empty() ? temporary_directory() : home / below_home;
  }
  return base / "tilescope";
}

bool holds_resources(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "kernels", ignored);
}

}  // namespace

fs::path program_file() {
  std::error_code failure;
  fs::path file = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::path("tilescope") : file;
}

fs::path resource_directory() {
  if (const fs::path chosen = environment_path("TILESCOPE_RESOURCES"); !chosen.empty())
    return chosen;
  const fs::path installed = program_file().parent_path().parent_path() / "lib" / "tilescope";
  if (holds_resources(installed)) return installed;
  const fs::path built_from = TILESCOPE_SOURCE_DIR;  // none: a package
  if (!built_from.empty() && holds_resources(built_from)) return built_from;
  return installed;
}

fs::path runtime_directory() {
  if (const fs::path chosen = environment_path("TILESCOPE_RUNTIME_DIRECTORY"); !chosen.empty())
    return chosen;
  const fs::path beside = program_file().parent_path();
  std::error_code ignored;
  if (fs::is_directory(beside / "runtime", ignored)) return beside / "runtime";
  return beside.parent_path() / "lib" / "tilescope";
}

fs::path temporary_directory() {
  std::error_code failure;
  fs::path folder = fs::temp_directory_path(failure);
  return failure ? fs::path("/tmp") : folder;
}

fs::path cache_directory() { return xdg_directory("XDG_CACHE_HOME", ".cache"); }
fs::path data_directory() { return xdg_directory("XDG_DATA_HOME", ".local/share"); }

}  // namespace tilescope
