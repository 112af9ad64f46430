#include "emulator/register_use.h"

#include <unordered_map>

#include "emulator/program_implementation.h"

namespace tilescope {

Result<RegisterUses> register_uses(const Program& program) {
  Result<DecodedKernel> decoded = decode_with_registers(program);
  if (!decoded) return std::move(decoded).error();
  RegisterUses uses;
  uses.by_instruction.resize(program.instructions().size());
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  for (const DecodedKernel::Operand& operand : decoded->operands) {
    const auto number = numbers.emplace(operand.row, numbers.size()).first->second;
    RegisterUse& use = uses.by_instruction[operand.instruction];
    (operand.is_written ? use.writes : use.reads).push_back(number);
  }
  uses.registers = static_cast<std::uint32_t>(numbers.size());
  return uses;
}

}  // namespace tilescope
