#include "ui/drawing/fonts.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/paths.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

bool is_figure(ImFontAtlas* atlas, ImFontConfig* source, int glyph) {
  const ImFontLoader* plain = ImGuiFreeType::GetFontLoader();
  for (ImWchar digit = '0'; digit <= '9'; ++digit) {
    if (plain->FontSrcGetGlyphIndexFromCodepoint(atlas, source, digit) == glyph) return true;
  }
  return false;
}

// Inter's figures have widths of their own; its tabular ones hide behind an OpenType feature that
// ImGui does not apply. Each is set in the middle of a zero's width instead.
bool load_tabular_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* data,
                        int glyph, ImFontGlyph* out, float* out_advance) {
  const ImFontLoader* plain = ImGuiFreeType::GetFontLoader();
  if (!plain->FontBakedLoadGlyph(atlas, source, baked, data, glyph, out, out_advance)) return false;
  if (!is_figure(atlas, source, glyph)) return true;
  const int zero = plain->FontSrcGetGlyphIndexFromCodepoint(atlas, source, '0');
  float width = 0;
  if (!plain->FontBakedLoadGlyph(atlas, source, baked, data, zero, nullptr, &width)) return true;
  if (out_advance != nullptr) *out_advance = width;
  if (out != nullptr) {
    const float shift = std::round((width - out->AdvanceX) / 2);
    out->X0 += shift;
    out->X1 += shift;
    out->AdvanceX = width;
  }
  return true;
}

const ImFontLoader* tabular_loader() {
  static const ImFontLoader loader = [] {
    ImFontLoader copy = *ImGuiFreeType::GetFontLoader();
    copy.Name = "FreeType, tabular figures";
    copy.FontBakedLoadGlyph = load_tabular_glyph;
    copy.LoaderInit = nullptr;  // the atlas's own loader, FreeType too, keeps the library for both
    copy.LoaderShutdown = nullptr;
    return copy;
  }();
  return &loader;
}

// ImGui's sizes are of ascender to descender, a typographer's are of the em: this is the ratio.
float line_per_em(const fs::path& file) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return 0;
  FT_Face face = nullptr;
  float ratio = 0;
  if (FT_New_Face(library, file.c_str(), 0, &face) == 0) {
    ratio = static_cast<float>(face->ascender - face->descender) /
            static_cast<float>(face->units_per_EM);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return ratio;
}

fs::path find_font(const std::string& name) {
  const std::vector<fs::path> folders = {resource_directory() / "assets" / "fonts",
                                         "/usr/share/fonts/opentype/inter",
                                         "/usr/share/fonts/truetype/jetbrains-mono"};
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return {};
}

Error missing(const std::string& name, const char* package) {
  return {ErrorCode::kMachine,
          "the font " + name + " is not installed",
          std::string("Install it: apt-get install ") + package + ".",
          {}};
}

ImFont* add(const fs::path& file, float em_ratio, const ImFontLoader* loader) {
  ImFontConfig config;
  config.ExtraSizeScale = em_ratio;
  config.FontLoader = loader;
  config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), 13, &config);
}

}  // namespace

Result<Fonts> Fonts::load() {
  constexpr std::array<const char*, 4> kWeights{"Regular", "Medium", "SemiBold", "Bold"};
  Fonts fonts;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const std::string inter = std::string("Inter-") + kWeights[i] + ".otf";
    const std::string jetbrains = std::string("JetBrainsMono-") + kWeights[i] + ".ttf";
    const fs::path text = find_font(inter);
    const fs::path mono = find_font(jetbrains);
    if (text.empty()) return missing(inter, "fonts-inter");
    if (mono.empty()) return missing(jetbrains, "fonts-jetbrains-mono");
    const float text_ratio = line_per_em(text);
    const float mono_ratio = line_per_em(mono);
    if (text_ratio <= 0) return missing(inter, "fonts-inter");
    if (mono_ratio <= 0) return missing(jetbrains, "fonts-jetbrains-mono");
    fonts.text_[i] = add(text, text_ratio, nullptr);
    fonts.figures_[i] = add(text, text_ratio, tabular_loader());
    fonts.mono_[i] = add(mono, mono_ratio, nullptr);
  }
  return fonts;
}

ImFont* Fonts::of(const TextStyle& style) const {
  if (style.font == Font::kMono) return mono(style.weight);
  return style.align == Align::kRight ? figures(style.weight) : text(style.weight);
}

float top_of_text(float center, float size) {
  // The baseline lies at 0.80 of the box, capitals end at 0.07 and small letters at 0.25 of it.
  return std::round(center - 0.46F * size);
}

}  // namespace tilescope
