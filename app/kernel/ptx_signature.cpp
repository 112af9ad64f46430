#include "kernel/ptx_signature.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "ptx/modifiers.h"
#include "ptx/parser.h"

namespace tilescope {
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
  bool is_address = false;   // something is read or written behind it
  bool is_written = false;
  std::optional<ElementType> element;  // behind it, of the first access that names a type
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
    const auto found = found_.find(variable);
    return found == found_.end() ? ParameterUse{} : found->second;
  }

 private:
  struct Origin {
    std::uint32_t parameter = 0;  // a variable of the module
    bool is_unchanged = true;     // the number that was handed over, however wide
    bool is_address = false;
  };

  void read(const PtxInstruction& instruction, const Modifiers& modifiers) {
    const std::span<const PtxOperand> operands =
        std::span(function_.operands).subspan(instruction.first_operand, instruction.operand_count);
    if (operands.empty()) return;
    const std::string_view name = instruction.mnemonic;
    if (name == "ld" && (modifiers.has(Modifier::kParam) || modifiers.has(Modifier::kParamEntry))) {
      load(operands);
    } else if (name == "setp") {
      for (const PtxOperand& operand : operands) compare(operand);
    } else if (modifiers.has(Modifier::kGlobal) && name != "cvta") {
      access(instruction, modifiers, operands);
    } else {
      derive(name, operands);
    }
  }

  // Of one number, from where the parameter begins.
  void load(std::span<const PtxOperand> operands) {
    if (operands.size() != 2 || operands[0].kind != OperandKind::kRegister) return;
    const PtxOperand& from = operands[1];
    if (from.kind != OperandKind::kAddress || from.base_kind != OperandKind::kVariable ||
        from.displacement != 0) {
      return;
    }
    origins_[operands[0].index] = {from.index};
    found_.try_emplace(from.index);
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
  std::map<std::uint32_t, Origin> origins_;      // of a register
  std::map<std::uint32_t, ParameterUse> found_;  // of a variable
};

bool is_64_bits(DataType type) { return type == DataType::kU64 || type == DataType::kB64; }

ParameterText parameter_from(const PtxVariable& variable, const std::string& entry,
                             const ParameterUse& use) {
  ParameterText parameter;
  const std::string before = entry + "_";
  const bool long_name = variable.name.starts_with(before) && variable.name.size() > before.size();
  parameter.name = variable.name.substr(long_name ? before.size() : 0);
  if (variable.is_array) {
    parameter.name += "[" + std::to_string(variable.bytes / bytes_of(variable.type)) + "]";
  }
  parameter.type = "." + std::string(name_of(variable.type));
  const std::optional<ElementType> element = element_type(variable.type);
  if (is_64_bits(variable.type) && (use.is_address || !use.is_compared)) {
    parameter.is_pointer = true;
    parameter.is_const = use.is_address && !use.is_written;
    parameter.element = use.element.value_or(ElementType::kF32);
  } else if (!variable.is_array && (element || is_64_bits(variable.type))) {
    parameter.element = element.value_or(ElementType::kI64);
    parameter.is_bound = use.is_compared;
  }
  return parameter;
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
    for (const std::uint32_t index : function.parameters) {
      signature.parameters.push_back(
          parameter_from(module.variables[index], function.name, uses.of(index)));
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
