#include "ui/drawing/fonts.h"

#include <ft2build.h>
#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include "export/font_library.h"

struct ImFontLoader;

#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_SIZES_H

#include FT_FREETYPE_H

namespace tilescope {
namespace {

constexpr FT_Int32 kLoad = FT_LOAD_NO_BITMAP | FT_LOAD_TARGET_LIGHT;  // outlines keep their widths

// Faces of the fonts in ImGui's atlas: its own do not let their outlines be moved.
class Faces {
 public:
  Faces() { FT_Init_FreeType(&library_); }
  ~Faces() {
    for (const auto& [data, face] : faces_) FT_Done_Face(face);
    FT_Done_FreeType(library_);
  }
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  // nullptr: it cannot be read.
  FT_Face of(const ImFontConfig& source) {
    const auto found = faces_.find(source.FontData);
    if (found != faces_.end()) return found->second;
    FT_Face face = nullptr;
    if (FT_New_Memory_Face(library_, static_cast<const FT_Byte*>(source.FontData),
                           source.FontDataSize, static_cast<FT_Long>(source.FontNo), &face) != 0) {
      return nullptr;
    }
    faces_[source.FontData] = face;
    return face;
  }

  // Before the font's file leaves memory.
  void forget(const ImFontConfig& source) {
    const auto found = faces_.find(source.FontData);
    if (found == faces_.end()) return;
    FT_Done_Face(found->second);
    faces_.erase(found);
  }

 private:
  FT_Library library_ = nullptr;
  std::map<const void*, FT_Face> faces_;
};

Faces& faces() {
  static Faces all;
  return all;
}

bool is_figure(FT_Face face, int glyph) {
  for (FT_ULong digit = '0'; digit <= '9'; ++digit) {
    if (FT_Get_Char_Index(face, digit) == static_cast<FT_UInt>(glyph)) return true;
  }
  return false;
}

void set_size(FT_Face face, const ImFontConfig& source, const ImFontBaked& baked, float density) {
  FT_Size_RequestRec request{};
  request.type = FT_SIZE_REQUEST_TYPE_REAL_DIM;
  request.height = static_cast<FT_Long>(baked.Size * source.ExtraSizeScale * 64 * density);
  FT_Request_Size(face, &request);
}

// Whole pixels of a zero, so that figures in columns stay below one another.
float width_of_figures(FT_Face face) {
  if (FT_Load_Char(face, '0', kLoad) != 0) return 0;
  return std::round(static_cast<float>(face->glyph->linearHoriAdvance) / 65536);
}

// The bitmap that FreeType holds, into ImGui's atlas.
bool take_bitmap(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked,
                 const FT_GlyphSlotRec& slot, float density, ImFontGlyph* out) {
  const FT_Bitmap& bitmap = slot.bitmap;
  const auto width = static_cast<int>(bitmap.width);
  const auto height = static_cast<int>(bitmap.rows);
  if (width == 0 || height == 0) return true;
  const ImFontAtlasRectId id = ImFontAtlasPackAddRect(atlas, width, height);
  if (id == ImFontAtlasRectId_Invalid) return false;
  out->X0 = static_cast<float>(slot.bitmap_left) / density;
  out->Y0 = static_cast<float>(-slot.bitmap_top) / density + baked->Ascent;
  out->X1 = out->X0 + static_cast<float>(width) / density;
  out->Y1 = out->Y0 + static_cast<float>(height) / density;
  out->Visible = true;
  out->PackId = id;
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, out, ImFontAtlasPackGetRect(atlas, id),
                                     bitmap.buffer, ImTextureFormat_Alpha8, bitmap.pitch);
  return true;
}

// What ImGui's loader keeps of a font at a size is FreeType's object for that, and nothing else.
bool load_sized_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* data,
                      int glyph, ImFontGlyph* out, float* out_advance) {
  FT_Activate_Size(*static_cast<FT_Size*>(data));
  return ImGuiFreeType::GetFontLoader()->FontBakedLoadGlyph(atlas, source, baked, data, glyph, out,
                                                            out_advance);
}

