#include "kernel/source/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer_recipe.h"
#include "kernel/catalogue/expression.h"
#include "kernel/source/kernel_name.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

// What a kernel does with one of its parameters, as far as its text shows.
struct PtxParameterUse {
  bool is_compared = false;  // as it is: a bound, such as how many elements there are
  bool is_address = false;   // something is read or written behind it
  bool is_written = false;
  std::optional<ElementType> element;  // behind it, of the first access that names a type
};

using PtxParameterUses = std::map<std::string, PtxParameterUse, std::less<>>;  // by its name

// From the body of one .entry. Follows registers from ld.param on in the order of the text; what is
// not understood is left out.
[[nodiscard]] PtxParameterUses find_ptx_parameter_uses(std::string_view body);

// Of ".u32" and the like; none: no type of one element.
[[nodiscard]] std::optional<ElementType> ptx_element_type(std::string_view name);

struct PtxType {
  std::string_view name;
  ElementType type;
};
constexpr std::array<PtxType, 12> kTypes{{{".f32", ElementType::kF32},
                                          {".f64", ElementType::kF64},
                                          {".u32", ElementType::kI32},
                                          {".s32", ElementType::kI32},
                                          {".b32", ElementType::kI32},
                                          {".s64", ElementType::kI64},
                                          {".u16", ElementType::kU16},
                                          {".s16", ElementType::kI16},
                                          {".b16", ElementType::kU16},
                                          {".u8", ElementType::kU8},
                                          {".s8", ElementType::kI8},
                                          {".b8", ElementType::kU8}}};

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%.";

// "ld.global.f32 %f2, [%rd6+4]": the instruction and the names in its operands, in order.
std::vector<std::string_view> names_of(std::string_view statement) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < statement.size();) {
    const std::size_t first = statement.find_first_of(kNameCharacters, at);
    if (first == std::string_view::npos) break;
    const std::size_t end =
        std::min(statement.find_first_not_of(kNameCharacters, first), statement.size());
    // A predicate, and a label with its colon.
    const bool guards = first > 0 && (statement[first - 1] == '@' || statement[first - 1] == '!');
    const bool label = end < statement.size() && statement[end] == ':';
    if (!guards && !label) names.push_back(statement.substr(first, end - first));
    at = end;
  }
  return names;
}

bool has_modifier(std::string_view instruction, std::string_view modifier) {
  const std::size_t at = instruction.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string_view::npos && (end == instruction.size() || instruction[end] == '.');
}

class Uses {
 public:
  void read(std::string_view statement) {
    const std::vector<std::string_view> names = names_of(statement);
    if (names.size() < 2) return;
    const std::string_view instruction = names.front();
    if (instruction.starts_with("ld.param")) {
      load(names);
    } else if (instruction.starts_with("setp")) {
      compare(names);
    } else if (has_modifier(instruction, ".global") && !instruction.starts_with("cvta")) {
      access(instruction, names);
    } else {
      derive(instruction, names);
    }
  }

  PtxParameterUses found;

 private:
  struct Origin {
    std::string parameter;
    bool is_unchanged = true;  // the number that was handed over, however wide
    bool is_address = false;
  };

  // Of one number, from where the parameter begins.
  void load(const std::vector<std::string_view>& names) {
    if (names.size() != 3) return;
    origins_[std::string(names[1])] = {std::string(names[2])};
    found.try_emplace(std::string(names[2]));
  }

  void compare(const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
      const Origin* origin = origin_of(name);
      if (origin != nullptr && origin->is_unchanged) found[origin->parameter].is_compared = true;
    }
  }

  void access(std::string_view instruction, const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) {
      const Origin* origin = origin_of(name);
      if (origin == nullptr || !is_wide(name)) continue;
      PtxParameterUse& use = found[origin->parameter];
      use.is_address = true;
      use.is_written |= !instruction.starts_with("ld");
      if (use.element) return;
      const std::string_view type = instruction.substr(instruction.rfind('.'));
      // Bits of no type are a float's more often than not.
      use.element = type == ".b32" ? ElementType::kF32 : ptx_element_type(type);
      return;  // the address; what a store writes comes after it
    }
  }

  // What is worked out from an address leads to the same buffer; a copy is the same number.
  void derive(std::string_view instruction, const std::vector<std::string_view>& names) {
    const bool copies = instruction.starts_with("mov") || instruction.starts_with("cvt");
    const Origin* from = nullptr;
    for (std::size_t i = 2; i < names.size(); ++i) {
      const Origin* origin = origin_of(names[i]);
      if (origin == nullptr || !(copies || (is_wide(names[i]) && is_wide(names[1])))) continue;
      if (from == nullptr || (origin->is_address && !from->is_address)) from = origin;
    }
    if (from == nullptr) return;
    Origin next = *from;
    next.is_unchanged &= copies;
    if (instruction.starts_with("cvta")) {
      next.is_address = true;
      found[next.parameter].is_address = true;
    }
    origins_[std::string(names[1])] = std::move(next);
  }

  [[nodiscard]] const Origin* origin_of(std::string_view name) const {
    const auto origin = origins_.find(name);
    return origin == origins_.end() ? nullptr : &origin->second;
  }

  static bool is_wide(std::string_view name) { return name.starts_with("%rd"); }

  std::map<std::string, Origin, std::less<>> origins_;  // of a register
};

