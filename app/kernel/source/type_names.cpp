#include "kernel/source/type_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/source/conditional_text.h"

namespace tilescope {
namespace {

struct NamedType {
  std::string_view name;
  ElementType type;
};
constexpr auto kTypes = std::to_array<NamedType>({
    {"float", ElementType::kF32},
    {"double", ElementType::kF64},
    {"half", ElementType::kF16},
    {"__half", ElementType::kF16},
    {"nv_bfloat16", ElementType::kBf16},
    {"__nv_bfloat16", ElementType::kBf16},
    {"bool", ElementType::kU8},
    {"char", ElementType::kI8},
    {"signed char", ElementType::kI8},
    {"unsigned char", ElementType::kU8},
    {"short", ElementType::kI16},
    {"unsigned short", ElementType::kU16},
    {"int", ElementType::kI32},
    {"signed", ElementType::kI32},
    {"signed int", ElementType::kI32},
    {"unsigned", ElementType::kU32},
    {"unsigned int", ElementType::kU32},
    {"long", ElementType::kI64},
    {"long int", ElementType::kI64},
    {"unsigned long", ElementType::kU64},
    {"unsigned long int", ElementType::kU64},
    {"long long", ElementType::kI64},
    {"long long int", ElementType::kI64},
    {"unsigned long long", ElementType::kU64},
    {"unsigned long long int", ElementType::kU64},
    {"int8_t", ElementType::kI8},
    {"uint8_t", ElementType::kU8},
    {"int16_t", ElementType::kI16},
    {"uint16_t", ElementType::kU16},
    {"int32_t", ElementType::kI32},
    {"uint32_t", ElementType::kU32},
    {"int64_t", ElementType::kI64},
    {"uint64_t", ElementType::kU64},
    {"u_int8_t", ElementType::kU8},
    {"u_int16_t", ElementType::kU16},
    {"u_int32_t", ElementType::kU32},
    {"u_int64_t", ElementType::kU64},
    {"int_least8_t", ElementType::kI8},
    {"uint_least8_t", ElementType::kU8},
    {"int_least16_t", ElementType::kI16},
    {"uint_least16_t", ElementType::kU16},
    {"int_least32_t", ElementType::kI32},
    {"uint_least32_t", ElementType::kU32},
    {"int_least64_t", ElementType::kI64},
    {"uint_least64_t", ElementType::kU64},
    {"int_fast8_t", ElementType::kI8},
    {"uint_fast8_t", ElementType::kU8},
    {"int_fast16_t", ElementType::kI64},
    {"uint_fast16_t", ElementType::kU64},
    {"int_fast32_t", ElementType::kI64},
    {"uint_fast32_t", ElementType::kU64},
    {"int_fast64_t", ElementType::kI64},
    {"uint_fast64_t", ElementType::kU64},
    {"intptr_t", ElementType::kI64},
    {"uintptr_t", ElementType::kU64},
    {"intmax_t", ElementType::kI64},
    {"uintmax_t", ElementType::kU64},
    {"ssize_t", ElementType::kI64},
    {"size_t", ElementType::kU64},
    {"ptrdiff_t", ElementType::kI64},
    {"uchar", ElementType::kU8},
    {"u_char", ElementType::kU8},
    {"u_short", ElementType::kU16},
    {"u_int", ElementType::kU32},
    {"u_long", ElementType::kU64},
    {"ushort", ElementType::kU16},
    {"uint", ElementType::kU32},
    {"ulong", ElementType::kU64},
    {"longlong", ElementType::kI64},
    {"ulonglong", ElementType::kU64},
    {"nv_bfloat162", ElementType::kBf16},
    {"__nv_bfloat162", ElementType::kBf16},
    {"half2", ElementType::kF16},
    {"__half2", ElementType::kF16},
});

}  // namespace

std::optional<ElementType> number_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &NamedType::name);
  if (found == kTypes.end() || name.ends_with("162") || name.ends_with("half2"))
    return std::nullopt;
  return found->type;
}

