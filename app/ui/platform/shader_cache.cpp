#include "ui/platform/shader_cache.h"

#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "core/paths.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kRoomBytes = std::uintmax_t{8} << 20;  // the index has 1.3 MiB

fs::path shader_cache_directory() {
  const char* named = std::getenv("MESA_SHADER_CACHE_DIR");
  return named != nullptr && *named != '\0' ? fs::path(named) : cache_directory().parent_path();
}

}  // namespace

bool has_room_for_shader_cache(const fs::path& folder) {
  std::error_code failure;
  fs::path there = fs::absolute(folder, failure);
  while (there.has_relative_path() && !fs::exists(there, failure)) there = there.parent_path();
  const fs::space_info space = fs::space(there, failure);
  return failure || space.available >= kRoomBytes;
}

void spare_full_disk_of_shader_cache() {
  if (has_room_for_shader_cache(shader_cache_directory())) return;
  constexpr int kKeepTheUsers = 0;
  ::setenv("MESA_SHADER_CACHE_DISABLE", "true", kKeepTheUsers);
}

}  // namespace tilescope
