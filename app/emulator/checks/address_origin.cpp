#include "emulator/checks/address_origin.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

// Instructions that hand a pointer on. A product or a loaded value is no pointer of its operands.
bool passes_on(const PtxInstruction& instruction) {
  using enum Mnemonic;
  constexpr std::array kPassing{kMov,  kAdd, kSub, kMad, kCvta, kCvt,
                                kSelp, kOr,  kAnd, kMin, kMax,  kShfl};
  return std::ranges::any_of(kPassing, [&](Mnemonic each) { return instruction.is(each); });
}

// What a register may be made from, a bit each.
struct Sources {
  std::uint64_t shared = 0;      // of Code::shared_variables
  std::uint64_t constant = 0;    // of Code::constant_variables
  std::uint64_t parameters = 0;  // of Origins::words_
  friend bool operator==(const Sources&, const Sources&) = default;
  Sources& operator|=(const Sources& other) {
    shared |= other.shared;
    constant |= other.constant;
    parameters |= other.parameters;
    return *this;
  }
};

class Origins {
 public:
  Origins(const Program& program, const PtxFunction& function) : function_(function) {
    const Code& code = program.implementation().code();
    const auto number = [&](const std::vector<PlacedVariable>& variables,
                            std::uint64_t Sources::*bits) {
      for (std::size_t i = 0; i < variables.size() && i < 64; ++i)
        variables_[variables[i].variable].*bits = std::uint64_t{1} << i;
    };
    number(code.shared_variables, &Sources::shared);
    number(code.constant_variables, &Sources::constant);
    of_register_.assign(function.registers.size(), {});
    if (function.is_entry) load_parameters(program);
    if (variables_.empty() && words_.empty()) return;
    while (spread()) {
    }
  }

  // The arrays of the first address, and the parameters of all: cp.async has two.
  [[nodiscard]] Sources of_address(const PtxInstruction& instruction) const {
    Sources sources;
    bool first = true;
    for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
      const PtxOperand& operand = function_.operands[instruction.first_operand + i];
      if (operand.kind != OperandKind::kAddress) continue;
      const Sources found = of(operand.base_kind, operand.index);
      if (first) {
        sources.shared = found.shared;
        sources.constant = found.constant;
      }
      sources.parameters |= found.parameters;
      first = false;
    }
    return sources;
  }
  [[nodiscard]] AddressOrigin of(const PtxInstruction& instruction) const {
    const Sources sources = of_address(instruction);
    AddressOrigin origin{sources.shared, sources.constant, {}};
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((sources.parameters >> i & 1u) != 0) origin.parameters.push_back(words_[i]);
    }
    return origin;
  }

 private:
  [[nodiscard]] Sources of(OperandKind kind, std::uint32_t index) const {
    if (kind == OperandKind::kVariable) {
      const auto found = variables_.find(index);
      return found == variables_.end() ? Sources{} : found->second;
    }
    return kind == OperandKind::kRegister && index < of_register_.size() ? of_register_[index]
                                                                         : Sources{};
  }

  // "ld.param.u64 %rd1, [kernel_param_0];"
  void load_parameters(const Program& program) {
    for (const PtxInstruction& instruction : function_.instructions) {
      const bool loads =
          instruction.is(Mnemonic::kLd) && instruction.operand_count == 2 &&
          (instruction.has(Modifier::kParam) || instruction.has(Modifier::kParamEntry)) &&
          bytes_of(instruction.opcode->modifiers.last_type()) == 8;
      if (!loads || words_.size() == 64) continue;
      const PtxOperand& to = function_.operands[instruction.first_operand];
      const PtxOperand& from = function_.operands[instruction.first_operand + 1];
      if (to.kind != OperandKind::kRegister || from.base_kind != OperandKind::kVariable) continue;
      const auto at =
          std::find(function_.parameters.begin(), function_.parameters.end(), from.index);
      const auto index = static_cast<std::size_t>(at - function_.parameters.begin());
      if (index >= program.parameters().size()) continue;
      of_register_[to.index].parameters |= std::uint64_t{1} << words_.size();
      words_.push_back(program.parameters()[index].offset +
                       static_cast<std::uint32_t>(from.displacement));
    }
  }

  bool spread() {
    bool changed = false;
    for (const PtxInstruction& instruction : function_.instructions) {
      if (instruction.operand_count < 2 || !passes_on(instruction)) continue;
      const PtxOperand* operands = function_.operands.data() + instruction.first_operand;
      if (operands[0].kind != OperandKind::kRegister) continue;
      Sources& to = of_register_[operands[0].index];
      Sources found = to;
      for (std::uint32_t i = 1; i < instruction.operand_count; ++i) {
        found |= of(operands[i].kind, operands[i].index);
      }
      changed |= found != to;
      to = found;
    }
    return changed;
  }

  const PtxFunction& function_;
  std::unordered_map<std::uint32_t, Sources> variables_;
  std::vector<Sources> of_register_;
  std::vector<std::uint32_t> words_;  // offsets in the parameter block
};

const PtxOperand* operands_of(const PtxFunction& function, const PtxInstruction& instruction) {
  return function.operands.data() + instruction.first_operand;
}

}  // namespace

std::vector<AddressArrays> arrays_of(const Program& program) {
  std::unordered_map<const PtxOperand*, AddressArrays> arrays;  // by the instruction's operands
  for (const PtxFunction& function : program.implementation().module.functions) {
    if (!function.has_body) continue;
    const Origins origins(program, function);
    for (const PtxInstruction& instruction : function.instructions) {
      const Sources found = origins.of_address(instruction);
      if ((found.shared | found.constant) != 0)
        arrays[operands_of(function, instruction)] = {found.shared, found.constant};
    }
  }
  std::vector<AddressArrays> by_instruction;
  for (const StaticInstruction& instruction : program.instructions()) {
    const auto found = arrays.find(instruction.operands.data());
    const bool known = found != arrays.end() && !instruction.operands.empty();
    by_instruction.push_back(known ? found->second : AddressArrays{});
  }
  return by_instruction;
}

std::vector<AddressOrigin> origins_of(const Program& program,
                                      std::span<const std::uint32_t> instructions) {
  std::vector<AddressOrigin> all(instructions.size());
  std::unordered_multimap<const PtxOperand*, AddressOrigin*> wanted;  // as above
  for (std::size_t i = 0; i < instructions.size(); ++i)
    wanted.emplace(program.instructions()[instructions[i]].operands.data(), &all[i]);
  for (const PtxFunction& function : program.implementation().module.functions) {
    std::optional<Origins> origins;
    for (const PtxInstruction& instruction : function.instructions) {
      const auto [first, last] = wanted.equal_range(operands_of(function, instruction));
      if (first == last || instruction.operand_count == 0) continue;
      if (!origins) origins.emplace(program, function);
      const AddressOrigin origin = origins->of(instruction);
      std::for_each(first, last, [&](const auto& each) { *each.second = origin; });
    }
  }
  return all;
}

}  // namespace tilescope