std::optional<ElementType> ptx_element_type(std::string_view name) {
  const auto* const known = std::ranges::find(kTypes, name, &PtxType::name);
  if (known == kTypes.end()) return std::nullopt;
  return known->type;
}

PtxParameterUses find_ptx_parameter_uses(std::string_view body) {
  Uses uses;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find_first_of(";\n"), body.size());
    const std::string_view statement = body.substr(0, end);
    uses.read(statement.substr(0, statement.find("//")));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return std::move(uses.found);
}

using Tokens = std::vector<CudaToken>;

// Words that say nothing about the type.
bool is_decoration(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords{
      "volatile", "__restrict__",      "__restrict", "restrict", "struct",
      "typename", "__grid_constant__", "std",        "register"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// tokens [first, last): "const float* __restrict__ in" without a default value.
ParameterText parameter_from(const Tokens& tokens, std::size_t first, std::size_t last,
                             const TypeAliases& aliases) {
  ParameterText parameter;
  std::vector<std::string_view> words;
  bool is_const = false;
  for (std::size_t i = first; i < last && !tokens[i].is("="); ++i) {
    const CudaToken& token = tokens[i];
    if (token.is("*") || token.is("[")) {
      parameter.is_const = parameter.is_const || is_const;
      parameter.is_pointer = true;
    } else if (token.is("const")) {
      is_const = is_const || !parameter.is_pointer;
    } else if (token.kind == CudaTokenKind::kWord && !is_decoration(token.text)) {
      words.push_back(token.text);
    }
    if (token.is("[")) i = closing_bracket(tokens, i, last);
  }
  if (words.size() > 1) {
    parameter.name = words.back();
    words.pop_back();
  }
  const std::string type = fmt::format("{}", fmt::join(words, " "));
  parameter.type =
      fmt::format("{}{}{}", is_const ? "const " : "", type, parameter.is_pointer ? "*" : "");
  const auto known = [&](const std::string& name) {
    return parameter.is_pointer ? element_type(name) : number_type(name);
  };
  parameter.element = known(type);
  if (!parameter.element) parameter.element = known(resolved_type(aliases, type));
  return parameter;
}

// The list between `open` and `close`, split at its own commas.
std::vector<ParameterText> parameters_between(const Tokens& tokens, std::size_t open,
                                              std::size_t close, const TypeAliases& aliases) {
  std::vector<ParameterText> parameters;
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "<" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == ">" || text == "}") && i != close) --depth;
    if (i != close && (text != "," || depth != 0)) continue;
    const bool nothing = i == first || (i == first + 1 && tokens[first].is("void"));
    if (!nothing) parameters.push_back(parameter_from(tokens, first, i, aliases));
    first = i + 1;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.empty()) parameters[i].name = fmt::format("arg{}", i);
  }
  return parameters;
}

// Structures that the file defines, member by member.
std::vector<ParameterText> taken_apart(const std::vector<ParameterText>& parameters,
                                       const StructureTable& structures) {
  std::vector<ParameterText> all;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    const ParameterText& parameter = parameters[i];
    const auto layout =
        parameter.is_pointer || parameter.element ? std::nullopt : structures.find(parameter.type);
    if (!layout || layout->fields.empty()) {
      all.push_back(parameter);
      if (!parameter.is_pointer) continue;
      const std::string pointee = parameter.type.substr(0, parameter.type.find('*'));
      if (const auto behind = structures.find(pointee)) all.back().pointee_bytes = behind->bytes;
      continue;
    }
    // `const Matrix a` promises nothing of what a's pointers lead to, but that is how inputs are
    // told apart from outputs.
    const bool is_input = parameter.type.starts_with("const ");
    for (const StructureField& field : layout->fields) {
      const char* dot = field.name.empty() ? "" : ".";
      all.push_back({fmt::format("{}{}{}", parameter.name, dot, field.name), field.type,
                     field.is_pointer, field.is_const || is_input, field.element,
                     StructureMember{i, field.offset, layout->bytes}, 0});
    }
  }
  return all;
}

std::string text_between(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text.append(tokens[i].text).append(" ");
  return text;
}

