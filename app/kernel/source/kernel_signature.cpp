#include "kernel/source/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/expression.h"
#include "kernel/source/conditional_text.h"
#include "kernel/source/ptx_signature.h"
#include "kernel/source/size_names.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

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
  std::vector<std::string> words;
  bool is_const = false;
  std::string stars;
  for (std::size_t i = first; i < last && !tokens[i].is("="); ++i) {
    const CudaToken& token = tokens[i];
    if (token.is("*") || token.is("[")) {
      // float* a[] leads to pointers; float a[][8] and float (*a)[8] to arrays.
      const bool is_array = token.is("[") && (tokens[i - 1].is("]") || tokens[i - 1].is(")"));
      if (!is_array) stars += '*';
      parameter.is_const = parameter.is_const || is_const;
      parameter.is_pointer = true;
    } else if (token.is("const")) {
      is_const = is_const || !parameter.is_pointer;
    } else if (token.is("<") && !words.empty()) {  // the arguments of a template are of its name
      const std::size_t open = i;
      for (int depth = 0; i < last; ++i) {
        depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
        if (depth == 0) break;
      }
      words.back() += joined(tokens, open, std::min(i + 1, last));
    } else if (token.kind == CudaTokenKind::kWord && !is_decoration(token.text)) {
      words.emplace_back(token.text);
    }
    if (token.is("[")) i = closing_bracket(tokens, i, last);
  }
  if (words.size() > 1) {
    parameter.name = words.back();
    words.pop_back();
  }
  const std::string type = fmt::format("{}", fmt::join(words, " "));
  parameter.type = fmt::format("{}{}{}", is_const ? "const " : "", type, stars);
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
    std::ranges::move(members_of(parameter, i, *layout), std::back_inserter(all));
  }
  for (ParameterText& parameter : all) parameter.behind = behind_pointer(parameter, structures);
  return all;
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
    texts.push_back(joined(tokens, first, end));
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
    // (blockIdx.y * gridDim.x + blockIdx.x) is one line of blocks.
    const bool is_of_line = i + 6 < last && tokens[i + 3].is("*") && tokens[i + 4].is("gridDim") &&
                            tokens[i + 6].is("x");
    if (index && tokens[i + 1].is(".") && tokens[i + 2].is("y") && !is_of_line) {
      signature->is_plane = true;
    }
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

bool names_axis_y(const Tokens& tokens, const Declaration& function, std::string_view name) {
  for (std::size_t i = function.first; i + 2 < function.last; ++i) {
    if (tokens[i].is(name) && tokens[i + 1].is(".") && tokens[i + 2].is("y")) return true;
  }
  return false;
}

// Of a kernel that hands its work to functions of the file: whether their threads and blocks have a
// y.
void note_called(const Tokens& tokens, const std::vector<Declaration>& declarations,
                 const Declaration& kernel, KernelSignature* signature) {
  constexpr std::size_t kMostCalled = 32;
  std::vector<const Declaration*> called{&kernel};
  for (std::size_t next = 0; next < called.size() && !signature->is_plane; ++next) {
    const Declaration& here = *called[next];
    signature->is_plane =
        names_axis_y(tokens, here, "threadIdx") && names_axis_y(tokens, here, "blockIdx");
    signature->is_plane_where_called = signature->is_plane;
    for (const Declaration& other : declarations) {
      const bool is_function = other.kind == Declaration::Kind::kFunction && other.is_device &&
                               !other.is_kernel && called.size() < kMostCalled;
      if (!is_function || std::ranges::find(called, &other) != called.end()) continue;
      for (std::size_t i = here.first; i + 1 < here.last; ++i) {
        if (!tokens[i].is(other.name) || !(tokens[i + 1].is("(") || tokens[i + 1].is("<")))
          continue;
        called.push_back(&other);
        break;
      }
    }
  }
}

bool is_index(const CudaToken& token) { return token.is("threadIdx") || token.is("blockIdx"); }

// Names that a thread's place in the grid goes into: i of i = blockIdx.x * 256 + threadIdx.x, and j
// of j = i + 1.
std::set<std::string_view> places_of(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::set<std::string_view> places;
  for (std::size_t i = first + 1; i + 1 < last; ++i) {
    const bool is_set =
        tokens[i].is("=") && tokens[i - 1].kind == CudaTokenKind::kWord && !tokens[i + 1].is("=");
    if (!is_set) continue;
    for (std::size_t at = i + 1; at < last && !tokens[at].is(";"); ++at) {
      if (tokens[at].is("=") || tokens[at].is("[")) break;  // the next one; what is read there
      if (is_index(tokens[at]) || places.contains(tokens[at].text)) {
        places.insert(tokens[i - 1].text);
      }
    }
  }
  return places;
}

