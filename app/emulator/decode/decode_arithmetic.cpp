#include <algorithm>
#include <array>

#include "emulator/common_executors/packed_arithmetic.h"
#include "emulator/common_executors/video.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
namespace {

OperationKey key_of(const InstructionDecoder& decoder) {
  const Modifiers& m = decoder.modifiers;
  OperationKey key;
  key.operation = decoder.form->operation;
  key.type = m.type(0);
  key.source_type = m.type(1);
  key.rounding = rounding_of(m, Modifier::kRn);
  key.ftz = m.has(Modifier::kFtz);
  key.saturate = m.has(Modifier::kSat);
  key.approximate = m.has(Modifier::kApprox) || m.has(Modifier::kFull);
  key.nan = m.has(Modifier::kNan);
  key.relu = m.has(Modifier::kRelu);
  key.clamp = m.has(Modifier::kClamp);
  if (m.has(Modifier::kFull)) key.comparison = Modifier::kFull;
  return key;
}

bool expects(InstructionDecoder& decoder, unsigned count) {
  if (decoder.count() == count) return true;
  return decoder.refuse("this number of operands");
}

// The relations for which a test of setp or set holds; 0: there is no such test of this type.
std::uint8_t relations_of(Modifier test, DataType type) {
  const bool floats = is_float(type);
  switch (test) {
    case Modifier::kEq:
      return kIfEqual;
    case Modifier::kNe:
      return kIfLess | kIfGreater;
    case Modifier::kLo:
    case Modifier::kLt:
      return kIfLess;
    case Modifier::kLs:
    case Modifier::kLe:
      return kIfLess | kIfEqual;
    case Modifier::kHi:
    case Modifier::kGt:
      return kIfGreater;
    case Modifier::kHs:
    case Modifier::kGe:
      return kIfGreater | kIfEqual;
    case Modifier::kEqu:
      return floats ? kIfEqual | kIfUnordered : 0;
    case Modifier::kNeu:
      return floats ? kIfLess | kIfGreater | kIfUnordered : 0;
    case Modifier::kLtu:
      return floats ? kIfLess | kIfUnordered : 0;
    case Modifier::kLeu:
      return floats ? kIfLess | kIfEqual | kIfUnordered : 0;
    case Modifier::kGtu:
      return floats ? kIfGreater | kIfUnordered : 0;
    case Modifier::kGeu:
      return floats ? kIfGreater | kIfEqual | kIfUnordered : 0;
    case Modifier::kNum:
      return floats ? kIfLess | kIfEqual | kIfGreater : 0;
    case Modifier::kNanTest:
      return floats ? kIfUnordered : 0;
    default:
      return 0;
  }
}

// How setp, set or lop3 combine their result with a further predicate; 0: they do not.
std::uint8_t combination_of(const Modifiers& modifiers) {
  if (modifiers.has(Modifier::kAnd)) return kCombinesByAnd;
  if (modifiers.has(Modifier::kOr)) return kCombinesByOr;
  return modifiers.has(Modifier::kXor) ? kCombinesByXor : 0;
}

}  // namespace

bool decode_unary(InstructionDecoder& d) {
  if (!expects(d, 2)) return false;
  const OperationKey key = key_of(d);
  return d.emit(key, {{d.destination(0, key.type)}, {d.source(1, key.type)}}) != nullptr;
}

bool decode_binary(InstructionDecoder& d) {
  if (!expects(d, 3)) return false;
  const OperationKey key = key_of(d);
  return d.emit(key, {{d.destination(0, key.type)},
                      {d.source(1, key.type), d.source(2, key.type)}}) != nullptr;
}

bool decode_ternary(InstructionDecoder& d) {
  if (!expects(d, 4)) return false;
  const OperationKey key = key_of(d);
  const DataType t = key.type;
  return d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t), d.source(3, t)}}) !=
         nullptr;
}

bool decode_float_binary(InstructionDecoder& d) {
  return d.modifiers.type_count == 2 ? decode_mixed_float(d) : decode_binary(d);
}
bool decode_float_ternary(InstructionDecoder& d) {
  return d.modifiers.type_count == 2 ? decode_mixed_float(d) : decode_ternary(d);
}

bool decode_count_bits(InstructionDecoder& d) {
  if (!expects(d, 2)) return false;
  OperationKey key = key_of(d);
  if (d.modifiers.has(Modifier::kShiftamt)) key.operation = Operation::kBfindShift;
  return d.emit(key, {{d.destination(0, DataType::kU32)}, {d.source(1, key.type)}}) != nullptr;
}

