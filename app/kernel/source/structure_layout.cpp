#include "kernel/source/structure_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/expression.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

constexpr std::size_t kMostFields = 512;
constexpr std::uint32_t kPointerBytes = 8;
constexpr std::uint32_t kWidestVector = 16;  // no vector is aligned to more

template <std::size_t N>
bool is_one_of(const CudaToken& token, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, token.text) != words.end();
}
constexpr std::array<std::string_view, 2> kAlignments{"alignas", "__align__"};
constexpr std::array<std::string_view, 3> kAccess{"public", "private", "protected"};
constexpr std::array<std::string_view, 4> kNoFields{"using", "typedef", "friend", "static_assert"};
constexpr std::array<std::string_view, 4> kClassKeys{"struct", "class", "union", "enum"};
constexpr std::array<std::string_view, 8> kDecoration{
    "volatile", "mutable", "struct", "class", "__restrict__", "__restrict", "restrict", "const"};

// float4, uint2, dim3, half2.
std::optional<StructureLayout> vector_layout(std::string_view type) {
  if (type == "dim3") type = "uint3";
  if (type == "half2" || type == "__half2") type = "half2";
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return std::nullopt;
  const auto element = number_type(type.substr(0, type.size() - 1));
  if (!element) return std::nullopt;
  const auto count = static_cast<std::uint32_t>(type.back() - '0');
  const auto size = static_cast<std::uint32_t>(size_of(*element));
  StructureLayout layout;
  layout.bytes = count * size;
  layout.alignment = count == 3 ? size : std::min(count * size, kWidestVector);
  for (std::uint32_t i = 0; i < count; ++i) {
    layout.fields.push_back({std::string(1, "xyzw"[i]),
                             std::string(type.substr(0, type.size() - 1)), false, false, element,
                             i * size});
  }
  return layout;
}

}  // namespace

// Reads the members of one definition.
class StructureTable::Reader {
 public:
  explicit Reader(const StructureTable& table) : table_(table), tokens_(table.tokens_) {}

  // Tokens between the braces; `alignment` is what the definition itself asks for.
  std::optional<StructureLayout> read(std::size_t first, std::size_t last,
                                      const std::optional<StructureLayout>& base,
                                      std::uint32_t alignment) {
    if (base) add("", *base, 1);
    std::size_t at = first;
    while (at < last && good_) at = read_statement(at, last);
    if (!good_) return std::nullopt;
    layout_.alignment = std::max(layout_.alignment, alignment);
    layout_.bytes = rounded_up(std::max(layout_.bytes, 1U), layout_.alignment);
    return std::move(layout_);
  }

 private:
  std::size_t read_statement(std::size_t at, std::size_t last) {
    const CudaToken& word = tokens_[at];
    if (word.kind == CudaTokenKind::kDirective || word.is(";")) return at + 1;
    if (is_one_of(word, kAccess) && at + 1 < last && tokens_[at + 1].is(":")) return at + 2;
    if (is_one_of(word, kClassKeys)) {
      const std::size_t open = definition_at(at, last);
      if (open != last) return behind_definition(open, last);
    }
    return read_member(at, last);
  }

  // The brace of a definition that begins at `at`; `last` where none does.
  std::size_t definition_at(std::size_t at, std::size_t last) const {
    for (std::size_t i = at; i < last && !tokens_[i].is(";") && !tokens_[i].is("("); ++i) {
      if (tokens_[i].is("{")) return i;
      if (tokens_[i].is("=")) return last;
    }
    return last;
  }

  std::size_t behind_definition(std::size_t open, std::size_t last) {
    const std::size_t close = closing_bracket(tokens_, open, last);
    good_ = close + 1 < last && tokens_[close + 1].is(";") && !tokens_[open - 1].is("union") &&
            !tokens_[open - 1].is("struct");
    return close + 2;
  }

  // A field or function, from its first word to behind its end.
  std::size_t read_member(std::size_t first, std::size_t last) {
    const bool skipped = is_one_of(tokens_[first], kNoFields) || tokens_[first].is("template") ||
                         tokens_[first].is("static");
    bool is_function = false;
    bool has_value = false;
    bool initialises = false;  // behind the ':' of a constructor
    std::size_t at = first;
    for (; at < last; ++at) {
      const CudaToken& token = tokens_[at];
      if (token.is("virtual")) good_ = false;
      if (token.is(";")) break;
      if (token.is("=")) has_value = true;
      if (token.is(":") && is_function) initialises = true;
      if (token.is("(")) {
        if (!has_value && !is_one_of(tokens_[at - 1], kAlignments)) is_function = true;
        if (is_function && !skipped && at + 1 < last && tokens_[at + 1].is("*"))
          good_ = false;  // a pointer to one
        at = closing_bracket(tokens_, at, last);
      } else if (token.is("{")) {
        const bool value =
            !is_function || (initialises && !tokens_[at - 1].is(")") && !tokens_[at - 1].is("}"));
        at = closing_bracket(tokens_, at, last);
        if (!value) break;
      }
    }
    if (!is_function && !skipped) read_fields(first, std::min(at, last));
    return at + 1;
  }

