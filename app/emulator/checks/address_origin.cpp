#include "emulator/checks/address_origin.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// Instructions that hand a pointer on. A product or a loaded value is no pointer of its operands.
bool passes_on(std::string_view mnemonic) {
  constexpr std::array kPassing{"mov",  "add", "sub", "mad", "cvta", "cvt",
                                "selp", "or",  "and", "min", "max",  "shfl"};
  return std::find(kPassing.begin(), kPassing.end(), mnemonic) != kPassing.end();
}

class Origins {
 public:
  Origins(const Program& program, const PtxFunction& function) : function_(function) {
    const Code& code = program.implementation().code();
    for (std::size_t i = 0; i < code.shared_variables.size() && i < 64; ++i) {
      bit_of_[code.shared_variables[i].variable] = std::uint64_t{1} << i;
    }
    of_register_.assign(function.registers.size(), 0);
    if (bit_of_.empty()) return;
    while (spread()) {
    }
  }

  [[nodiscard]] std::uint64_t of_address(const PtxInstruction& instruction) const {
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      const PtxOperand& operand = function_.operands[instruction.first_operand + i];
      if (operand.kind == OperandKind::kAddress) return of(operand.base_kind, operand.index);
    }
    return 0;
  }

 private:
  [[nodiscard]] std::uint64_t of(OperandKind kind, std::uint32_t index) const {
    if (kind == OperandKind::kVariable) {
      const auto found = bit_of_.find(index);
      return found == bit_of_.end() ? 0 : found->second;
    }
    return kind == OperandKind::kRegister && index < of_register_.size() ? of_register_[index] : 0;
  }

  bool spread() {
    bool changed = false;
    for (const PtxInstruction& instruction : function_.instructions) {
      if (instruction.operand_count < 2 || !passes_on(instruction.mnemonic)) continue;
      const PtxOperand* operands = function_.operands.data() + instruction.first_operand;
      if (operands[0].kind != OperandKind::kRegister) continue;
      std::uint64_t& to = of_register_[operands[0].index];
      std::uint64_t found = to;
      for (std::uint32_t i = 1; i < instruction.operand_count; ++i) {
        found |= of(operands[i].kind, operands[i].index);
      }
      changed |= found != to;
      to = found;
    }
    return changed;
  }

  const PtxFunction& function_;
  std::unordered_map<std::uint32_t, std::uint64_t> bit_of_;
  std::vector<std::uint64_t> of_register_;
};

}  // namespace

std::vector<std::uint64_t> shared_arrays_of(const Program& program) {
  std::unordered_map<const char*, std::uint64_t> arrays;  // by the instruction's text
  for (const PtxFunction& function : program.implementation().module.functions) {
    if (!function.has_body) continue;
    const Origins origins(program, function);
    for (const PtxInstruction& instruction : function.instructions) {
      const std::uint64_t found = origins.of_address(instruction);
      if (found != 0) arrays[instruction.text.data()] = found;
    }
  }
  std::vector<std::uint64_t> by_instruction;
  for (const StaticInstruction& instruction : program.instructions()) {
    const auto found = arrays.find(instruction.text.data());
    by_instruction.push_back(found == arrays.end() ? 0 : found->second);
  }
  return by_instruction;
}

}  // namespace tilescope
