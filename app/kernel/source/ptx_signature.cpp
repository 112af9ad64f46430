#include "kernel/source/ptx_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kernel/source/ptx_value_types.h"
#include "kernel/source/structure_layout.h"
#include "ptx/modifiers.h"
#include "ptx/parser.h"

namespace tilescope {
namespace {

// Of one element; none: a type of more, or none that a buffer holds.
std::optional<ElementType> element_in_ptx(DataType type) {
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
  std::optional<ElementType> element;  // behind it, of the first access that tells its type
  std::optional<ElementType> usual;    // of an access that does not: what it may be
  DataType loaded = DataType::kB32;    // as which it is read
};

// Follows registers from ld.param on in the order of the text; what is not understood is left out.
class ParameterUses {
 public:
  explicit ParameterUses(const PtxFunction& function) : function_(function), values_(function) {
    for (const PtxInstruction& instruction : function.instructions) {
      read(instruction, instruction.opcode->modifiers);
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
    const Mnemonic name = instruction.opcode->kind;
    follow_place(name, operands);
    if (name == Mnemonic::kLd &&
        (modifiers.has(Modifier::kParam) || modifiers.has(Modifier::kParamEntry))) {
      load(operands, modifiers);
    } else if (name == Mnemonic::kSetp) {
      for (const PtxOperand& operand : operands) compare(operand);
    } else if ((modifiers.has(Modifier::kGlobal) && name != Mnemonic::kCvta) ||
               is_generic_access(name, modifiers)) {
      access(instruction, modifiers, operands);
    } else {
      derive(name, operands);
    }
  }

  [[nodiscard]] static bool is_load(const PtxInstruction& instruction) {
    return instruction.is(Mnemonic::kLd) || instruction.is(Mnemonic::kLdu) ||
           instruction.is(Mnemonic::kLdmatrix);
  }

  // An ld or st that names no memory.
  [[nodiscard]] static bool is_generic_access(Mnemonic name, const Modifiers& modifiers) {
    return (name == Mnemonic::kLd || name == Mnemonic::kSt) && !modifiers.has(Modifier::kShared) &&
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
  void follow_place(Mnemonic name, std::span<const PtxOperand> operands) {
    if (name == Mnemonic::kMul || name == Mnemonic::kMad) {
      for (std::size_t i = 1; i < std::min<std::size_t>(operands.size(), 3); ++i) {
        const Origin* origin = origin_of(operands[i]);
        const auto place = operands.size() > 2 ? place_of(operands[3 - i]) : std::nullopt;
        if (origin == nullptr || !origin->is_unchanged || origin->is_address || !place) continue;
        found_[origin->parameter].is_stride = true;
        found_[origin->parameter].is_row |= *place;
      }
    }
    if (operands[0].kind != OperandKind::kRegister || name == Mnemonic::kLd ||
        name == Mnemonic::kAtom)
      return;
    std::optional<bool> place;
    for (const PtxOperand& operand : operands.subspan(1)) {
      const auto from = place_of(operand);
      if (from) place = (name == Mnemonic::kMov || name == Mnemonic::kCvt) && *from;
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
      const bool is_source = instruction.is(Mnemonic::kCp) && &operand != operands.data();
      use.is_written |= !is_source && !is_load(instruction);
      if (use.element) return;
      use.element = element_of(instruction, modifiers.last_type(), operands, &use.usual);
      return;  // the address; what a store writes comes after it
    }
  }

  // What an access reads or writes; bits are what is done with them. `usual`: where nothing tells
  // it, for one access of many may.
  [[nodiscard]] std::optional<ElementType> element_of(const PtxInstruction& instruction,
                                                      DataType type,
                                                      std::span<const PtxOperand> operands,
                                                      std::optional<ElementType>* usual) const {
    if (instruction.is(Mnemonic::kCp)) {
      *usual = values_.multiplied().value_or(ElementType::kF32);
      return std::nullopt;
    }
    const bool is_bits = type == DataType::kB32 || type == DataType::kB16 ||
                         type == DataType::kB64 || type == DataType::kB128;
    if (!is_bits) return element_in_ptx(type);
    const bool loads = instruction.is(Mnemonic::kLd);
    const auto known = loads ? values_.used_as(operands.front()) : values_.made_as(operands.back());
    if (known && (type != DataType::kB16 || size_of(*known) == 2)) return known;
    // A float's more often than not, rounded as the others are.
    if (type == DataType::kB16) *usual = element_in_ptx(type);
    if (type == DataType::kB32) *usual = ElementType::kF32;
    if (values_.multiplied() && (loads || values_.rounded_to())) {
      *usual = loads ? values_.multiplied() : values_.rounded_to();
    }
    return std::nullopt;
  }

  // What is worked out from an address leads to the same buffer; a copy is the same number.
  void derive(Mnemonic name, std::span<const PtxOperand> operands) {
    if (operands[0].kind != OperandKind::kRegister) return;
    const bool copies = name == Mnemonic::kMov || name == Mnemonic::kCvt || name == Mnemonic::kCvta;
    const Origin* from = nullptr;
    for (const PtxOperand& operand : operands.subspan(1)) {
      const Origin* origin = origin_of(operand);
      if (origin == nullptr || !(copies || (is_wide(operand) && is_wide(operands[0])))) continue;
      if (from == nullptr || (origin->is_address && !from->is_address)) from = origin;
    }
    if (from == nullptr) return;
    Origin next = *from;
    next.is_unchanged &= copies;
    if (name == Mnemonic::kCvta) {
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
  const PtxValueTypes values_;
  std::map<std::uint32_t, Origin> origins_;  // of a register
  std::map<std::uint32_t, bool> places_;     // registers that follow from the place in the grid
  std::map<ParameterPlace, ParameterUse> found_;
};

bool is_64_bits(DataType type) { return type == DataType::kU64 || type == DataType::kB64; }

// A number or pointer of this type.
void set_type(DataType type, const ParameterUse& use, ParameterText* parameter) {
  parameter->type = "." + std::string(name_of(type));
  const std::optional<ElementType> element = element_in_ptx(type);
  const bool is_bound = use.is_compared || use.is_stride;
  if (is_64_bits(type) && (use.is_address || !is_bound)) {
    parameter->is_pointer = true;
    parameter->is_const = use.is_address && !use.is_written;
    parameter->element = use.element.value_or(use.usual.value_or(ElementType::kF32));
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
