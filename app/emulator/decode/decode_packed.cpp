#include "emulator/common_executors/packed_arithmetic.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
namespace {

Operation base_of(std::string_view mnemonic) {
  if (mnemonic == "add") return Operation::kAdd;
  if (mnemonic == "sub") return Operation::kSub;
  return mnemonic == "mul" ? Operation::kMul : Operation::kFma;
}

std::uint8_t flags_of(const Modifiers& m) {
  return static_cast<std::uint8_t>((m.has(Modifier::kFtz) ? kFlushes : 0) |
                                   (m.has(Modifier::kSat) ? kSaturates : 0));
}

}  // namespace

// add, sub, mul, fma of f32x2.
bool decode_packed_float(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kPackedFloat;
  key.second = base_of(d.instruction().mnemonic);
  key.type = DataType::kF32x2;
  const bool fused = key.second == Operation::kFma;
  if (d.count() != (fused ? 4u : 3u)) return d.refuse("this number of operands");
  const DataType t = DataType::kF32x2;
  MicroOp* op =
      fused ? d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t), d.source(3, t)}})
            : d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t)}});
  if (op == nullptr) return false;
  op->flags = flags_of(d.modifiers);
  op->immediate = machine_rounding(rounding_of(d.modifiers, Modifier::kRn));
  d.flop_per_lane = fused ? 4 : 2;
  return true;
}

// add.f32.f16 d, a, c; fma.rn.f32.bf16 d, a, b, c: the last operand is f32.
bool decode_mixed_float(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kMixedFloat;
  key.second = base_of(d.instruction().mnemonic);
  key.type = DataType::kF32;
  key.source_type = d.modifiers.type(1);
  const bool fused = key.second == Operation::kFma;
  if (d.count() != (fused ? 4u : 3u)) return d.refuse("this number of operands");
  const DataType f = DataType::kF32;
  const DataType h = key.source_type;
  if (h != DataType::kF16 && h != DataType::kBf16) return d.refuse("this second type");
  MicroOp* op =
      fused ? d.emit(key, {{d.destination(0, f)}, {d.source(1, h), d.source(2, h), d.source(3, f)}})
            : d.emit(key, {{d.destination(0, f)}, {d.source(1, h), d.source(2, f)}});
  if (op == nullptr) return false;
  op->flags = flags_of(d.modifiers);
  op->immediate = machine_rounding(rounding_of(d.modifiers, Modifier::kRn));
  return true;
}

// min, max: the plain ones go the fast way.
bool decode_float_extreme(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const bool three = d.count() == 4;
  if (!three && !m.has(Modifier::kXorsign) && !m.has(Modifier::kAbs)) return decode_binary(d);
  if (!three && d.count() != 3) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kRareExtreme;
  key.type = m.type(0);
  const DataType t = key.type;
  ExtremeOptions how;
  how.larger = d.form->operation == Operation::kMax;
  how.nan = m.has(Modifier::kNan);
  how.ftz = m.has(Modifier::kFtz);
  how.xorsign = m.has(Modifier::kXorsign);
  how.abs = m.has(Modifier::kAbs);
  how.inputs = three ? 3 : 2;
  MicroOp* op =
      three ? d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t), d.source(3, t)}})
            : d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t)}});
  if (op == nullptr) return false;
  op->flags = how.pack();
  return true;
}

}  // namespace tilescope
