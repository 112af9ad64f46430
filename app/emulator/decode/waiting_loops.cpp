#include "emulator/decode/waiting_loops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilescope {
namespace {

bool reads_what_others_write(const PtxInstruction& instruction) {
  if (instruction.mnemonic == "atom") return true;
  if (instruction.mnemonic == "mbarrier")
    return instruction.suffix.find("_wait") != std::string_view::npos;
  if (instruction.mnemonic != "ld") return false;
  constexpr std::array<std::string_view, 6> kPassingL1 = {".volatile", ".relaxed", ".acquire",
                                                          ".mmio",     ".cg",      ".cv"};
  return std::ranges::any_of(kPassingL1, [&](std::string_view modifier) {
    return instruction.suffix.find(modifier) != std::string_view::npos;
  });
}

// Where the branch goes; its own place: it goes nowhere back.
std::size_t target_of(const PtxFunction& function, std::size_t branch) {
  const PtxInstruction& instruction = function.instructions[branch];
  if (instruction.mnemonic != "bra" || instruction.operand_count == 0) return branch;
  const PtxOperand& operand = function.operands[instruction.first_operand];
  const bool is_label = operand.kind == OperandKind::kSymbol && operand.index != kNoIndex;
  return is_label ? std::min<std::size_t>(operand.index, branch) : branch;
}

bool has_waiting_loop(const PtxFunction& function, bool calls_wait) {
  const auto& instructions = function.instructions;
  std::vector<std::size_t> waits_before(instructions.size() + 1, 0);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const bool waits = reads_what_others_write(instructions[i]) ||
                       (calls_wait && instructions[i].mnemonic == "call");
    waits_before[i + 1] = waits_before[i] + (waits ? 1 : 0);
  }
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (waits_before[i] > waits_before[target_of(function, i)]) return true;
  }
  return false;
}

}  // namespace

bool waits_in_a_loop(const PtxModule& module, std::span<const std::uint32_t> functions) {
  const bool calls_wait = std::ranges::any_of(functions, [&](std::uint32_t f) {
    return std::ranges::any_of(module.functions[f].instructions, reads_what_others_write);
  });
  return calls_wait && std::ranges::any_of(functions, [&](std::uint32_t f) {
           return has_waiting_loop(module.functions[f], calls_wait);
         });
}

}  // namespace tilescope