bool decode_shift(InstructionDecoder& d) {
  if (!expects(d, 3)) return false;
  const OperationKey key = key_of(d);
  return d.emit(key, {{d.destination(0, key.type)},
                      {d.source(1, key.type), d.source(2, DataType::kU32)}}) != nullptr;
}

bool decode_multiply(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  const bool high = d.modifiers.has(Modifier::kHi);
  const bool wide = d.modifiers.has(Modifier::kWide);
  DataType result = key.type;
  switch (key.operation) {
    case Operation::kMul:
      key.operation = wide ? Operation::kMulWide : high ? Operation::kMulHi : Operation::kMul;
      break;
    case Operation::kMad:
      if (d.modifiers.has(Modifier::kCc)) return decode_carry(d);
      key.operation = wide ? Operation::kMadWide : high ? Operation::kMadHi : Operation::kMad;
      break;
    case Operation::kMul24:
      key.operation = high ? Operation::kMul24Hi : Operation::kMul24;
      break;
    case Operation::kMad24:
      key.operation = high ? Operation::kMad24Hi : Operation::kMad24;
      break;
    default:
      break;
  }
  if (wide) result = bytes_of(key.type) == 4 ? DataType::kB64 : DataType::kB32;
  const DataType t = key.type;
  if (d.count() == 3) {
    return d.emit(key, {{d.destination(0, result)}, {d.source(1, t), d.source(2, t)}}) != nullptr;
  }
  if (!expects(d, 4)) return false;
  return d.emit(key, {{d.destination(0, result)},
                      {d.source(1, t), d.source(2, t), d.source(3, result)}}) != nullptr;
}

bool decode_add(InstructionDecoder& d) {
  return d.modifiers.has(Modifier::kCc) ? decode_carry(d) : decode_binary(d);
}

bool decode_carry(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  key.carry_out = d.modifiers.has(Modifier::kCc);
  const bool mad = key.operation == Operation::kMad || key.operation == Operation::kMadCarry;
  const bool adds = key.operation == Operation::kAdd || key.operation == Operation::kAddCarry;
  key.carry_in = key.operation != (mad    ? Operation::kMad
                                   : adds ? Operation::kAdd
                                          : Operation::kSub);
  if (mad) {
    key.operation = d.modifiers.has(Modifier::kHi) ? Operation::kMadHiCarry : Operation::kMadCarry;
  } else {
    key.operation = adds ? Operation::kAddCarry : Operation::kSubCarry;
  }
  if (!expects(d, mad ? 4 : 3)) return false;
  if (!key.carry_in && !key.carry_out) return d.refuse("madc without carry");
  const DataType t = key.type;
  const std::uint32_t carry = d.state().rows->carry(d.function_index());
  const std::uint32_t third = mad ? d.source(3, t) : 0;
  MicroOp* op = d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, t), third}});
  if (op == nullptr) return false;
  op->row[4] = carry;
  RowUse& use = d.use_of_last();
  if (!mad) use.used = static_cast<std::uint8_t>(use.used & ~(1u << 3));
  use.used |= 1u << 4;
  // Lanes outside the mask keep their carry, so writing reads it too; it counts as written when it
  // is not needed from before.
  if (key.carry_out && !key.carry_in) use.written |= 1u << 4;
  return true;
}

bool decode_bit_field(InstructionDecoder& d) {
  const OperationKey key = key_of(d);
  const DataType t = key.type;
  const DataType u = DataType::kU32;
  if (key.operation == Operation::kBfe) {
    if (!expects(d, 4)) return false;
    return d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, u), d.source(3, u)}}) !=
           nullptr;
  }
  if (!expects(d, 5)) return false;
  return d.emit(key, {{d.destination(0, t)},
                      {d.source(1, t), d.source(2, t), d.source(3, u), d.source(4, u)}}) != nullptr;
}

bool decode_word(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  const DataType u = DataType::kU32;
  if (key.operation == Operation::kPrmt) {
    key.comparison = Modifier::kCount;
    for (const Modifier mode : {Modifier::kF4e, Modifier::kB4e, Modifier::kRc8, Modifier::kEcl,
                                Modifier::kEcr, Modifier::kRc16}) {
      if (d.modifiers.has(mode)) key.comparison = mode;
    }
  }
  if (key.operation == Operation::kLop3) {
    if (d.count() > 1 && d.operand(1).joined) return decode_lop3_predicate(d);
    if (!expects(d, 5)) return false;
    if (d.operand(4).kind != OperandKind::kInteger) return d.refuse("a table that is no constant");
    MicroOp* op =
        d.emit(key, {{d.destination(0, u)}, {d.source(1, u), d.source(2, u), d.source(3, u)}});
    if (op != nullptr) op->immediate = static_cast<std::int64_t>(d.operand(4).bits & 0xff);
    return op != nullptr;
  }
  if (d.count() == 3) {
    return d.emit(key, {{d.destination(0, u)}, {d.source(1, u), d.source(2, u)}}) != nullptr;
  }
  if (!expects(d, 4)) return false;
  return d.emit(key, {{d.destination(0, u)}, {d.source(1, u), d.source(2, u), d.source(3, u)}}) !=
         nullptr;
}

