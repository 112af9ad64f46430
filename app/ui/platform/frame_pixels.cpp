#include "ui/platform/frame_pixels.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>

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
  const int version = epoxy_gl_version();
  const auto* renderer = glGetString(GL_RENDERER);
  // The bytes of a GL string are UTF-8 of another char type.
  const std::string name =
      renderer != nullptr ? reinterpret_cast<const char*>(renderer) : "unknown";
  return "OpenGL " + std::to_string(version / 10) + "." + std::to_string(version % 10) + ", " +
         name;
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

}  // namespace tilescope