// Whether what the condition around `at` guards is a return.
bool guards_return(const Tokens& tokens, std::size_t at, std::size_t last) {
  int depth = 0;
  for (; at + 2 < last && depth >= 0; ++at) {
    depth += tokens[at].is("(") ? 1 : tokens[at].is(")") ? -1 : 0;
    if (tokens[at].is(";") || tokens[at].is("{")) return false;
  }
  return at + 1 < last && (tokens[at].is("return") || tokens[at + 1].is("return"));
}

// The names of each expression that threads' places are compared with, so that those beyond have
// nothing to do, and of what these are computed of: n of if (i < n - 1), and w and h of
// int n = w * h; if (i >= n) return;
std::vector<std::set<std::string_view>> bounds_of_places(const Tokens& tokens, std::size_t first,
                                                         std::size_t last) {
  const std::set<std::string_view> places = places_of(tokens, first, last);
  std::vector<std::set<std::string_view>> bounds;
  // Of a sum of names either may be how many there are.
  const auto add_words = [&](std::size_t at) {
    std::set<std::string_view> words;
    int depth = 0;
    for (; at + 1 < last && depth >= 0; ++at) {
      const CudaToken& token = tokens[at];
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      const bool ends = token.is(";") || token.is("?") || token.is("&") || token.is("|") ||
                        token.is("-") || token.is("[") || (token.is(",") && depth == 0);
      if (ends) break;
      if (token.is("+") && is_word(tokens[at + 1])) return;
      if (is_word(token) && !places.contains(token.text)) words.insert(token.text);
    }
    bounds.push_back(std::move(words));
  };
  const auto is_place = [&](std::size_t at) {
    return places.contains(tokens[at].text) ||
           (at >= 2 && tokens[at - 1].is(".") && is_index(tokens[at - 2]));
  };
  for (std::size_t i = first + 3; i + 1 < last; ++i) {
    const bool is_below = tokens[i - 1].is("<") && is_place(i - 2);
    const bool is_beyond = tokens[i - 1].is("=") && tokens[i - 2].is(">") && is_place(i - 3);
    if (is_below || (is_beyond && guards_return(tokens, i, last))) add_words(i);
  }
  for (std::size_t i = last; i-- > first + 1;) {
    const bool is_bound = std::ranges::any_of(bounds, [&](const std::set<std::string_view>& words) {
      return words.contains(tokens[i - 1].text);
    });
    if (tokens[i].is("=") && is_bound) add_words(i + 1);
  }
  return bounds;
}

bool is_number(const ParameterText& parameter) {
  return !parameter.is_pointer && parameter.element.has_value();
}

// Whole numbers that bound a loop or an index and that something other than a number is multiplied
// by, whatever they are called: column < q, row * q.
void note_multiplied_bounds(const Tokens& tokens, std::size_t first, std::size_t last,
                            KernelSignature* signature) {
  std::map<std::string_view, int> seen;  // 1: bounds, 2: multiplied, 3: both
  const auto is_name = [&](std::size_t i) {
    return tokens[i].kind == CudaTokenKind::kWord || tokens[i].is(")") || tokens[i].is("]");
  };
  for (std::size_t i = first + 1; i + 2 < last; ++i) {
    if (tokens[i].kind != CudaTokenKind::kWord) continue;
    const CudaToken& before = tokens[i - 1];
    const CudaToken& after = tokens[i + 1];
    if (before.is("<") && !tokens[i - 2].is("<") && !after.is(">")) seen[tokens[i].text] |= 1;
    if (before.is(">") || (before.is("=") && tokens[i - 2].is(">"))) seen[tokens[i].text] |= 1;
    if ((before.is("*") && is_name(i - 2)) || (after.is("*") && is_name(i + 2))) {
      seen[tokens[i].text] |= 2;
    }
  }
  for (ParameterText& parameter : signature->parameters) {
    const auto found = seen.find(parameter.name);
    parameter.is_bound = is_number(parameter) && found != seen.end() && found->second == 3;
  }
}