// lop3.BoolOp d|p, a, b, c, table, q: p = (d != 0) BoolOp q, by a setp behind the lop3.
bool decode_lop3_predicate(InstructionDecoder& d) {
  if (!expects(d, 7)) return false;
  if (d.operand(5).kind != OperandKind::kInteger) return d.refuse("a table that is no constant");
  const DataType u = DataType::kU32;
  const std::uint32_t result = d.destination(0, u);
  OperationKey key;
  key.operation = Operation::kLop3;
  key.type = DataType::kB32;
  MicroOp* op = d.emit(key, {{result}, {d.source(2, u), d.source(3, u), d.source(4, u)}});
  if (op == nullptr) return false;
  op->immediate = static_cast<std::int64_t>(d.operand(5).bits & 0xff);
  op->hidden = 1;
  const PtxOperand& q = d.operand(6);
  OperationKey test;
  test.operation = Operation::kSetp;
  test.type = test.source_type = u;
  test.comparison = Modifier::kNe;
  const std::uint32_t unused = d.state().rows->scratch(RowClass::kPredicate);
  op = d.emit(test, {{d.predicate_destination(d.operand(1)), unused},
                     {result, d.state().rows->constant(0, false), d.predicate(q)}});
  if (op == nullptr) return false;
  op->flags = static_cast<std::uint8_t>(kIfLess | kIfGreater | combination_of(d.modifiers) |
                                        (q.negated ? kNegatesOther : 0u));
  return true;
}

bool decode_dot_product(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  const DataType u = DataType::kU32;
  key.comparison = d.modifiers.has(Modifier::kHi) ? Modifier::kHi : Modifier::kLo;
  if (!expects(d, 4)) return false;
  return d.emit(key, {{d.destination(0, u)}, {d.source(1, u), d.source(2, u), d.source(3, u)}}) !=
         nullptr;
}

bool decode_logic(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  const bool unary = key.operation == Operation::kNot || key.operation == Operation::kCnot;
  if (!expects(d, unary ? 2 : 3)) return false;
  if (key.type != DataType::kPred) return unary ? decode_unary(d) : decode_binary(d);
  switch (key.operation) {
    case Operation::kAnd:
      key.comparison = Modifier::kAnd;
      break;
    case Operation::kOr:
      key.comparison = Modifier::kOr;
      break;
    case Operation::kXor:
      key.comparison = Modifier::kXor;
      break;
    default:
      key.comparison = Modifier::kNot;
      break;
  }
  key.operation = Operation::kPredicateLogic;
  const PtxOperand& a = d.operand(1);
  const PtxOperand& b = d.operand(unary ? 1 : 2);
  constexpr std::uint32_t kAlways = 0;  // the row of the predicate that always holds
  const auto row_of = [&](const PtxOperand& operand) {
    return operand.kind == OperandKind::kInteger ? kAlways : d.predicate(operand);
  };
  const auto is_negated = [](const PtxOperand& operand) {
    return operand.negated != (operand.kind == OperandKind::kInteger && operand.bits == 0);
  };
  MicroOp* op = d.emit(key, {{d.predicate_destination(d.operand(0))}, {row_of(a), row_of(b)}});
  if (op == nullptr) return false;
  op->flags = static_cast<std::uint8_t>((is_negated(a) ? 1u : 0u) | (is_negated(b) ? 2u : 0u));
  return true;
}

bool decode_testp(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  for (const Modifier test : {Modifier::kFinite, Modifier::kInfinite, Modifier::kNumber,
                              Modifier::kNotanumber, Modifier::kNormal, Modifier::kSubnormal}) {
    if (d.modifiers.has(test)) key.comparison = test;
  }
  if (!expects(d, 2)) return false;
  return d.emit(key, {{d.predicate_destination(d.operand(0))}, {d.source(1, key.type)}}) != nullptr;
}

