#pragma once
#include <cstdint>

#include "ptx/data_type.h"
#include "ptx/modifiers.h"

namespace tilescope {

// The operations of operations.inc.
enum class Operation : std::uint8_t {
#define OPERATION(name, ...) name,
#include "emulator/operations.inc"
#undef OPERATION
};

// Where an address points, as far as the instruction says.
enum class AddressForm : std::uint8_t { kWide, kNarrow };  // a 64-bit or a 32-bit row

// Names one executor. Fields that an operation does not use are left at their defaults.
struct OperationKey {
  Operation operation = Operation::kNothing;
  Operation second = Operation::kNothing;  // what a packed or mixed operation computes
  DataType type = DataType::kNone;         // of the result, or of both
  DataType source_type = DataType::kNone;  // where it differs
  Modifier rounding = Modifier::kRn;
  Modifier comparison = Modifier::kEq;  // setp, set; also the mode of prmt, shfl, vote, atom
  Modifier combine = Modifier::kCount;  // and, or, xor of setp; kCount: none
  bool ftz = false;
  bool saturate = false;
  bool approximate = false;
  bool nan = false;  // min.NaN: a NaN wins
  bool relu = false;
  bool carry_in = false;
  bool carry_out = false;
  bool clamp = false;
  bool wide_result = false;  // the destination row has 64 bits where the type has fewer
  bool wide_source = false;
  unsigned vector = 1;
  MemorySpace space = MemorySpace::kNone;
  AddressForm address = AddressForm::kWide;
  ModifierSet words;  // all modifiers of the instruction, as written

  [[nodiscard]] bool has(Modifier word) const { return words[static_cast<std::size_t>(word)]; }
};

}  // namespace tilescope