// And those that threads' places are compared with, where none of an expression is known for a size
// already.
void note_bounds(const Tokens& tokens, std::size_t first, std::size_t last,
                 KernelSignature* signature) {
  note_multiplied_bounds(tokens, first, last, signature);
  for (const std::set<std::string_view>& words : bounds_of_places(tokens, first, last)) {
    const auto is_in = [&](const ParameterText& parameter) {
      return is_number(parameter) && words.contains(parameter.name);
    };
    const bool is_known = std::ranges::any_of(
        signature->parameters,
        [&](const ParameterText& parameter) { return is_in(parameter) && is_size(parameter); });
    for (ParameterText& parameter : signature->parameters) {
      parameter.is_bound = parameter.is_bound || (!is_known && is_in(parameter));
    }
  }
}

// Without those whose names are the declaration's template parameters, which mean what the template
// is given.
ParameterSet constants_outside(const Tokens& tokens, const Declaration& declaration,
                               ParameterSet constants) {
  std::size_t at = declaration.first;
  if (!declaration.is_template || !tokens[at].is("template")) return constants;
  int depth = 0;
  for (++at; at < declaration.last; ++at) {
    depth += tokens[at].is("<") ? 1 : tokens[at].is(">") ? -1 : 0;
    if (depth == 0) break;
    constants.erase(std::string(tokens[at].text));
  }
  return constants;
}

// Behind the <...> that begins at `at`, as that of a specialisation; `at` where none does.
std::size_t behind_angles(const Tokens& tokens, std::size_t at, std::size_t last) {
  int depth = 0;
  for (std::size_t i = at; i < last; ++i) {
    depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
    if (depth == 0) return i == at ? at : i + 1;
  }
  return last;
}

KernelSignature signature_of(const Tokens& tokens, const Declaration& declaration,
                             const ParameterSet& file_constants, const TypeAliases& aliases,
                             const StructureTable& structures) {
  const ParameterSet constants = constants_outside(tokens, declaration, file_constants);
  KernelSignature signature;
  signature.name =
      declaration.scope.empty() ? declaration.name : declaration.scope + "::" + declaration.name;
  signature.is_template = declaration.is_template || tokens[declaration.first].is("template");
  for (std::size_t i = declaration.first; i + 1 < declaration.last; ++i) {
    note_launch(tokens, i, declaration.last, constants, &signature);
    if (!tokens[i].is(declaration.name)) continue;
    const std::size_t open = behind_angles(tokens, i + 1, declaration.last);
    if (open == declaration.last || !tokens[open].is("(")) continue;
    const std::size_t close = closing_bracket(tokens, open, declaration.last);
    if (close == declaration.last) break;
    signature.parameters =
        taken_apart(parameters_between(tokens, open, close, aliases), structures);
    note_body(tokens, close, declaration.last, &signature);
    note_bounds(tokens, close, declaration.last, &signature);
    break;
  }
  return signature;
}

// Which tokens stand in a host function's statements that declare no constant: int n = 1 << 20.
std::vector<bool> host_variables(const Tokens& tokens) {
  std::vector<bool> varies(tokens.size(), false);
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (declaration.kind != Declaration::Kind::kFunction || declaration.is_device) continue;
    bool is_constant = false;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
      const CudaToken& token = tokens[i];
      if (token.is(";") || token.is("{") || token.is("}")) is_constant = false;
      is_constant |= token.is("const") || token.is("constexpr") || token.is("enum");
      varies[i] = !is_constant;
    }
  }
  return varies;
}

}  // namespace

ParameterSet find_constants(const Tokens& tokens, ParameterSet given) {
  ParameterSet constants = std::move(given);
  const std::vector<bool> varies = host_variables(tokens);
  const auto note = [&](std::string_view name, const std::string& expression) {
    if (const auto value = evaluate_expression(expression, constants)) {
      constants.try_emplace(std::string(name), *value);
    }
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == CudaTokenKind::kDirective) {
      const Tokens words = tokenize(tokens[i].text.substr(1));
      if (words.size() >= 3 && words[0].is("define")) {
        note(words[1].text, joined(words, 2, words.size()));
      }
    } else if (i > 0 && i + 1 < tokens.size() && tokens[i].kind == CudaTokenKind::kWord &&
               (tokens[i + 1].is("=") || tokens[i + 1].is("{")) && !varies[i] &&
               number_type(tokens[i - 1].text)) {
      std::size_t end = i + 2;
      while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",") &&
             !tokens[end].is("}")) {
        ++end;
      }
      note(tokens[i].text, joined(tokens, i + 2, end));
    }
  }
  return constants;
}

