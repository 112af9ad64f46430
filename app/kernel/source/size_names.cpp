#include "kernel/source/size_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kFilter = 5;  // elements along each edge
constexpr std::uint32_t kHead = 64;   // features of an attention head
constexpr std::uint32_t kTile = 16;   // elements along each edge, as the usual block has threads
constexpr std::uint32_t kFew = 8;     // heads
constexpr std::uint32_t kRows = 32;   // of a tile of attention, and as many tiles of a sequence
constexpr std::uint32_t kSequence = 256;  // tokens

// "width" of "image.Width".
std::string last_word(std::string_view name) {
  std::string word(name.substr(name.find_last_of('.') + 1));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

// Whether a whole number of this name says how much there is.
bool names_size(std::string_view name) {
  constexpr std::array<std::string_view, 38> kNames{
      "n",   "m",    "k",    "h",        "w",     "nx",     "ny",    "nz",    "size", "count",
      "len", "wa",   "wb",   "ha",       "hb",    "length", "num",   "total", "dim",  "width",
      "ld",  "rows", "cols", "columns",  "row",   "stride", "pitch", "lda",   "ldb",  "ldc",
      "end", "wc",   "hc",   "elements", "numel", "limit",  "batch", "height"};
  constexpr std::array<std::string_view, 14> kEndings{
      "size", "count", "length", "rows",   "cols",  "width",  "height",
      "_n",   "len",   "elems",  "stride", "pitch", "points", "bodies"};
  const std::string word = last_word(name);
  return std::ranges::find(kNames, word) != kNames.end() || word.starts_with("num") ||
         word.starts_with("n_") || std::ranges::any_of(kEndings, [&](std::string_view ending) {
           return word.ends_with(ending);
         });
}

// dims.x, image_size.z: an axis of a vector that is called so.
bool is_axis_of_size(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 2 != name.size()) return false;
  const bool is_axis = name.back() >= 'w' && name.back() <= 'z';
  std::string vector = last_word(std::string_view(name).substr(0, dot));
  if (vector.ends_with('s')) vector.pop_back();  // dims, sizes
  return is_axis && (names_size(vector) || vector == "shape" || vector == "extent" ||
                     vector.ends_with("dim") || vector.ends_with("size"));
}

// B, T, OC: what capitals alone name is an extent, as mathematics has it.
bool is_of_capitals(const std::string& name) {
  return name.size() <= 2 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isupper(c) != 0; });
}

}  // namespace

bool is_size(const ParameterText& parameter) {
  return !parameter.is_pointer && parameter.element && is_whole_number(*parameter.element) &&
         (parameter.is_bound || names_size(parameter.name) ||  // names of PTX tell nothing
          is_of_capitals(parameter.name) || is_axis_of_size(parameter.name));
}

bool is_stride(const ParameterText& parameter, bool is_plane) {
  return !is_plane && is_size(parameter) && last_word(parameter.name) == "stride";
}

std::optional<std::uint32_t> usual_extent(const ParameterText& parameter) {
  if (parameter.is_pointer || !parameter.element || !is_whole_number(*parameter.element)) {
    return std::nullopt;
  }
  const std::string name = last_word(parameter.name);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool is_extent = has("width") || has("height") || has("size") || has("len") || has("dim");
  if ((is_extent && (has("mask") || has("filter") || has("kernel"))) || has("ksize")) {
    return kFilter;
  }
  if (is({"kh", "kw", "kernel_h", "kernel_w", "filter_h", "filter_w"})) return kFilter;
  if (has("radius")) return kFilter / 2;
  if (is({"d", "dk", "dv", "hd"}) || has("head_dim") || has("headdim") || has("head_size") ||
      has("dim_head") || has("d_head")) {
    return kHead;
  }
  const bool counts = name.starts_with("n") || name.ends_with("s") || has("count");
  if (has("tile") && !counts) return kTile;
  // As the paper of FlashAttention has them.
  if (is({"br", "bc", "b_r", "b_c", "tr", "tc", "t_r", "t_c"})) return kRows;
  if (parameter.name == "B") return kFew / 2;
  if (parameter.name == "T") return kSequence;
  if (is({"nh", "heads", "num_heads", "n_heads", "nheads", "n_head", "numheads"})) return kFew;
  if (has("channels")) return kFew / 2;
  return std::nullopt;
}

bool counts_elements(const ParameterText& parameter) {
  return is_size(parameter) && usual_extent(parameter).value_or(kSequence) > kFew;
}

bool reads_next(const std::string& kernel_text, std::string_view name) {
  const std::vector<CudaToken> tokens = tokenize(kernel_text);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || !tokens[i + 1].is("[")) continue;
    std::size_t close = i + 2;
    while (close < tokens.size() && !tokens[close].is("]")) ++close;
    if (close < tokens.size() && tokens[close - 1].is("1") && tokens[close - 2].is("+"))
      return true;
  }
  return false;
}

bool names_offsets(std::string_view name) {
  constexpr std::array<std::string_view, 8> kParts{"offset", "ptr",  "pointer", "start",
                                                   "begin",  "xadj", "displ",   "first"};
  const std::string word = last_word(name);
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return word.find(part) != std::string::npos; });
}

}  // namespace tilescope
