#include "kernel/source/ptx_value_types.h"

#include <string_view>

#include "ptx/data_type.h"

namespace tilescope {
namespace {

// Of arithmetic on it; bits say nothing.
std::optional<ElementType> arithmetic_type(DataType type) {
  switch (type) {
    case DataType::kF16:
    case DataType::kF16x2:
      return ElementType::kF16;
    case DataType::kBf16:
    case DataType::kBf16x2:
      return ElementType::kBf16;
    case DataType::kF32:
      return ElementType::kF32;
    case DataType::kF64:
      return ElementType::kF64;
    case DataType::kS32:
    case DataType::kU32:
      return ElementType::kI32;
    default:
      return std::nullopt;
  }
}

bool is_narrow(std::optional<ElementType> type) {
  return type == ElementType::kF16 || type == ElementType::kBf16;
}

// Its result is one of its operands, or they are packed into it or taken apart.
bool is_copy(const PtxInstruction& instruction) {
  using enum Mnemonic;
  return instruction.is(kMov) || instruction.is(kSelp) || instruction.is(kShfl);
}

bool moves_memory(const PtxInstruction& instruction) {
  using enum Mnemonic;
  return instruction.is(kLd) || instruction.is(kSt) || instruction.is(kCp) ||
         instruction.is(kLdmatrix) || instruction.is(kStmatrix);
}

bool multiplies_matrices(const PtxInstruction& instruction) {
  using enum Mnemonic;
  return instruction.is(kMma) || instruction.is(kWmma) || instruction.is(kWgmma);
}

}  // namespace

PtxValueTypes::PtxValueTypes(const PtxFunction& function) : function_(function) {
  for (const PtxInstruction& instruction : function.instructions) {
    make(instruction, instruction.opcode->modifiers);
  }
  for (auto at = function.instructions.rbegin(); at != function.instructions.rend(); ++at) {
    use(*at, at->opcode->modifiers);
  }
}

std::optional<ElementType> PtxValueTypes::used_as(const PtxOperand& operand) const {
  return type_in(used_, operand);
}

std::optional<ElementType> PtxValueTypes::made_as(const PtxOperand& operand) const {
  return type_in(made_, operand);
}

void PtxValueTypes::make(const PtxInstruction& instruction, const Modifiers& modifiers) {
  const std::span<const PtxOperand> operands = operands_of(instruction);
  if (multiplies_matrices(
          instruction)) {  // their types: of the result, of both inputs, of what is added
    if (const auto inputs = arithmetic_type(modifiers.type(1))) multiplied_ = inputs;
    if (modifiers.has_type(DataType::kTf32)) multiplied_ = ElementType::kF32;
    return;
  }
  if (operands.size() < 2 || moves_memory(instruction)) return;
  if (is_copy(instruction)) {
    for (const PtxOperand& operand : operands.subspan(1)) {
      if (const auto type = made_as(operand)) return set(operands[0], *type, &made_);
    }
    return;
  }
  const bool converts = instruction.is(Mnemonic::kCvt);
  const auto type = arithmetic_type(converts ? modifiers.type(0) : modifiers.last_type());
  if (!type) return;
  if (converts && is_narrow(type)) rounded_to_ = type;
  set(operands[0], *type, &made_);
}

void PtxValueTypes::use(const PtxInstruction& instruction, const Modifiers& modifiers) {
  const std::span<const PtxOperand> operands = operands_of(instruction);
  if (operands.size() < 2 || moves_memory(instruction)) return;
  const auto type =
      is_copy(instruction) ? used_as(operands[0]) : arithmetic_type(modifiers.last_type());
  if (!type) return;
  for (const PtxOperand& operand : operands.subspan(1)) set(operand, *type, &used_);
}

std::span<const PtxOperand> PtxValueTypes::operands_of(const PtxInstruction& instruction) const {
  return std::span(function_.operands)
      .subspan(instruction.first_operand, instruction.operand_count);
}

std::span<const PtxOperand> PtxValueTypes::pieces_of(const PtxOperand& operand) const {
  return operand.kind == OperandKind::kVector
             ? std::span(function_.elements).subspan(operand.index, operand.count)
             : std::span(&operand, 1);
}

std::optional<ElementType> PtxValueTypes::type_in(const Types& types,
                                                  const PtxOperand& operand) const {
  for (const PtxOperand& piece : pieces_of(operand)) {
    if (piece.kind != OperandKind::kRegister) continue;
    if (const auto found = types.find(piece.index); found != types.end()) return found->second;
  }
  return std::nullopt;
}

void PtxValueTypes::set(const PtxOperand& operand, ElementType type, Types* types) const {
  for (const PtxOperand& piece : pieces_of(operand)) {
    if (piece.kind == OperandKind::kRegister) types->insert_or_assign(piece.index, type);
  }
}

}  // namespace tilescope