  // "const float *a, *b", "int n = 3", "float weights[TAPS]"
  void read_fields(std::size_t first, std::size_t last) {
    std::uint32_t alignment = 1;
    bool is_const = false;
    std::vector<std::string> words;
    std::size_t at = first;
    for (; at < last; ++at) {
      const CudaToken& token = tokens_[at];
      if (is_one_of(token, kAlignments)) {
        alignment = alignment_at(&at, last);
      } else if (token.is(":") && at + 1 < last && tokens_[at + 1].is(":")) {
        words.clear();  // a namespace
        ++at;
      } else if (token.is("const")) {
        is_const = true;
      } else if (token.kind != CudaTokenKind::kWord) {
        break;
      } else if (!is_one_of(token, kDecoration)) {
        words.emplace_back(token.text);
      }
    }
    const bool begins_with_name = at >= last || !tokens_[at].is("*");
    std::string name;
    if (begins_with_name && !words.empty()) {
      name = words.back();
      words.pop_back();
    }
    const std::string type = fmt::format("{}", fmt::join(words, " "));
    good_ = good_ && !type.empty();
    while (good_) {
      at = read_declarator(at, last, type, is_const, alignment, std::move(name));
      if (at >= last) return;
      name.clear();
    }
  }

  // alignas(16): its number, and `at` on its last token.
  std::uint32_t alignment_at(std::size_t* at, std::size_t last) {
    const std::size_t close = closing_bracket(tokens_, *at + 1, last);
    const std::int64_t value = value_between(*at + 2, close);
    *at = close;
    good_ = good_ && value >= 1 && value <= 128;
    return good_ ? static_cast<std::uint32_t>(value) : 1;
  }

  // 0 where it is not known.
  std::int64_t value_between(std::size_t first, std::size_t last) const {
    const auto value = evaluate_expression(joined(tokens_, first, last), table_.constants_);
    return value ? *value : 0;
  }

  // From behind the type, or behind a name that was read with it, to behind the comma.
  std::size_t read_declarator(std::size_t at, std::size_t last, const std::string& type,
                              bool is_const, std::uint32_t alignment, std::string name) {
    int pointers = 0;
    std::int64_t count = 1;
    std::vector<std::int64_t> lengths;
    for (; at < last && !tokens_[at].is(","); ++at) {
      const CudaToken& token = tokens_[at];
      if (token.is("*")) {
        ++pointers;
      } else if (token.kind == CudaTokenKind::kWord) {
        if (!is_one_of(token, kDecoration)) name = token.text;
      } else if (token.is("[")) {
        const std::size_t close = closing_bracket(tokens_, at, last);
        lengths.push_back(value_between(at + 1, close));
        good_ = good_ && lengths.back() > 0 && lengths.back() <= std::int64_t{kMostParameterBytes};
        if (!good_) return last;
        count *= lengths.back();
        good_ = count <= std::int64_t{kMostParameterBytes};
        at = close;
      } else if (token.is("=") || token.is("{")) {
        while (at < last && !tokens_[at].is(",")) {
          at = tokens_[at].is("{") || tokens_[at].is("(") ? closing_bracket(tokens_, at, last) + 1
                                                          : at + 1;
        }
        break;
      } else {
        good_ = false;  // a bit-field, a reference, a template
      }
    }
    good_ = good_ && !name.empty();
    if (good_) add_field(type, pointers, is_const, alignment, name, lengths, count);
    return at + 1;
  }

