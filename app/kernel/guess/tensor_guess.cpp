#include "kernel/guess/tensor_guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/buffer_recipe.h"
#include "kernel/host/host_code.h"
#include "kernel/source/type_names.h"
#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"
#include "kernel/text/token_range.h"

namespace tilescope {
namespace {

using CudaTokens = std::vector<CudaToken>;

constexpr std::size_t kMostRank = 5;
constexpr std::uint64_t kMostTensor = 1u << 24;  // elements
constexpr std::string_view kTypePrefix = "CU_TENSOR_MAP_DATA_TYPE_";
constexpr std::string_view kSwizzlePrefix = "CU_TENSOR_MAP_SWIZZLE_";

struct GuessedMap {
  std::string type;
  std::vector<std::int64_t> box;      // dimension 0 first
  std::vector<std::int64_t> extents;  // empty: not known
  std::string words;                  // "+swizzle128+nan"
};

std::string type_of_enumerator(std::string_view name) {
  struct Type {
    std::string_view enumerator, type;
  };
  constexpr std::array kTypes{Type{"UINT8", "u8"},
                              Type{"UINT16", "u16"},
                              Type{"UINT32", "u32"},
                              Type{"INT32", "i32"},
                              Type{"UINT64", "u64"},
                              Type{"INT64", "i64"},
                              Type{"FLOAT16", "f16"},
                              Type{"FLOAT32", "f32"},
                              Type{"FLOAT64", "f64"},
                              Type{"BFLOAT16", "bf16"},
                              Type{"FLOAT32_FTZ", "f32"},
                              Type{"TFLOAT32", "f32+tf32"},
                              Type{"TFLOAT32_FTZ", "f32+tf32"}};
  const auto found = std::ranges::find(kTypes, name.substr(kTypePrefix.size()), &Type::enumerator);
  return found == kTypes.end() ? "f32" : std::string(found->type);
}

// Behind uint32_t( ... ), where the piece is that alone.
TokenRange without_conversion(const CudaTokens& tokens, TokenRange range) {
  const auto size = range.last - range.first;
  if (size >= 4 && tokens[range.first].kind == CudaTokenKind::kWord &&
      tokens[range.first + 1].is("(") && tokens[range.last - 1].is(")") &&
      element_type(tokens[range.first].text))
    return {range.first + 2, range.last - 1};
  return range;
}

// The numbers that an array is declared with, uint32_t box[2] = {64, ROWS}, as far as they follow.
std::vector<std::int64_t> numbers_of_array(const CudaTokens& tokens, const HostCode& code,
                                           std::string_view name, std::size_t place,
                                           std::size_t count) {
  for (std::size_t i = place; i-- > 0;) {
    if (!tokens[i].is(name) || i + 2 >= tokens.size()) continue;
    std::size_t open = i + 1;
    while (open < place && !tokens[open].is("{") && !tokens[open].is(";") && !tokens[open].is("("))
      ++open;
    if (open >= place || !tokens[open].is("{")) continue;
    std::vector<std::int64_t> numbers;
    for (const TokenRange& piece : pieces_from(tokens, open + 1)) {
      if (numbers.size() == count || piece.first >= piece.last) break;
      const auto number = code.value(without_conversion(tokens, piece), piece.first);
      if (!number || *number <= 0) return {};
      numbers.push_back(*number);
    }
    return numbers.size() == count ? numbers : std::vector<std::int64_t>{};
  }
  return {};
}

// The call of cuTensorMapEncodeTiled by whatever name: it names the element type among its
// arguments. `at`: that token.
std::optional<GuessedMap> map_of_call(const CudaTokens& tokens, const HostCode& code,
                                      std::size_t at) {
  std::size_t open = at;
  for (int depth = 0; open > 0; --open) {
    if (tokens[open].is(")")) ++depth;
    if (tokens[open].is("(") && depth-- == 0) break;
  }
  const std::vector<TokenRange> parts = pieces_from(tokens, open + 1);
  if (open == 0 || parts.size() < 12) return std::nullopt;
  const auto last_word = [&](const TokenRange& range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (tokens[i].kind == CudaTokenKind::kWord && !element_type(tokens[i].text))
        return tokens[i].text;
    }
    return std::string_view{};
  };
  const auto rank = code.value(parts[2], at);
  if (!rank || *rank < 1 || *rank > static_cast<std::int64_t>(kMostRank)) return std::nullopt;
  const auto count = static_cast<std::size_t>(*rank);
  GuessedMap map;
  map.type = type_of_enumerator(tokens[at].text);
  map.box = numbers_of_array(tokens, code, last_word(parts[6]), open, count);
  map.extents = numbers_of_array(tokens, code, last_word(parts[4]), open, count);
  if (map.box.empty()) return std::nullopt;
  const auto element = parse_element_type(map.type.substr(0, map.type.find('+')));
  const auto row = static_cast<std::uint64_t>(map.box[0]) * (element ? size_of(*element) : 1);
  for (std::size_t i = open; i < parts.back().last; ++i) {
    const std::string_view word = tokens[i].text;
    // Of a choice between swizzles, one that the box is too wide for is not meant.
    for (const unsigned bytes : {32u, 64u, 128u}) {
      if (word == fmt::format("{}{}B", kSwizzlePrefix, bytes) && row <= bytes)
        map.words += fmt::format("+swizzle{}", bytes);
    }
    if (word.starts_with("CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN")) map.words += "+nan";
  }
  return map;
}

// Of the copies that the text has: 2 of cp.async.bulk.tensor.2d and of a function that is called
// cp_async_bulk_tensor_2d_...; nullopt: they do not say, or are of several ranks.
std::optional<std::size_t> rank_of_copies(std::string_view source) {
  std::optional<std::size_t> rank;
  for (const std::string_view word : {".tensor.", "_tensor_"}) {
    for (std::size_t at = source.find(word); at != std::string_view::npos;
         at = source.find(word, at + 1)) {
      const std::string_view said = source.substr(at + word.size(), 2);
      if (said.size() < 2 || said[0] < '1' || said[0] > '5' || said[1] != 'd') continue;
      const auto number = static_cast<std::size_t>(said[0] - '0');
      if (rank.value_or(number) != number) return std::nullopt;
      rank = number;
    }
  }
  return rank;
}

// By the first array of shared memory with extents: float tile[16][64] is filled by boxes of
// 64 x 16. Of an array of such tiles, a ring of stages, a copy of that rank fills one.
std::optional<GuessedMap> map_of_shared_array(const CudaTokens& tokens, const HostCode& code,
                                              std::optional<std::size_t> rank) {
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (!tokens[i].is("__shared__")) continue;
    std::size_t at = i + 1;
    std::optional<ElementType> type;
    for (; at < tokens.size() && !tokens[at].is(";") && !tokens[at].is("["); ++at) {
      if (auto known = element_type(tokens[at].text)) type = known;
    }
    GuessedMap map;
    for (; at + 2 < tokens.size() && tokens[at].is("["); ++at) {
      const std::size_t first = ++at;
      while (at < tokens.size() && !tokens[at].is("]")) ++at;
      const auto extent = code.value({first, at}, first);
      if (!extent || *extent < 1 || *extent > 256) {
        map.box.clear();
        break;
      }
      map.box.insert(map.box.begin(), *extent);
    }
    if (!type || map.box.empty() || map.box.size() > kMostRank) continue;
    if (rank && map.box.size() > *rank) map.box.resize(*rank);
    // Barriers are arrays of 64-bit words; a row of a box is a multiple of 16 bytes.
    const bool is_barriers =
        map.box.size() == 1 && (*type == ElementType::kU64 || *type == ElementType::kI64);
    if (is_barriers || static_cast<std::uint64_t>(map.box[0]) * size_of(*type) % 16 != 0) continue;
    map.type = std::string(name_of(*type));
    return map;
  }
  return std::nullopt;
}