// A figure's outline is moved to the middle of a zero's width before it is drawn: by parts of a
// pixel, which a finished bitmap cannot be without gaps of different widths.
bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void* data, int glyph,
                ImFontGlyph* out, float* out_advance) {
  FT_Face face = faces().of(*source);
  if (face == nullptr || !is_figure(face, glyph)) {
    return load_sized_glyph(atlas, source, baked, data, glyph, out, out_advance);
  }
  const float density = source->RasterizerDensity * baked->RasterizerDensity;
  set_size(face, *source, *baked, density);
  const float width = width_of_figures(face);
  if (out_advance != nullptr) {
    *out_advance = width / density;
    return true;
  }
  if (FT_Load_Glyph(face, static_cast<FT_UInt>(glyph), kLoad) != 0) return false;
  const float own = static_cast<float>(face->glyph->linearHoriAdvance) / 65536;
  FT_Outline_Translate(&face->glyph->outline, std::lround((width - own) / 2 * 64), 0);
  if (FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL) != 0) return false;
  out->AdvanceX = width / density;
  return take_bitmap(atlas, source, baked, *face->glyph, density, out);
}

void end_source(ImFontAtlas* atlas, ImFontConfig* source) {
  faces().forget(*source);
  ImGuiFreeType::GetFontLoader()->FontSrcDestroy(atlas, source);
}

ImFontLoader make_sized_loader() {
  ImFontLoader copy = *ImGuiFreeType::GetFontLoader();
  IM_ASSERT(copy.FontBakedSrcLoaderDataSize == sizeof(FT_Size));
  copy.Name = "FreeType, sized";
  copy.FontBakedLoadGlyph = load_sized_glyph;
  copy.LoaderInit = nullptr;  // the atlas's own loader, FreeType too, keeps the library for all
  copy.LoaderShutdown = nullptr;
  return copy;
}

ImFontLoader make_tabular_loader() {
  ImFontLoader copy = make_sized_loader();
  copy.Name = "FreeType, tabular figures";
  copy.FontBakedLoadGlyph = load_glyph;
  copy.FontSrcDestroy = end_source;
  return copy;
}

// FreeType, as ImGui uses it, but for the size that a glyph is loaded at: ImGui's takes the one
// that stands where it believes the font's size to be the last it set, and goes by the address of
// what it keeps of a size, which moves.
const ImFontLoader* sized_loader() {
  static const ImFontLoader loader = make_sized_loader();
  return &loader;
}

// The same with all figures as wide as a zero. Inter's own tabular figures hide
// behind an OpenType feature that ImGui does not apply.
const ImFontLoader* tabular_figures_loader() {
  static const ImFontLoader loader = make_tabular_loader();
  return &loader;
}

}  // namespace

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

Error missing(const std::string& name, const char* package) {
  return {ErrorCode::kMachine,
          "the font " + name + " is not installed",
          std::string("Install it: apt-get install ") + package + ".",
          {}};
}

// A font with Chinese and Japanese characters, and its face within the file.
struct WideFont {
  const char* file;
  unsigned face = 0;
};
constexpr std::array kWideFonts{
    WideFont{"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc", 2},
    WideFont{"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.otf"},
    WideFont{"/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"},
    WideFont{"/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf"},
};

// Gives the font that was added last the characters that it lacks.
bool add_wide_characters() {
  for (const WideFont& font : kWideFonts) {
    const float em_ratio = line_per_em(font.file);
    if (em_ratio <= 0) continue;
    ImFontConfig config;
    config.MergeMode = true;
    config.FontNo = font.face;
    config.ExtraSizeScale = em_ratio;
    config.FontLoader = sized_loader();
    config.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;
    return ImGui::GetIO().Fonts->AddFontFromFileTTF(font.file, 13, &config) != nullptr;
  }
  return false;
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
  Fonts fonts;
  for (std::size_t i = 0; i < fonts.text_.size(); ++i) {
    const auto weight = static_cast<Weight>(i);
    const std::string inter = font_file_name(Font::kText, weight);
    const std::string jetbrains = font_file_name(Font::kMono, weight);
    const fs::path text = font_file(Font::kText, weight);
    const fs::path mono = font_file(Font::kMono, weight);
    if (text.empty()) return missing(inter, "fonts-inter");
    if (mono.empty()) return missing(jetbrains, "fonts-jetbrains-mono");
    const float text_ratio = line_per_em(text);
    const float mono_ratio = line_per_em(mono);
    if (text_ratio <= 0) return missing(inter, "fonts-inter");
    if (mono_ratio <= 0) return missing(jetbrains, "fonts-jetbrains-mono");
    fonts.text_[i] = add(text, text_ratio, sized_loader());
    fonts.has_wide_characters_ = add_wide_characters();
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