namespace {

// Operands of setp and set behind the destinations, and the predicate to combine with.
struct Compared {
  std::uint32_t combine = 0;
  std::uint8_t flags = 0;
};
Compared combination(InstructionDecoder& d, unsigned index) {
  Compared result;
  const unsigned kind = combination_of(d.modifiers);
  if (kind == 0 || index >= d.count()) return result;
  const PtxOperand& operand = d.operand(index);
  bool negated = operand.negated;
  if (operand.kind == OperandKind::kInteger) {
    result.combine = 0;  // the row that always holds
    negated ^= operand.bits == 0;
  } else {
    result.combine = d.predicate(operand);
  }
  result.flags = static_cast<std::uint8_t>(kind | (negated ? kNegatesOther : 0u));
  return result;
}

}  // namespace

bool decode_setp(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  key.source_type = key.type;
  const std::uint8_t relations = relations_of(comparison_of(d.modifiers), key.type);
  if (relations == 0) return d.refuse("this comparison");
  const bool two = d.count() > 1 && d.operand(1).joined;
  const unsigned first = two ? 2 : 1;
  if (d.count() < first + 2) return d.refuse("this number of operands");
  const std::uint32_t p = d.predicate_destination(d.operand(0));
  const std::uint32_t q =
      two ? d.predicate_destination(d.operand(1)) : d.state().rows->scratch(RowClass::kPredicate);
  const Compared with = combination(d, first + 2);
  MicroOp* op = d.emit(
      key, {{p, q}, {d.source(first, key.type), d.source(first + 1, key.type), with.combine}});
  if (op == nullptr) return false;
  op->flags = with.flags | relations;
  return true;
}

bool decode_set(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  const std::uint8_t relations = relations_of(comparison_of(d.modifiers), key.source_type);
  if (relations == 0) return d.refuse("this comparison");
  const DataType result = key.type;
  if (d.count() < 3) return d.refuse("this number of operands");
  const Compared with = combination(d, 3);
  const std::uint32_t unused = d.state().rows->scratch(RowClass::kPredicate);
  MicroOp* op =
      d.emit(key, {{d.destination(0, result), unused},
                   {d.source(1, key.source_type), d.source(2, key.source_type), with.combine}});
  if (op == nullptr) return false;
  op->flags = with.flags | relations;
  switch (result) {
    case DataType::kF32:
      op->immediate = 0x3f800000;
      break;
    case DataType::kF16:
    case DataType::kF16x2:
      op->immediate = 0x3c00;
      break;
    case DataType::kBf16:
    case DataType::kBf16x2:
      op->immediate = 0x3f80;
      break;
    case DataType::kU16:
    case DataType::kS16:
      op->immediate = 0xffff;
      break;
    default: {
      const bool halves =
          key.source_type == DataType::kF16x2 || key.source_type == DataType::kBf16x2;
      op->immediate = halves ? 0xffff : 0xffffffff;
      break;
    }
  }
  return true;
}

bool decode_selp(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  if (!expects(d, 4)) return false;
  const PtxOperand& chooser = d.operand(3);
  MicroOp* op = d.emit(key, {{d.destination(0, key.type)},
                             {d.source(1, key.type), d.source(2, key.type), d.predicate(chooser)}});
  if (op == nullptr) return false;
  op->flags = chooser.negated ? 1 : 0;
  return true;
}

bool decode_slct(InstructionDecoder& d) {
  const OperationKey key = key_of(d);
  if (!expects(d, 4)) return false;
  return d.emit(key, {{d.destination(0, key.type)},
                      {d.source(1, key.type), d.source(2, key.type),
                       d.source(3, key.source_type)}}) != nullptr;
}

namespace {

std::uint8_t flags_of(const Modifiers& m) {
  return static_cast<std::uint8_t>((m.has(Modifier::kFtz) ? kFlushes : 0) |
                                   (m.has(Modifier::kSat) ? kSaturates : 0));
}

}  // namespace

