#include "kernel/guess/texture_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

// One use of a texture: tex2D<float4>(image, x, y).
struct Use {
  char dimensions = '2';
  bool fetches = false;  // tex1Dfetch
  std::string type;      // "float4"; empty: not said
};

bool is_texture_function(std::string_view word, bool surface) {
  return word.starts_with(surface ? "surf" : "tex") && word.size() > 4 &&
         word.find('D') != std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(word[surface ? 4 : 3])) != 0;
}

// What stands between < and >, or as a type in sizeof() among the arguments.
std::string type_of_use(const Tokens& tokens, std::size_t at, std::size_t close) {
  for (std::size_t i = at + 1; i + 2 < close; ++i) {
    const bool opens = (i == at + 1 && tokens[i].is("<")) || tokens[i].is("sizeof");
    if (!opens) continue;
    std::string type;
    for (std::size_t j = i + 1; j < close && !tokens[j].is(">") && !tokens[j].is(")"); ++j) {
      if (tokens[j].kind == CudaTokenKind::kWord) {
        type += (type.empty() ? "" : " ") + std::string(tokens[j].text);
      }
    }
    return type;
  }
  return {};
}

// The first that names the parameter, else the first at all: it may be handed on to a function.
std::optional<Use> use_of(const Tokens& tokens, std::string_view name, bool surface) {
  std::optional<Use> first;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!is_texture_function(tokens[i].text, surface)) continue;
    std::size_t open = i + 1;
    while (open < tokens.size() && !tokens[open].is("(") && !tokens[open].is(";")) ++open;
    if (open >= tokens.size() || !tokens[open].is("(")) continue;
    const std::size_t close = closing_bracket(tokens, open, tokens.size());
    const Use use{tokens[i].text[surface ? 4 : 3],
                  tokens[i].text.find("fetch") != std::string_view::npos,
                  type_of_use(tokens, i, close)};
    const bool named = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(open),
                                   tokens.begin() + static_cast<std::ptrdiff_t>(close),
                                   [&](const CudaToken& token) { return token.is(name); });
    if (named) return use;
    if (!first) first = use;
  }
  return first;
}

bool says(const Tokens& tokens, std::string_view member, std::string_view value) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is(member) && tokens[i + 1].is("=") && tokens[i + 2].is(value)) return true;
  }
  return false;
}

// "f32x4" of "float4". Halves and 64 bits are no texels that a kernel asks for by name.
std::string texel_of(const Tokens& tokens, const std::string& type) {
  const std::string plain = resolved_type(find_aliases(tokens), type);
  const auto element = element_type(plain);
  if (!element || size_of(*element) > 4) return "f32";
  const char last = plain.back();
  const bool vector = (last == '2' || last == '4') && !number_type(plain);
  return std::string(name_of(*element)) + (vector ? std::string("x") + last : std::string());
}

}  // namespace

std::optional<TextureGuess> guessed_texture(const std::string& source,
                                            const ParameterText& parameter, std::size_t seed) {
  const bool surface = parameter.type.ends_with("cudaSurfaceObject_t");
  const bool texture = parameter.type.ends_with("cudaTextureObject_t");
  if (parameter.is_pointer || (!surface && !texture)) return std::nullopt;
  const Tokens tokens = tokenize(source);
  const Use use = use_of(tokens, parameter.name, surface).value_or(Use{});
  std::string value = texel_of(tokens, use.type);
  const bool fraction = says(tokens, "readMode", "cudaReadModeNormalizedFloat");
  if (fraction && texture) value = "u8" + (value.size() > 3 ? value.substr(3) : "") + "+unit";
  if (texture && says(tokens, "filterMode", "cudaFilterModeLinear")) value += "+linear";
  const bool normalised =
      says(tokens, "normalizedCoords", "1") || says(tokens, "normalizedCoords", "true");
  if (texture && normalised && !use.fetches) value += "+normalised";
  if (use.fetches) value += "+fetch";
  const char* extents = use.dimensions == '3'   ? "[128x128x64]"
                        : use.dimensions == '2' ? "[1024x1024]"
                        : use.fetches           ? "[1048576]"
                                                : "[65536]";
  value += extents;
  value += surface ? std::string("=zero") : fmt::format("=random:{}", seed);
  return TextureGuess{surface ? "surface" : "texture", value};
}

}  // namespace tilescope