std::string text_of(const GuessedMap& map, std::size_t seed) {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : map.extents) elements *= static_cast<std::uint64_t>(extent);
  std::vector<std::int64_t> extents = map.extents;
  if (extents.empty() || elements > kMostTensor) {
    constexpr std::array<std::int64_t, kMostRank> kEdges{65536, 1024, 128, 32, 16};
    extents.assign(map.box.size(), kEdges[map.box.size() - 1]);
    for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = std::max(extents[i], map.box[i]);
  }
  return fmt::format("{}+box{}{}[{}]=random:{}", map.type, fmt::join(map.box, "x"), map.words,
                     fmt::join(extents, "x"), seed);
}

}  // namespace

bool is_tensor_map(const ParameterText& parameter) {
  return parameter.type.find("CUtensorMap") != std::string::npos;
}

std::optional<std::string> guessed_tensor(const std::string& source, const ParameterText& parameter,
                                          const std::string& handed, std::size_t seed) {
  if (!is_tensor_map(parameter)) return std::nullopt;
  const CudaTokens tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens, {});
  const ParameterSet none;
  HostCode code(tokens, constants, none);
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto name = std::ranges::find_if(handed, is_of_name);  // behind & or *
  code.prefer_calls_that_name(std::string(name, std::find_if_not(name, handed.end(), is_of_name)));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].text.starts_with(kTypePrefix)) continue;
    if (const auto map = map_of_call(tokens, code, i)) return text_of(*map, seed);
  }
  if (const auto map = map_of_shared_array(tokens, code, rank_of_copies(source)))
    return text_of(*map, seed);
  GuessedMap map;
  map.type = "f32";
  map.box = {32, 32};
  return text_of(map, seed);
}

}  // namespace tilescope
