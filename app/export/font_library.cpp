#include "export/font_library.h"

#include <ft2build.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "core/paths.h"

#include FT_FREETYPE_H

namespace tilescope {
namespace {

constexpr std::size_t kFaces = 8;
constexpr std::array<const char*, kFaces> kFiles = {
    "Inter-Regular.otf",          "Inter-Medium.otf",
    "Inter-SemiBold.otf",         "Inter-Bold.otf",
    "JetBrainsMono-Regular.ttf",  "JetBrainsMono-Medium.ttf",
    "JetBrainsMono-SemiBold.ttf", "JetBrainsMono-Bold.ttf"};
// Mean advance of running text, for a machine without the fonts.
constexpr float kEstimatedAdvance = 0.58f;

std::size_t index_of(Font font, Weight weight) {
  return (font == Font::kMono ? 4u : 0u) + static_cast<std::size_t>(weight);
}

std::filesystem::path found(std::size_t index) {
  std::vector<std::filesystem::path> folders;
  if (const char* own = std::getenv("TILESCOPE_FONTS"); own != nullptr) folders.emplace_back(own);
  folders.push_back(resource_directory() / "assets" / "fonts");
  for (const char* folder :
       {"/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/jetbrains-mono",
        "/usr/share/fonts/truetype/inter", "/usr/local/share/fonts"}) {
    folders.emplace_back(folder);
  }
  std::error_code ignored;
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::is_regular_file(folder / kFiles[index], ignored)) {
      return folder / kFiles[index];
    }
  }
  return {};
}

}  // namespace

std::string font_file_name(Font font, Weight weight) { return kFiles[index_of(font, weight)]; }

std::filesystem::path font_file(Font font, Weight weight) { return found(index_of(font, weight)); }

struct FontLibrary::State {
  FT_Library library = nullptr;
  std::array<FT_Face, kFaces> faces{};
  mutable std::array<std::unordered_map<std::uint32_t, float>, kFaces> advances;  // in ems

  State() {
    if (FT_Init_FreeType(&library) != 0) {
      library = nullptr;
      return;
    }
    for (std::size_t i = 0; i < kFaces; ++i) {
      const std::string file = found(i).string();
      if (file.empty() || FT_New_Face(library, file.c_str(), 0, &faces[i]) != 0) faces[i] = nullptr;
    }
  }
  ~State() {
    for (FT_Face face : faces) {
      if (face != nullptr) FT_Done_Face(face);
    }
    if (library != nullptr) FT_Done_FreeType(library);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] float advance(std::size_t face_index, std::uint32_t code) const {
    FT_Face face = faces[face_index];
    if (face == nullptr) return face_index >= 4 ? 0.6f : kEstimatedAdvance;
    auto& known = advances[face_index];
    if (const auto found = known.find(code); found != known.end()) return found->second;
    float ems = 0;
    if (FT_Load_Char(face, code, FT_LOAD_NO_SCALE) == 0 && face->units_per_EM > 0) {
      ems = static_cast<float>(face->glyph->advance.x) / static_cast<float>(face->units_per_EM);
    }
    known.emplace(code, ems);
    return ems;
  }
};

FontLibrary::FontLibrary() : state_(std::make_shared<State>()) {}
FontLibrary::~FontLibrary() = default;

float FontLibrary::text_width(std::string_view utf8, const TextStyle& style) const {
  const std::size_t face = index_of(style.font, style.weight);
  float ems = 0;
  for (std::size_t at = 0; at < utf8.size();) ems += state_->advance(face, next_code(utf8, at));
  return ems * style.size;
}

FT_FaceRec_* FontLibrary::face(Font font, Weight weight) const {
  return state_->faces[index_of(font, weight)];
}

std::shared_ptr<const void> FontLibrary::keep_open() const { return state_; }

bool FontLibrary::complete() const {
  for (FT_Face face : state_->faces) {
    if (face == nullptr) return false;
  }
  return true;
}

}  // namespace tilescope
