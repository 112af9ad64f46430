#include "kernel/launch/texture_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/buffer_recipe.h"
#include "core/number_text.h"
#include "core/text.h"

namespace tilescope {
namespace {

Error mistake(std::string_view text, std::string_view why) {
  return {ErrorCode::kUsage,
          fmt::format("--arg {}: {}", text, why),
          "Write texture:f32[WIDTHxHEIGHT]=random:1, with f32x4 for four channels, and +linear, "
          "+normalised, +unit or +fetch behind the type",
          {}};
}

// Up to the sign, which goes as well.
std::string_view taken(std::string_view* rest, char sign) {
  const std::size_t end = std::min(rest->find(sign), rest->size());
  const std::string_view piece = trimmed(rest->substr(0, end));
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return piece;
}

bool parse_extent(std::string_view text, std::uint32_t* extent) {
  constexpr std::uint32_t kMost = 1u << 27;  // texels of linear memory
  *extent = parse_number<std::uint32_t>(text).value_or(0);
  return *extent >= 1 && *extent <= kMost;
}

bool set_word(std::string_view word, TextureShape* shape) {
  const std::array<std::pair<std::string_view, bool*>, 4> words{
      {{"linear", &shape->is_linear},
       {"normalised", &shape->has_normalised_coordinates},
       {"unit", &shape->reads_normalised},
       {"fetch", &shape->is_buffer}}};
  const auto found = std::ranges::find(words, word, &std::pair<std::string_view, bool*>::first);
  if (found == words.end()) return false;
  *found->second = true;
  return true;
}

}  // namespace

Result<TextureShape> parse_texture(std::string_view text, std::string* buffer) {
  TextureShape shape;
  std::string_view rest = text;
  shape.is_surface = taken(&rest, ':') == "surface";
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos) return mistake(text, "its extents in brackets are missing");
  const std::string_view fill = rest.substr(close + 1);
  rest = rest.substr(0, close);
  std::string_view words = taken(&rest, '[');
  std::string_view type = taken(&words, '+');
  const std::string_view element = taken(&type, 'x');
  if (!type.empty() &&
      (!parse_extent(type, &shape.channels) || shape.channels > 4 || shape.channels == 3)) {
    return mistake(text, "a texel has 1, 2 or 4 channels");
  }
  const auto known = parse_element_type(element);
  if (!known || size_of(*known) > 4 || *known == ElementType::kBf16) {
    return mistake(text, "its type is none of i8 u8 i16 u16 f16 i32 u32 f32");
  }
  while (!words.empty()) {
    const std::string_view word = taken(&words, '+');
    if (!set_word(word, &shape)) return mistake(text, fmt::format("'{}' is not known", word));
  }
  for (std::uint32_t* extent : {&shape.width, &shape.height, &shape.depth}) {
    if (rest.empty()) break;
    if (!parse_extent(taken(&rest, 'x'), extent)) return mistake(text, "an extent is no number");
  }
  if (!rest.empty()) return mistake(text, "it has more than three extents");
  if (shape.is_buffer && shape.height * shape.depth != 1) {
    return mistake(text, "linear memory has one extent");
  }
  *buffer = fmt::format("{}[{}]{}", element, shape.elements(), fill);
  return shape;
}

}  // namespace tilescope