std::optional<ElementType> element_type(std::string_view name) {
  const auto whole = std::ranges::find(kTypes, name, &NamedType::name);
  if (whole != kTypes.end()) return whole->type;
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  const auto part = std::ranges::find(kTypes, name.substr(0, name.size() - 1), &NamedType::name);
  return part != kTypes.end() ? std::optional(part->type) : std::nullopt;
}

std::vector<std::string> template_list(std::string_view text) {
  std::vector<std::string> arguments;
  if (text.size() < 2 || text.front() != '<') return arguments;
  text = text.substr(1, text.size() - 2);
  int depth = 0;
  std::string argument;
  for (const char c : text) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      arguments.push_back(std::exchange(argument, {}));
    } else if (c != ' ' || !argument.empty()) {
      argument += c;
    }
  }
  arguments.push_back(argument);
  return arguments;
}

std::size_t closing_bracket(const std::vector<CudaToken>& tokens, std::size_t open,
                            std::size_t last) {
  int depth = 0;
  for (std::size_t i = open; i < last; ++i) {
    if (tokens[i].kind != CudaTokenKind::kPunctuator) continue;
    const char c = tokens[i].text.front();
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i;
  }
  return last;
}

namespace {

// Of the headers of CUDA's libraries, cuComplex.h and cufft.h.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOfLibraries{{
    {"cuComplex", "float2"},
    {"cuFloatComplex", "float2"},
    {"cuDoubleComplex", "double2"},
    {"cufftComplex", "float2"},
    {"cufftDoubleComplex", "double2"},
    {"cufftReal", "float"},
    {"cufftDoubleReal", "double"},
}};

}  // namespace

TypeAliases find_aliases(const std::vector<CudaToken>& tokens) {
  TypeAliases aliases;
  ConditionalText conditions;
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const std::vector<CudaToken> words = tokenize(tokens[i].text.substr(1));
      conditions.read(words);
      if (words.size() == 3 && words[0].is("define") && !conditions.leaves_out()) {
        aliases.try_emplace(words[1].text, words[2].text);
      }
    } else if (conditions.leaves_out()) {
      continue;
    } else if (tokens[i].is("using") && tokens[i + 2].is("=") && i + 4 < tokens.size() &&
               tokens[i + 4].is(";")) {
      aliases.try_emplace(tokens[i + 1].text, tokens[i + 3].text);
    } else if (tokens[i].is("typedef")) {
      std::size_t end = i + 1;
      while (end + 1 < tokens.size() && is_word(tokens[end + 1])) ++end;
      const std::string_view& first = tokens[i + 1].text;
      const std::string_view& last = tokens[std::max(end - 1, i + 1)].text;
      const bool is_plain = end > i + 2 && tokens[end + 1].is(";");  // unsigned short code;
      const auto length = static_cast<std::size_t>(last.data() + last.size() - first.data());
      if (is_plain) aliases.try_emplace(tokens[end].text, std::string_view(first.data(), length));
      if (!is_plain) aliases.try_emplace(tokens[i + 2].text, first);
    }
  }
  aliases.insert(kOfLibraries.begin(), kOfLibraries.end());
  return aliases;
}

std::string resolved_type(const TypeAliases& aliases, const std::string& name) {
  std::string type = name;
  // An alias of itself, typedef struct node node, leads nowhere.
  for (std::size_t steps = 0; steps <= aliases.size(); ++steps) {
    const auto found = aliases.find(type);
    if (found == aliases.end() || found->second == type) break;
    type = found->second;
  }
  return type;
}

bool is_whole_type(std::string_view word) {
  const auto type = number_type(word);
  return word == "auto" || (type && *type != ElementType::kF16 && *type != ElementType::kBf16 &&
                            *type != ElementType::kF32 && *type != ElementType::kF64);
}

bool is_whole_number(ElementType type) {
  return type != ElementType::kF16 && type != ElementType::kBf16 && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

}  // namespace tilescope