// What stands between the brackets behind `word`, at its commas: THREADS and BLOCKS of
// __launch_bounds__(THREADS, BLOCKS).
std::vector<std::string> texts_behind(const Tokens& tokens, std::size_t word, std::size_t last) {
  std::vector<std::string> texts;
  if (word + 1 >= last || !tokens[word + 1].is("(")) return texts;
  const std::size_t close = closing_bracket(tokens, word + 1, last);
  for (std::size_t first = word + 2; first < close;) {
    std::size_t end = first;
    for (int depth = 0; end < close && (depth > 0 || !tokens[end].is(",")); ++end) {
      if (tokens[end].is("(")) ++depth;
      if (tokens[end].is(")")) --depth;
    }
    texts.push_back(text_between(tokens, first, end));
    first = end + 1;
  }
  return texts;
}

// Nothing where one of them is no number from 1 to 1024.
std::optional<Dim3> extent_of(const std::vector<std::string>& texts,
                              const ParameterSet& constants) {
  Dim3 extent{1, 1, 1};
  const std::array<std::uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
  if (texts.empty() || texts.size() > axes.size()) return std::nullopt;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto value = evaluate_expression(texts[i], constants);
    if (!value || *value < 1 || *value > 1024) return std::nullopt;
    *axes[i] = static_cast<std::uint32_t>(*value);
  }
  return extent;
}

// __launch_bounds__(THREADS[, ...]), __cluster_dims__(X[, Y[, Z]]), __block_size__((X, Y, Z)[,
// ...])
void note_launch(const Tokens& tokens, std::size_t word, std::size_t last,
                 const ParameterSet& constants, KernelSignature* signature) {
  if (tokens[word].is("__launch_bounds__")) {
    const std::vector<std::string> bounds = texts_behind(tokens, word, last);
    if (bounds.empty()) return;
    const auto threads = extent_of({bounds.front()}, constants);
    if (threads) signature->most_threads = threads->x;
    if (!threads) signature->most_threads_text = bounds.front();
  } else if (tokens[word].is("__cluster_dims__")) {
    signature->cluster =
        extent_of(texts_behind(tokens, word, last), constants).value_or(signature->cluster);
  } else if (tokens[word].is("__block_size__")) {
    const bool tuple = word + 2 < last && tokens[word + 2].is("(");
    signature->required_block =
        extent_of(texts_behind(tokens, tuple ? word + 1 : word, last), constants);
  }
}

void note_body(const Tokens& tokens, std::size_t first, std::size_t last,
               KernelSignature* signature) {
  for (std::size_t i = first; i + 2 < last; ++i) {
    const CudaToken& token = tokens[i];
    const bool index = token.is("threadIdx") || token.is("blockIdx");
    if (index && tokens[i + 1].is(".") && tokens[i + 2].is("y")) signature->is_plane = true;
    if (!token.is("extern")) continue;
    std::size_t end = i;
    while (end < last && !tokens[end].is("[") && !tokens[end].is(";")) ++end;
    const bool shared = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                    tokens.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](const CudaToken& word) { return word.is("__shared__"); });
    if (!shared) continue;
    std::string type;
    for (std::size_t word = i + 1; word + 1 < end; ++word) {
      if (element_type(tokens[word].text)) type = tokens[word].text;
    }
    signature->dynamic_shared = element_type(type).value_or(ElementType::kF32);
  }
}

KernelSignature signature_of(const Tokens& tokens, const Declaration& declaration,
                             const ParameterSet& constants, const TypeAliases& aliases,
                             const StructureTable& structures) {
  KernelSignature signature;
  signature.name =
      declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
  signature.is_template = declaration.is_template;
  for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
    note_launch(tokens, i, declaration.last, constants, &signature);
    if (!tokens[i].is(declaration.name) || !tokens[i + 1].is("(")) continue;
    const std::size_t close = closing_bracket(tokens, i + 1, declaration.last);
    if (close == declaration.last) break;
    signature.parameters =
        taken_apart(parameters_between(tokens, i + 1, close, aliases), structures);
    note_body(tokens, close, declaration.last, &signature);
    break;
  }
  return signature;
}

}  // namespace

ParameterSet find_constants(const Tokens& tokens, ParameterSet given) {
  ParameterSet constants = std::move(given);
  const auto note = [&](std::string_view name, const std::string& expression) {
    if (const auto value = evaluate_expression(expression, constants)) {
      constants.try_emplace(std::string(name), *value);
    }
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const Tokens words = tokenize(tokens[i].text.substr(1));
      if (words.size() >= 3 && words[0].is("define")) {
        note(words[1].text, text_between(words, 2, words.size()));
      }
    } else if (i > 0 && i + 1 < tokens.size() && tokens[i].kind == CudaTokenKind::kWord &&
               tokens[i + 1].is("=") && number_type(tokens[i - 1].text)) {
      std::size_t end = i + 2;
      while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",")) ++end;
      note(tokens[i].text, text_between(tokens, i + 2, end));
    }
  }
  return constants;
}

