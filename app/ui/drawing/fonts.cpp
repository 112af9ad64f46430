#include "ui/drawing/fonts.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include <imgui.h>
#include <imgui_freetype.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/paths.h"
#include "ui/drawing/tabular_figures.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

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
    fonts.text_[i] = add(text, text_ratio, sized_loader());
    fonts.figures_[i] = add(text, text_ratio, tabular_figures_loader());
    fonts.mono_[i] = add(mono, mono_ratio, sized_loader());
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
