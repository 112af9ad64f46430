#include "kernel/source/structure_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "core/expression.h"
#include "core/text.h"
#include "kernel/source/tensor_accessor.h"

namespace tilescope {
namespace {

using Tokens = std::vector<CudaToken>;

constexpr std::size_t kMostFields = 512;
constexpr std::uint32_t kPointerBytes = 8;
constexpr std::uint32_t kWidestVector = 16;  // no vector is aligned to more

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
  // `bound`: of an instance of a template, nullptr of anything else. `sizes_alone`: how large it
  // is, without its fields.
  Reader(const StructureTable& table, const Bound* bound, bool sizes_alone)
      : table_(table), tokens_(table.tokens_), bound_(bound), sizes_alone_(sizes_alone) {
    if (bound == nullptr) return;
    constants_ = bound->numbers;
    constants_.insert(table.constants_.begin(), table.constants_.end());
  }

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
    if (is_one_of(word.text, kAccess) && at + 1 < last && tokens_[at + 1].is(":")) return at + 2;
    if (is_one_of(word.text, kClassKeys)) {
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
    const bool skipped = is_one_of(tokens_[first].text, kNoFields) ||
                         tokens_[first].is("template") || tokens_[first].is("static");
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
      if (token.is("[")) at = closing_bracket(tokens_, at, last);  // a length is no function
      if (token.is("(")) {
        if (!has_value && !is_one_of(tokens_[at - 1].text, kAlignments)) is_function = true;
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
      if (is_one_of(token.text, kAlignments)) {
        alignment = alignment_at(&at, last);
      } else if (token.is(":") && at + 1 < last && tokens_[at + 1].is(":")) {
        words.clear();  // a namespace
        ++at;
      } else if (token.is("const")) {
        is_const = true;
      } else if (token.is("<") && !words.empty()) {
        const std::size_t open = at;
        for (int depth = 0; at < last; ++at) {
          depth += tokens_[at].is("<") ? 1 : tokens_[at].is(">") ? -1 : 0;
          if (depth == 0) break;
        }
        words.back() += joined(tokens_, open, std::min(at + 1, last));
      } else if (token.kind != CudaTokenKind::kWord) {
        break;
      } else if (!is_one_of(token.text, kDecoration)) {
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
    const auto value = evaluate_expression(joined(tokens_, first, last),
                                           bound_ != nullptr ? constants_ : table_.constants_);
    return value ? *value : 0;
  }

  // A type in which the template's parameters stand.
  std::string meant(const std::string& type) const {
    if (bound_ == nullptr) return type;
    std::string text;
    for (const CudaToken& token : tokenize(type)) {
      std::string word(token.text);
      if (const auto bound = bound_->types.find(word); bound != bound_->types.end()) {
        word = bound->second;
      } else if (const auto number = bound_->numbers.find(word); number != bound_->numbers.end()) {
        word = std::to_string(number->second);
      }
      const bool words = is_word(token) && !text.empty() &&
                         (std::isalnum(static_cast<unsigned char>(text.back())) != 0);
      text += (words ? " " : "") + word;
    }
    return text;
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
        if (!is_one_of(token.text, kDecoration)) name = token.text;
      } else if (token.is("[")) {
        const std::size_t close = closing_bracket(tokens_, at, last);
        lengths.push_back(value_between(at + 1, close));
        const std::int64_t most = sizes_alone_ ? kMostSize : std::int64_t{kMostParameterBytes};
        good_ = good_ && lengths.back() > 0 && lengths.back() <= most;
        if (!good_) return last;
        count *= lengths.back();
        good_ = count <= most;
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

  void add_field(const std::string& as_written, int pointers, bool is_const,
                 std::uint32_t alignment, const std::string& name,
                 std::span<const std::int64_t> lengths, std::int64_t count) {
    const std::string type = meant(as_written);
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
    } else if (auto inner = sizes_alone_ ? table_.instance_of(type, true) : std::nullopt) {
      one = *std::move(inner);
    } else if (auto fields = table_.find(type)) {
      one = *std::move(fields);
    } else {
      good_ = false;
      return;
    }
    one.alignment = std::max(one.alignment, alignment);
    if (sizes_alone_) {
      const std::int64_t all = rounded_up(layout_.bytes, one.alignment) + one.bytes * count;
      good_ = all <= kMostSize;
      layout_.bytes = static_cast<std::uint32_t>(all);
      layout_.alignment = std::max(layout_.alignment, one.alignment);
      return;
    }
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

  static constexpr std::int64_t kMostSize = std::int64_t{1} << 30;

  const StructureTable& table_;
  const Tokens& tokens_;
  const Bound* bound_ = nullptr;
  bool sizes_alone_ = false;
  ParameterSet constants_;  // the table's, and those that are bound
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
      if (is_one_of(token.text, kAlignments) && at + 1 < last && tokens_[at + 1].is("(")) {
        const std::size_t close = closing_bracket(tokens_, at + 1, last);
        const bool number = close == at + 3;
        const auto value =
            evaluate_expression(number ? std::string(tokens_[at + 2].text) : "1", constants_);
        if (value && *value >= 1 && *value <= 128) alignment = static_cast<std::uint32_t>(*value);
        at = close;
      } else if (token.is(":")) {
        derives = true;
      } else if (token.kind == CudaTokenKind::kWord && derives) {
        if (!is_one_of(token.text, kAccess)) base = find(token.text);
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
    if (!is_enum && !derives && !name.empty()) read_template(i, at, alignment, name);
    if (is_enum) {
      StructureLayout number;
      number.fields = {{"", name, false, false, ElementType::kI32, 0}};
      number.bytes = number.alignment = 4;
      if (!derives) known_[name] = number;
    } else {
      read_definitions(at + 1, close);
      known_[name] = is_template || (derives && !base)
                         ? std::nullopt
                         : Reader(*this, nullptr, false).read(at + 1, close, base, alignment);
      if (i > 0 && tokens_[i - 1].is("typedef") && close + 1 < last) {
        known_[std::string(tokens_[close + 1].text)] = known_[name];
      }
    }
    i = close;
  }
}

// template <typename T, int N = 4> struct NAME { ... }; without template<> a template of no
// parameters. `key`: the struct.
void StructureTable::read_template(std::size_t key, std::size_t open, std::uint32_t alignment,
                                   const std::string& name) {
  Template made{{}, open + 1, closing_bracket(tokens_, open, tokens_.size()), alignment};
  if (key > 0 && tokens_[key - 1].is(">")) {
    std::size_t begin = key - 1;
    for (int depth = 0; begin > 0; --begin) {
      depth += tokens_[begin].is(">") ? 1 : tokens_[begin].is("<") ? -1 : 0;
      if (depth == 0) break;
    }
    for (const std::string& text : template_list(joined(tokens_, begin, key))) {
      const std::size_t sign = text.find('=');
      const std::vector<CudaToken> words = tokenize(std::string_view(text).substr(0, sign));
      if (words.empty()) return;  // a specialisation
      made.parameters.push_back(
          {std::string(words.back().text), sign == std::string::npos ? "" : text.substr(sign + 1)});
    }
  }
  templates_.insert_or_assign(name, std::move(made));  // the nearest to the file's own text
}

std::optional<StructureLayout> StructureTable::instance_of(std::string_view type,
                                                           bool sizes_alone) const {
  constexpr int kDeepest = 8;  // structures in structures
  const std::size_t open = std::min(type.find('<'), type.size());
  const auto found = templates_.find(type.substr(0, open));
  if (found == templates_.end() || depth_ > kDeepest) return std::nullopt;
  const std::vector<std::string> given = template_list(type.substr(open));
  Bound bound;
  for (std::size_t i = 0; i < found->second.parameters.size(); ++i) {
    const Parameter& parameter = found->second.parameters[i];
    const std::string& text = i < given.size() ? given[i] : parameter.argument;
    ParameterSet numbers = bound.numbers;
    numbers.insert(constants_.begin(), constants_.end());
    const auto number = evaluate_expression(text, numbers);
    if (text.empty()) return std::nullopt;
    if (number) bound.numbers[parameter.name] = *number;
    if (!number) bound.types[parameter.name] = text;
  }
  ++depth_;
  auto layout =
      Reader(*this, &bound, sizes_alone)
          .read(found->second.first, found->second.last, std::nullopt, found->second.alignment);
  --depth_;
  return layout;
}

std::optional<std::uint64_t> StructureTable::bytes_of(std::string_view type) const {
  if (const auto known = find(type)) return known->bytes;
  const auto sizes = instance_of(type, true);
  return sizes ? std::optional<std::uint64_t>(sizes->bytes) : std::nullopt;
}

std::optional<StructureLayout> StructureTable::find(std::string_view type) const {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (const auto found = known_.find(type); found != known_.end()) return found->second;
  if (auto vector = vector_layout(type)) return vector;
  if (auto accessor = accessor_layout(type)) return accessor;
  if (type.ends_with('>')) return instance_of(type, false);
  const std::string other = resolved_type(aliases_, std::string(type));
  if (other == type) return std::nullopt;
  const auto found = known_.find(other);
  return found != known_.end() ? found->second : vector_layout(other);
}

}  // namespace tilescope
