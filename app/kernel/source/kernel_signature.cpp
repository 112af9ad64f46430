#include "kernel/source/kernel_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kernel/catalogue/expression.h"
#include "kernel/source/structure_layout.h"
#include "kernel/source/type_names.h"
#include "kernel/text/declarations.h"
#include "ptx/modifiers.h"
#include "ptx/parser.h"

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

// Whole numbers that bound a loop or an index and that something other than a number is multiplied
// by, whatever they are called: column < q, row * q.
void note_bounds(const Tokens& tokens, std::size_t first, std::size_t last,
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
    parameter.is_bound =
        !parameter.is_pointer && parameter.element && found != seen.end() && found->second == 3;
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
    note_bounds(tokens, close, declaration.last, &signature);
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
        note(words[1].text, joined(words, 2, words.size()));
      }
    } else if (i > 0 && i + 1 < tokens.size() && tokens[i].kind == CudaTokenKind::kWord &&
               (tokens[i + 1].is("=") || tokens[i + 1].is("{")) &&
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

// Of one element; none: a type of more, or none that a buffer holds.
std::optional<ElementType> element_type(DataType type) {
  switch (type) {
    case DataType::kF32:
      return ElementType::kF32;
    case DataType::kF64:
      return ElementType::kF64;
    case DataType::kU32:
    case DataType::kS32:
    case DataType::kB32:
      return ElementType::kI32;
    case DataType::kS64:
      return ElementType::kI64;
    case DataType::kU16:
    case DataType::kB16:
      return ElementType::kU16;
    case DataType::kS16:
      return ElementType::kI16;
    case DataType::kU8:
    case DataType::kB8:
      return ElementType::kU8;
    case DataType::kS8:
      return ElementType::kI8;
    default:
      return std::nullopt;
  }
}

// What a kernel does with one of its parameters, as far as its instructions show.
struct ParameterUse {
  bool is_compared = false;  // as it is: a bound, such as how many elements there are
  bool is_stride = false;    // of what the block or thread has: its place is multiplied by it
  bool is_row = false;       // the block's index itself is
  bool is_address = false;   // something is read or written behind it
  bool is_written = false;
  std::optional<ElementType> element;  // behind it, of the first access that names a type
  DataType loaded = DataType::kB32;    // as which it is read
};

// Follows registers from ld.param on in the order of the text; what is not understood is left out.
class ParameterUses {
 public:
  explicit ParameterUses(const PtxFunction& function) : function_(function) {
    for (const PtxInstruction& instruction : function.instructions) {
      std::string_view unknown;
      const auto modifiers = parse_modifiers(instruction.suffix, &unknown);
      read(instruction, modifiers.value_or(Modifiers{}));
    }
  }

  [[nodiscard]] ParameterUse of(std::uint32_t variable) const {
    const auto found = found_.find({variable, 0});
    return found == found_.end() ? ParameterUse{} : found->second;
  }

  // Of a structure's members that are read, by their offsets in bytes; none overlaps the one
  // before.
  [[nodiscard]] std::map<std::uint32_t, ParameterUse> members_of(std::uint32_t variable) const {
    std::map<std::uint32_t, ParameterUse> members;
    std::uint32_t end = 0;
    for (const auto& [place, use] : found_) {
      if (place.first != variable || place.second < end) continue;
      members[place.second] = use;
      end = place.second + static_cast<std::uint32_t>(bytes_of(use.loaded));
    }
    return members;
  }

 private:
  using ParameterPlace =
      std::pair<std::uint32_t, std::uint32_t>;  // a variable; bytes from its begin
  struct Origin {
    ParameterPlace parameter;
    bool is_unchanged = true;  // the number that was handed over, however wide
    bool is_address = false;
  };

  void read(const PtxInstruction& instruction, const Modifiers& modifiers) {
    const std::span<const PtxOperand> operands =
        std::span(function_.operands).subspan(instruction.first_operand, instruction.operand_count);
    if (operands.empty()) return;
    const std::string_view name = instruction.mnemonic;
    follow_place(name, operands);
    if (name == "ld" && (modifiers.has(Modifier::kParam) || modifiers.has(Modifier::kParamEntry))) {
      load(operands, modifiers);
    } else if (name == "setp") {
      for (const PtxOperand& operand : operands) compare(operand);
    } else if ((modifiers.has(Modifier::kGlobal) && name != "cvta") ||
               is_generic_access(name, modifiers)) {
      access(instruction, modifiers, operands);
    } else {
      derive(name, operands);
    }
  }

  // An ld or st that names no memory.
  [[nodiscard]] static bool is_generic_access(std::string_view name, const Modifiers& modifiers) {
    return (name == "ld" || name == "st") && !modifiers.has(Modifier::kShared) &&
           !modifiers.has(Modifier::kSharedCta) && !modifiers.has(Modifier::kSharedCluster) &&
           !modifiers.has(Modifier::kLocal) && !modifiers.has(Modifier::kConst) &&
           !modifiers.has(Modifier::kParam) && !modifiers.has(Modifier::kParamFunc);
  }

  // Of one number, or of several in a row.
  void load(std::span<const PtxOperand> operands, const Modifiers& modifiers) {
    if (operands.size() != 2) return;
    const PtxOperand& from = operands[1];
    if (from.kind != OperandKind::kAddress || from.base_kind != OperandKind::kVariable ||
        from.displacement < 0) {
      return;
    }
    const DataType type = modifiers.last_type();
    const bool several = operands[0].kind == OperandKind::kVector;
    for (std::uint32_t i = 0; i < (several ? operands[0].count : 1); ++i) {
      const PtxOperand& to = several ? function_.elements[operands[0].index + i] : operands[0];
      const auto offset = static_cast<std::uint32_t>(from.displacement) +
                          i * static_cast<std::uint32_t>(bytes_of(type));
      found_.try_emplace({from.index, offset}).first->second.loaded = type;
      if (to.kind == OperandKind::kRegister) origins_[to.index] = {{from.index, offset}};
    }
  }

  // What follows from the place in the grid, and the numbers that it is multiplied by.
  void follow_place(std::string_view name, std::span<const PtxOperand> operands) {
    if (name == "mul" || name == "mad") {
      for (std::size_t i = 1; i < std::min<std::size_t>(operands.size(), 3); ++i) {
        const Origin* origin = origin_of(operands[i]);
        const auto place = operands.size() > 2 ? place_of(operands[3 - i]) : std::nullopt;
        if (origin == nullptr || !origin->is_unchanged || origin->is_address || !place) continue;
        found_[origin->parameter].is_stride = true;
        found_[origin->parameter].is_row |= *place;
      }
    }
    if (operands[0].kind != OperandKind::kRegister || name == "ld" || name == "atom") return;
    std::optional<bool> place;
    for (const PtxOperand& operand : operands.subspan(1)) {
      const auto from = place_of(operand);
      if (from) place = (name == "mov" || name == "cvt") && *from;
    }
    if (place) places_[operands[0].index] = *place;
  }

  // Whether it is the block's index along x as it is; nullopt: it does not follow from a place.
  [[nodiscard]] std::optional<bool> place_of(const PtxOperand& operand) const {
    if (operand.kind == OperandKind::kSpecial) {
      if (operand.text == "%ctaid.x") return true;
      const bool is_place = operand.text.starts_with("%ctaid") || operand.text.starts_with("%tid");
      return is_place ? std::optional(false) : std::nullopt;
    }
    const auto found =
        operand.kind == OperandKind::kRegister ? places_.find(operand.index) : places_.end();
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  void compare(const PtxOperand& operand) {
    const Origin* origin = origin_of(operand);
    if (origin != nullptr && origin->is_unchanged) found_[origin->parameter].is_compared = true;
  }

  void access(const PtxInstruction& instruction, const Modifiers& modifiers,
              std::span<const PtxOperand> operands) {
    for (const PtxOperand& operand : operands) {
      const Origin* origin = origin_of(operand);
      if (origin == nullptr || !is_wide(operand)) continue;
      ParameterUse& use = found_[origin->parameter];
      use.is_address = true;
      use.is_written |= !instruction.mnemonic.starts_with("ld");
      if (use.element) return;
      // Bits of no type are a float's more often than not.
      const DataType type = modifiers.last_type();
      use.element = type == DataType::kB32 ? ElementType::kF32 : element_type(type);
      return;  // the address; what a store writes comes after it
    }
  }

  // What is worked out from an address leads to the same buffer; a copy is the same number.
  void derive(std::string_view name, std::span<const PtxOperand> operands) {
    if (operands[0].kind != OperandKind::kRegister) return;
    const bool copies = name == "mov" || name == "cvt" || name == "cvta";
    const Origin* from = nullptr;
    for (const PtxOperand& operand : operands.subspan(1)) {
      const Origin* origin = origin_of(operand);
      if (origin == nullptr || !(copies || (is_wide(operand) && is_wide(operands[0])))) continue;
      if (from == nullptr || (origin->is_address && !from->is_address)) from = origin;
    }
    if (from == nullptr) return;
    Origin next = *from;
    next.is_unchanged &= copies;
    if (name == "cvta") {
      next.is_address = true;
      found_[next.parameter].is_address = true;
    }
    origins_[operands[0].index] = next;
  }

  [[nodiscard]] static bool names_register(const PtxOperand& operand) {
    return operand.kind == OperandKind::kRegister ||
           (operand.kind == OperandKind::kAddress && operand.base_kind == OperandKind::kRegister);
  }
  [[nodiscard]] const Origin* origin_of(const PtxOperand& operand) const {
    const auto origin = names_register(operand) ? origins_.find(operand.index) : origins_.end();
    return origin == origins_.end() ? nullptr : &origin->second;
  }
  [[nodiscard]] bool is_wide(const PtxOperand& operand) const {
    return names_register(operand) && bytes_of(function_.registers[operand.index].type) == 8;
  }

  const PtxFunction& function_;
  std::map<std::uint32_t, Origin> origins_;  // of a register
  std::map<std::uint32_t, bool> places_;     // registers that follow from the place in the grid
  std::map<ParameterPlace, ParameterUse> found_;
};

bool is_64_bits(DataType type) { return type == DataType::kU64 || type == DataType::kB64; }

// A number or pointer of this type.
void set_type(DataType type, const ParameterUse& use, ParameterText* parameter) {
  parameter->type = "." + std::string(name_of(type));
  const std::optional<ElementType> element = element_type(type);
  const bool is_bound = use.is_compared || use.is_stride;
  if (is_64_bits(type) && (use.is_address || !is_bound)) {
    parameter->is_pointer = true;
    parameter->is_const = use.is_address && !use.is_written;
    parameter->element = use.element.value_or(ElementType::kF32);
  } else if (element || is_64_bits(type)) {
    parameter->element = element.value_or(ElementType::kI64);
    parameter->is_bound = is_bound;
    parameter->is_row = use.is_row;
  }
}

std::string plain_parameter_name(const PtxVariable& variable, const std::string& entry) {
  const std::string before = entry + "_";
  const bool long_name = variable.name.starts_with(before) && variable.name.size() > before.size();
  return std::string(variable.name.substr(long_name ? before.size() : 0));
}

ParameterText parameter_from(const PtxVariable& variable, const std::string& entry,
                             const ParameterUse& use) {
  ParameterText parameter;
  parameter.name = plain_parameter_name(variable, entry);
  if (variable.is_array) {
    parameter.name += "[" + std::to_string(variable.bytes / bytes_of(variable.type)) + "]";
    parameter.type = "." + std::string(name_of(variable.type));
  } else {
    set_type(variable.type, use, &parameter);
  }
  return parameter;
}

// The members of a structure that the kernel reads; of others nothing is known, and they are zero.
std::vector<ParameterText> members_from(const PtxVariable& variable, const std::string& entry,
                                        const ParameterUses& uses, std::uint32_t variable_index,
                                        std::uint32_t parameter_index) {
  const auto bytes = static_cast<std::uint32_t>(variable.bytes);
  std::map<std::uint32_t, ParameterUse> members = uses.members_of(variable_index);
  if (members.empty()) members[0].loaded = DataType::kU8;
  std::vector<ParameterText> parameters;
  for (const auto& [offset, use] : members) {
    ParameterText member;
    member.name = fmt::format("{}+{}", plain_parameter_name(variable, entry), offset);
    set_type(use.loaded, use, &member);
    member.member = StructureMember{parameter_index, offset, bytes};
    parameters.push_back(std::move(member));
  }
  return parameters;
}

bool reads_thread_row(const PtxFunction& function) {
  return std::ranges::any_of(function.operands, [](const PtxOperand& operand) {
    return operand.kind == OperandKind::kSpecial && operand.text == "%tid.y";
  });
}

}  // namespace

std::vector<KernelSignature> find_ptx_signatures(std::string_view ptx, PtxReading reading) {
  const PtxModule module =
      read_what_is_ptx(ptx, reading == PtxReading::kBodies ? PtxBodies::kRead : PtxBodies::kSkip);
  std::vector<KernelSignature> signatures;
  for (const PtxFunction& function : module.functions) {
    if (!function.is_entry) continue;
    KernelSignature signature;
    signature.name = function.name;
    const ParameterUses uses(function);
    for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
      const std::uint32_t index = function.parameters[i];
      const PtxVariable& variable = module.variables[index];
      if (variable.is_array && reading == PtxReading::kBodies) {
        std::ranges::move(members_from(variable, function.name, uses, index, i),
                          std::back_inserter(signature.parameters));
      } else {
        signature.parameters.push_back(parameter_from(variable, function.name, uses.of(index)));
      }
    }
    signature.required_block = function.required_block;
    if (function.largest_block && function.largest_block->count() <= 1024) {
      signature.most_threads = static_cast<std::uint32_t>(function.largest_block->count());
      signature.most_block = function.largest_block;
    }
    signature.cluster = function.cluster;
    signature.is_plane = reads_thread_row(function);
    signatures.push_back(std::move(signature));
  }
  return signatures;
}

}  // namespace tilescope