std::vector<KernelSignature> find_signatures(const std::string& path, const std::string& source) {
  if (path.ends_with(".ptx")) return find_ptx_signatures(source, PtxReading::kBodies);
  const Tokens tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  const TypeAliases aliases = find_aliases(tokens);
  const StructureTable structures(tokens, constants, aliases);
  std::vector<KernelSignature> signatures;
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (!declaration.is_kernel || declaration.kind != Declaration::Kind::kFunction) continue;
    signatures.push_back(signature_of(tokens, declaration, constants, aliases, structures));
  }
  return signatures;
}

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", first), text.size());
    words.push_back(text.substr(first, end - first));
    at = end;
  }
  return words;
}

bool is_64_bits(std::string_view type) { return type == ".u64" || type == ".b64"; }

// ".param .u64 .ptr .global .align 4 scale_param_0", of the entry `scale`.
ParameterText parameter_from(std::string_view text, const std::string& entry,
                             const PtxParameterUses& uses) {
  ParameterText parameter;
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return parameter;
  const std::string_view name = words.back();
  const auto found = uses.find(name);
  const PtxParameterUse use = found != uses.end() ? found->second : PtxParameterUse{};
  const std::string before = entry + "_";
  const bool long_name = name.starts_with(before) && name.size() > before.size();
  parameter.name = name.substr(long_name ? before.size() : 0);
  for (const std::string_view word : words) {
    const auto type = ptx_element_type(word);
    if (!type && !is_64_bits(word)) continue;
    parameter.type = word;
    if (is_64_bits(word) && (use.is_address || !use.is_compared)) {
      parameter.is_pointer = true;
      parameter.is_const = use.is_address && !use.is_written;
      parameter.element = use.element.value_or(ElementType::kF32);
    } else if (parameter.name.back() != ']') {
      parameter.element = type.value_or(ElementType::kI64);
      parameter.is_bound = use.is_compared;
    }
  }
  return parameter;
}

// Of ".maxntid 256, 1, 1"; nothing where there is none.
std::optional<Dim3> extent_behind(std::string_view head, std::string_view directive) {
  const std::size_t at = head.find(directive);
  if (at == std::string_view::npos) return std::nullopt;
  Dim3 extent;
  std::string_view rest = head.substr(at + directive.size());
  for (std::uint32_t* axis : {&extent.x, &extent.y, &extent.z}) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), *axis);
    if (failure != std::errc{} || *axis == 0 || *axis > 1024) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  return extent;
}

// Where the entry of that name begins, and not one whose name begins with it.
std::size_t find_entry(std::string_view ptx, const std::string& name) {
  const std::string entry = ".entry " + name;
  for (std::size_t at = ptx.find(entry); at != std::string_view::npos;
       at = ptx.find(entry, at + 1)) {
    const std::size_t end = at + entry.size();
    if (end >= ptx.size() ||
        std::string_view(" \t\r\n({;").find(ptx[end]) != std::string_view::npos) {
      return at;
    }
  }
  return ptx.find(name);
}

}  // namespace

std::vector<KernelSignature> find_ptx_signatures(std::string_view ptx, PtxReading reading) {
  std::vector<KernelSignature> signatures;
  for (const std::string& name : find_entries(ptx)) {
    KernelSignature signature;
    signature.name = name;
    const std::size_t at = find_entry(ptx, name);
    const std::size_t brace = std::min(ptx.find('{', at), ptx.size());
    const std::size_t end = std::min(ptx.find("\n}", brace), ptx.size());
    const std::string_view body = ptx.substr(brace, end - brace);
    const PtxParameterUses uses =
        reading == PtxReading::kBodies ? find_ptx_parameter_uses(body) : PtxParameterUses();
    const std::string_view head = ptx.substr(at, brace - at);
    const std::size_t open = head.find('(');
    const std::size_t close = head.find(')');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
      std::string_view list = head.substr(open + 1, close - open - 1);
      while (!words_of(list).empty()) {
        const std::size_t comma = list.find(',');
        signature.parameters.push_back(parameter_from(list.substr(0, comma), name, uses));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
      }
    }
    signature.required_block = extent_behind(head, ".reqntid");
    const auto most = extent_behind(head, ".maxntid");
    if (most && most->count() <= 1024) {
      signature.most_threads = static_cast<std::uint32_t>(most->count());
      signature.most_block = most;
    }
    signature.cluster = extent_behind(head, ".reqnctapercluster").value_or(signature.cluster);
    signature.is_plane = body.find("%tid.y") != std::string_view::npos;
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace tilescope
