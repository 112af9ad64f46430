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
  const std::string_view mnemonic = d.instruction().mnemonic;
  key.carry_in = mnemonic == "addc" || mnemonic == "subc" || mnemonic == "madc";
  const bool mad = mnemonic.starts_with("mad");
  if (mad) {
    key.operation = d.modifiers.has(Modifier::kHi) ? Operation::kMadHiCarry : Operation::kMadCarry;
  } else {
    key.operation = mnemonic.starts_with("add") ? Operation::kAddCarry : Operation::kSubCarry;
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
  if (key.operation == Operation::kFunnelLeft && d.instruction().suffix.starts_with(".r")) {
    key.operation = Operation::kFunnelRight;
  }
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
  const unsigned kind = d.modifiers.has(Modifier::kAnd)  ? 1
                        : d.modifiers.has(Modifier::kOr) ? 2
                                                         : 3;
  op->flags = static_cast<std::uint8_t>((kind << 1) | (q.negated ? 1u : 0u));
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
  MicroOp* op =
      d.emit(key, {{d.predicate_destination(d.operand(0))}, {d.predicate(a), d.predicate(b)}});
  if (op == nullptr) return false;
  op->flags = static_cast<std::uint8_t>((a.negated ? 1u : 0u) | (b.negated ? 2u : 0u));
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
  const Modifiers& m = d.modifiers;
  const unsigned kind = m.has(Modifier::kAnd)   ? 1
                        : m.has(Modifier::kOr)  ? 2
                        : m.has(Modifier::kXor) ? 3
                                                : 0;
  if (kind == 0 || index >= d.count()) return result;
  const PtxOperand& operand = d.operand(index);
  bool negated = operand.negated;
  if (operand.kind == OperandKind::kInteger) {
    result.combine = 0;  // the row that always holds
    negated ^= operand.bits == 0;
  } else {
    result.combine = d.predicate(operand);
  }
  result.flags = static_cast<std::uint8_t>((kind << 1) | (negated ? 1u : 0u));
  return result;
}

}  // namespace

bool decode_setp(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  key.source_type = key.type;
  key.comparison = comparison_of(d.modifiers);
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
  op->flags = with.flags;
  return true;
}

bool decode_set(InstructionDecoder& d) {
  OperationKey key = key_of(d);
  key.comparison = comparison_of(d.modifiers);
  const DataType result = key.type;
  if (d.count() < 3) return d.refuse("this number of operands");
  const Compared with = combination(d, 3);
  const std::uint32_t unused = d.state().rows->scratch(RowClass::kPredicate);
  MicroOp* op =
      d.emit(key, {{d.destination(0, result), unused},
                   {d.source(1, key.source_type), d.source(2, key.source_type), with.combine}});
  if (op == nullptr) return false;
  op->flags = with.flags;
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

}  // namespace tilescope
