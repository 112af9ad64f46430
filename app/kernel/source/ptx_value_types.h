#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "core/buffer_recipe.h"
#include "ptx/modifiers.h"
#include "ptx/syntax.h"

namespace tilescope {

// What the bits in a function's registers are, where loads and stores name only their width
// (ld.global.v4.b32): by the instructions that use them and that made them. Reads the text once in
// either direction, so a register that two types share has one of them.
class PtxValueTypes {
 public:
  // `function` must outlive it.
  explicit PtxValueTypes(const PtxFunction& function);

  // By what is done with the registers of this operand, a register or a vector of them.
  [[nodiscard]] std::optional<ElementType> used_as(const PtxOperand& operand) const;
  // By what they were made by.
  [[nodiscard]] std::optional<ElementType> made_as(const PtxOperand& operand) const;
  // What the tensor cores multiply; none: the function does not use them.
  [[nodiscard]] std::optional<ElementType> multiplied() const { return multiplied_; }
  // What results are rounded to; none: none are.
  [[nodiscard]] std::optional<ElementType> rounded_to() const { return rounded_to_; }

 private:
  using Types = std::map<std::uint32_t, ElementType>;  // of a register

  void make(const PtxInstruction& instruction, const Modifiers& modifiers);
  void use(const PtxInstruction& instruction, const Modifiers& modifiers);
  [[nodiscard]] std::span<const PtxOperand> operands_of(const PtxInstruction& instruction) const;
  // The operand itself, or its elements where it is a vector.
  [[nodiscard]] std::span<const PtxOperand> pieces_of(const PtxOperand& operand) const;
  [[nodiscard]] std::optional<ElementType> type_in(const Types& types,
                                                   const PtxOperand& operand) const;
  void set(const PtxOperand& operand, ElementType type, Types* types) const;

  const PtxFunction& function_;
  Types used_;
  Types made_;
  std::optional<ElementType> multiplied_;
  std::optional<ElementType> rounded_to_;
};

}  // namespace tilescope
