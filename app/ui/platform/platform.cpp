#include "ui/platform/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "core/paths.h"
#include "ui/platform/gl.h"

namespace tilescope {

Screenshot read_framebuffer(int width, int height) {
  const auto row = static_cast<std::size_t>(width) * 4;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down.data());
  Screenshot picture{width, height, std::vector<std::uint8_t>(upside_down.size())};
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    const auto from = upside_down.begin() + static_cast<std::ptrdiff_t>(y * row);
    const auto to = picture.rgba.begin() +
                    static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height) - 1 - y) * row);
    std::copy(from, from + static_cast<std::ptrdiff_t>(row), to);
  }
  return picture;
}

std::string describe_gl() {
  GLint major = 0;
  GLint minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  const auto* renderer = glGetString(GL_RENDERER);
  // The bytes of a GL string are UTF-8 of another char type.
  const std::string name =
      renderer != nullptr ? reinterpret_cast<const char*>(renderer) : "unknown";
  return fmt::format("OpenGL {}.{}, {}", major, minor, name);
}

bool is_drawn(const Screenshot& picture) {
  for (std::size_t at = 0; at + 2 < picture.rgba.size(); at += 4) {
    if ((picture.rgba[at] | picture.rgba[at + 1] | picture.rgba[at + 2]) != 0) return true;
  }
  return false;
}

std::string take_gl_errors() {
  constexpr int kMost = 8;  // a lost context reports the same for ever
  std::string errors;
  for (int i = 0; i < kMost; ++i) {
    const GLenum error = glGetError();
    if (error == GL_NO_ERROR) break;
    if (!errors.empty()) errors += ", ";
    errors += error == GL_OUT_OF_MEMORY ? "out of memory" : fmt::format("error {:#06x}", error);
  }
  return errors;
}

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