// add, sub, mul, fma of f32x2.
bool decode_packed_float(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kPackedFloat;
  key.second = d.form->operation;
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
  key.second = d.form->operation;
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

namespace {

using What = VideoOperation::What;
using Then = VideoOperation::Then;

struct VideoForm {
  Mnemonic mnemonic;
  What what;
  std::uint8_t lanes;
};
constexpr auto kVideoForms = [] {
  using enum Mnemonic;
  return std::to_array<VideoForm>(
      {{kVadd, What::kAdd, 0},  {kVsub, What::kSub, 0},  {kVabsdiff, What::kAbsdiff, 0},
       {kVmin, What::kMin, 0},  {kVmax, What::kMax, 0},  {kVshl, What::kShl, 0},
       {kVshr, What::kShr, 0},  {kVmad, What::kMad, 0},  {kVset, What::kSet, 0},
       {kVadd2, What::kAdd, 2}, {kVsub2, What::kSub, 2}, {kVabsdiff2, What::kAbsdiff, 2},
       {kVmin2, What::kMin, 2}, {kVmax2, What::kMax, 2}, {kVset2, What::kSet, 2},
       {kVadd4, What::kAdd, 4}, {kVsub4, What::kSub, 4}, {kVabsdiff4, What::kAbsdiff, 4},
       {kVmin4, What::kMin, 4}, {kVmax4, What::kMax, 4}, {kVset4, What::kSet, 4}});
}();

// ".b2" or ".h1" of a scalar operand.
bool part_of(const PtxOperand& operand, VideoOperation::Part* part) {
  if (operand.part.empty()) return true;
  if (operand.part.size() != 3) return false;
  const char kind = operand.part[1];
  const int index = operand.part[2] - '0';
  if ((kind != 'b' && kind != 'h') || index < 0 || index >= (kind == 'b' ? 4 : 2)) return false;
  *part = {static_cast<std::uint8_t>(kind == 'b' ? 8 : 16), static_cast<std::uint8_t>(index)};
  return true;
}

PtxOperand without_part(PtxOperand operand) {
  operand.part = {};
  return operand;
}

bool read_modifiers(InstructionDecoder& d, VideoOperation& v) {
  const Modifiers& m = d.modifiers;
  v.saturate = m.has(Modifier::kSat);
  v.wrap = m.has(Modifier::kWrap);
  v.plus_one = m.has(Modifier::kPo);
  v.scale = m.has(Modifier::kShr7) ? 7 : m.has(Modifier::kShr15) ? 15 : 0;
  v.then = m.has(Modifier::kAdd)   ? Then::kAdd
           : m.has(Modifier::kMin) ? Then::kMin
           : m.has(Modifier::kMax) ? Then::kMax
                                   : Then::kNothing;
  if (v.what == What::kSet) {  // no type of the result
    constexpr std::array kOrder{Modifier::kEq, Modifier::kNe, Modifier::kLt,
                                Modifier::kLe, Modifier::kGt, Modifier::kGe};
    const auto* found = std::find(kOrder.begin(), kOrder.end(), comparison_of(m));
    if (found == kOrder.end() || m.type_count != 2) return d.refuse("this comparison");
    v.comparison = static_cast<std::uint8_t>(found - kOrder.begin());
    v.signed_a = is_signed(m.type(0));
    v.signed_b = is_signed(m.type(1));
    return true;
  }
  if (m.type_count != 3) return d.refuse("this number of types");
  v.signed_result = is_signed(m.type(0));
  v.signed_a = is_signed(m.type(1));
  v.signed_b = is_signed(m.type(2));
  return true;
}

}  // namespace

// d{.part}, a{.part}, b{.part}{, c}
bool decode_video(InstructionDecoder& d) {
  VideoOperation v;
  const auto* const form =
      std::ranges::find(kVideoForms, d.instruction().opcode->kind, &VideoForm::mnemonic);
  if (form == kVideoForms.end()) return d.refuse("this instruction");
  v.what = form->what;
  if (form->lanes != 0) v.lanes = form->lanes;
  if (d.count() != 3 && d.count() != 4) return d.refuse("this number of operands");
  if (!read_modifiers(d, v)) return false;
  std::array<PtxOperand, 4> operands;
  for (unsigned i = 0; i < d.count(); ++i) {
    operands[i] = d.operand(i);
    if (operands[i].negated) return d.refuse("a negated operand");
  }
  if (v.lanes == 1) {
    if (!part_of(operands[0], &v.d) || !part_of(operands[1], &v.a) || !part_of(operands[2], &v.b))
      return d.refuse("this part of a register");
  } else if (!operands[0].part.empty() || !operands[1].part.empty() || !operands[2].part.empty()) {
    return d.refuse("a choice of parts");
  }
  const bool merges = !operands[0].part.empty() && d.count() == 4 && v.lanes == 1;
  if (merges) v.then = Then::kMerge;
  const bool needs_third = v.then != Then::kNothing || v.what == What::kMad;
  if (needs_third && d.count() != 4) return d.refuse("this number of operands");
  const DataType u = DataType::kU32;
  const std::uint32_t third =
      d.count() == 4 ? d.source(operands[3], u) : d.state().rows->constant(0, false);
  OperationKey key;
  key.operation = Operation::kVideo;
  MicroOp* op = d.emit(key, {{d.destination(without_part(operands[0]), u)},
                             {d.source(without_part(operands[1]), u),
                              d.source(without_part(operands[2]), u), third}});
  if (op == nullptr) return false;
  op->immediate = v.pack();
  return true;
}

}  // namespace tilescope