std::string kernel_text(const std::string& source, std::string_view name) {
  const Tokens tokens = tokenize(source);
  std::string text;
  for (const Declaration& declaration : find_declarations(tokens)) {
    const bool is_meant = declaration.is_kernel && name.ends_with(declaration.name) &&
                          declaration.kind == Declaration::Kind::kFunction;
    if (!is_meant) continue;
    const std::string_view last = tokens[declaration.last - 1].text;
    text.append(tokens[declaration.first].text.data(), last.data() + last.size());
    text += '\n';
  }
  return text;
}

std::vector<ParameterText> members_of(const ParameterText& parameter, std::uint32_t index,
                                      const StructureLayout& layout) {
  // `const Matrix a` promises nothing of what a's pointers lead to, but that is how inputs are told
  // apart from outputs.
  const bool is_input = parameter.type.starts_with("const ");
  std::vector<ParameterText> members;
  for (const StructureField& field : layout.fields) {
    const char* dot = field.name.empty() ? "" : ".";
    members.push_back({fmt::format("{}{}{}", parameter.name, dot, field.name), field.type,
                       field.is_pointer, field.is_const || is_input, field.element,
                       StructureMember{index, field.offset, layout.bytes}, 0});
  }
  return members;
}

namespace {

// Of a list that leads to its own kind: so many of its elements in a row, the last without a next.
constexpr int kDeepest = 3;
constexpr std::size_t kMostBehind = 64;  // members of one structure

// Of a pointer to what holds pointers; nullopt: it holds none.
std::optional<StructureLayout> layout_behind(const ParameterText& parameter,
                                             const StructureTable& structures) {
  const std::size_t star = parameter.type.find('*');
  if (!parameter.is_pointer || star == std::string::npos) return std::nullopt;
  const std::string pointee = parameter.type.substr(0, star);
  const std::size_t next = parameter.type.find('*', star + 1);
  if (next != std::string::npos) {
    const bool is_const = pointee.starts_with("const ");
    const auto named = element_type(pointee.substr(is_const ? 6 : 0));
    const StructureField pointer{"",
                                 parameter.type.substr(0, parameter.type.rfind('*')),
                                 true,
                                 is_const,
                                 named ? named : parameter.element,
                                 0};
    return StructureLayout{{pointer}, sizeof(std::uint64_t), sizeof(std::uint64_t)};
  }
  auto layout = structures.find(pointee);
  const bool leads_on = layout && layout->fields.size() <= kMostBehind &&
                        std::ranges::any_of(layout->fields, &StructureField::is_pointer);
  return leads_on ? layout : std::nullopt;
}

std::vector<ParameterText> behind_pointer(const ParameterText& parameter,
                                          const StructureTable& structures, int depth) {
  const auto layout = layout_behind(parameter, structures);
  if (!layout) return {};
  ParameterText one = parameter;
  one.name += "[]";
  std::vector<ParameterText> members = members_of(one, 0, *layout);
  for (ParameterText& member : members) {
    if (depth < kDeepest) {
      member.behind = behind_pointer(member, structures, depth + 1);
    } else if (layout_behind(member, structures)) {
      member.is_pointer = false;
      member.element = ElementType::kU64;
    }
  }
  return members;
}

}  // namespace

std::vector<ParameterText> behind_pointer(const ParameterText& parameter,
                                          const StructureTable& structures) {
  return behind_pointer(parameter, structures, 1);
}

std::vector<KernelSignature> find_signatures(const std::string& path, const std::string& source) {
  if (path.ends_with(".ptx")) return find_ptx_signatures(source, PtxReading::kBodies);
  const Tokens tokens = tokenize(source);
  const ParameterSet constants = find_constants(tokens);
  const TypeAliases aliases = find_aliases(tokens);
  const StructureTable structures(tokens, constants, aliases);
  const Tokens plain = with_plain_lists(tokens);
  std::vector<KernelSignature> signatures;
  const std::vector<Declaration> declarations = find_declarations(plain);
  for (const Declaration& declaration : declarations) {
    if (!declaration.is_kernel || declaration.kind != Declaration::Kind::kFunction) continue;
    signatures.push_back(signature_of(plain, declaration, constants, aliases, structures));
    note_called(plain, declarations, declaration, &signatures.back());
  }
  return signatures;
}

}  // namespace tilescope