  void add_field(const std::string& type, int pointers, bool is_const, std::uint32_t alignment,
                 const std::string& name, std::span<const std::int64_t> lengths,
                 std::int64_t count) {
    const std::string plain = resolved_type(table_.aliases_, type);
    StructureLayout one;
    if (pointers > 0) {
      const auto element = element_type(type) ? element_type(type) : element_type(plain);
      one.fields = {{"",
                     fmt::format("{}{}{}", is_const ? "const " : "", type,
                                 std::string(static_cast<std::size_t>(pointers), '*')),
                     true, is_const, pointers > 1 ? ElementType::kU64 : element, 0}};
      one.bytes = one.alignment = kPointerBytes;
    } else if (const auto number = number_type(type) ? number_type(type) : number_type(plain)) {
      one.fields = {{"", type, false, false, number, 0}};
      one.bytes = one.alignment = static_cast<std::uint32_t>(size_of(*number));
    } else if (auto inner = table_.find(type)) {
      one = *std::move(inner);
    } else {
      good_ = false;
      return;
    }
    one.alignment = std::max(one.alignment, alignment);
    for (std::int64_t i = 0; i < count && good_; ++i) {
      std::string index;
      std::int64_t rest = i;
      for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
        index = fmt::format("[{}]{}", rest % *length, index);
        rest /= *length;
      }
      add(name + index, one, i == 0 ? one.alignment : 1);
    }
  }

  void add(const std::string& name, const StructureLayout& part, std::uint32_t alignment) {
    layout_.bytes = rounded_up(layout_.bytes, alignment);
    layout_.alignment = std::max(layout_.alignment, part.alignment);
    for (StructureField field : part.fields) {
      const char* dot = name.empty() || field.name.empty() ? "" : ".";
      field.name = fmt::format("{}{}{}", name, dot, field.name);
      field.offset += layout_.bytes;
      layout_.fields.push_back(std::move(field));
    }
    layout_.bytes += part.bytes;
    good_ = layout_.fields.size() <= kMostFields && layout_.bytes <= kMostParameterBytes;
  }

  const StructureTable& table_;
  const Tokens& tokens_;
  StructureLayout layout_;
  bool good_ = true;  // all that was read is laid out
};

StructureTable::StructureTable(const Tokens& tokens, const ParameterSet& constants,
                               const TypeAliases& aliases)
    : tokens_(tokens), constants_(constants), aliases_(aliases) {
  read_definitions(0, tokens.size());
}

void StructureTable::read_definitions(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const bool is_enum = tokens_[i].is("enum");
    if (!is_enum && !tokens_[i].is("struct") && !tokens_[i].is("class")) continue;
    std::uint32_t alignment = 1;
    std::string name;
    std::optional<StructureLayout> base;
    bool derives = false;
    std::size_t at = i + 1;
    for (; at < last && !tokens_[at].is("{"); ++at) {
      const CudaToken& token = tokens_[at];
      if (is_one_of(token, kAlignments) && at + 1 < last && tokens_[at + 1].is("(")) {
        const std::size_t close = closing_bracket(tokens_, at + 1, last);
        const bool number = close == at + 3;
        const auto value =
            evaluate_expression(number ? std::string(tokens_[at + 2].text) : "1", constants_);
        if (value && *value >= 1 && *value <= 128) alignment = static_cast<std::uint32_t>(*value);
        at = close;
      } else if (token.is(":")) {
        derives = true;
      } else if (token.kind == CudaTokenKind::kWord && derives) {
        if (!is_one_of(token, kAccess)) base = find(token.text);
      } else if (token.kind == CudaTokenKind::kWord) {
        if (!token.is("final") && !token.is("class") && !token.is("struct")) name = token.text;
      } else {
        break;
      }
    }
    if (at >= last || !tokens_[at].is("{")) continue;
    const std::size_t close = closing_bracket(tokens_, at, last);
    if (i > 0 && tokens_[i - 1].is("typedef") && name.empty() && close + 1 < last) {
      name = tokens_[close + 1].text;
    }
    const bool is_template = i > 0 && tokens_[i - 1].is(">");
    if (is_enum) {
      StructureLayout number;
      number.fields = {{"", name, false, false, ElementType::kI32, 0}};
      number.bytes = number.alignment = 4;
      if (!derives) known_[name] = number;
    } else {
      read_definitions(at + 1, close);
      known_[name] = is_template || (derives && !base)
                         ? std::nullopt
                         : Reader(*this).read(at + 1, close, base, alignment);
      if (i > 0 && tokens_[i - 1].is("typedef") && close + 1 < last) {
        known_[std::string(tokens_[close + 1].text)] = known_[name];
      }
    }
    i = close;
  }
}

std::optional<StructureLayout> StructureTable::find(std::string_view type) const {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (const auto found = known_.find(type); found != known_.end()) return found->second;
  if (auto vector = vector_layout(type)) return vector;
  const std::string other = resolved_type(aliases_, std::string(type));
  if (other == type) return std::nullopt;
  const auto found = known_.find(other);
  return found != known_.end() ? found->second : vector_layout(other);
}

}  // namespace tilescope
