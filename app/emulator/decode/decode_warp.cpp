#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {

bool decode_shuffle(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const bool two = d.count() > 1 && d.operand(1).joined;
  const unsigned first = two ? 2 : 1;
  const bool sync = m.has(Modifier::kSync);
  if (d.count() < first + (sync ? 4u : 3u)) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kShuffle;
  key.comparison = m.has(Modifier::kUp)     ? Modifier::kUp
                   : m.has(Modifier::kDown) ? Modifier::kDown
                   : m.has(Modifier::kBfly) ? Modifier::kBfly
                                            : Modifier::kIdx;
  const DataType u = DataType::kU32;
  const std::uint32_t p =
      two ? d.predicate_destination(d.operand(1)) : d.state().rows->scratch(RowClass::kPredicate);
  const std::uint32_t members =
      sync ? d.source(first + 3, u) : d.state().rows->constant(kFullMask, false);
  MicroOp* op = d.emit(key, {{d.destination(0, u), p},
                             {d.source(first, u), d.source(first + 1, u), d.source(first + 2, u)}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, {}, {members});
  return true;
}

bool decode_vote(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() < 2) return d.refuse("this number of operands");
  OperationKey key;
  const bool ballot = m.has(Modifier::kBallot);
  key.operation = ballot ? Operation::kBallot : Operation::kVote;
  key.comparison = m.has(Modifier::kAll)   ? Modifier::kAll
                   : m.has(Modifier::kAny) ? Modifier::kAny
                                           : Modifier::kUni;
  const PtxOperand& a = d.operand(1);
  std::uint32_t row = 0;
  bool negated = a.negated;
  if (a.kind == OperandKind::kInteger) {
    negated = a.bits == 0;
  } else {
    row = d.predicate(a);
  }
  const std::uint32_t members =
      d.count() > 2 ? d.source(2, DataType::kU32) : d.state().rows->constant(kFullMask, false);
  const std::uint32_t to =
      ballot ? d.destination(0, DataType::kU32) : d.predicate_destination(d.operand(0));
  MicroOp* op = d.emit(key, {{to}, {row, members}});
  if (op == nullptr) return false;
  op->flags = negated ? 1 : 0;
  return true;
}

bool decode_match(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  OperationKey key;
  key.operation = m.has(Modifier::kAll) ? Operation::kMatchAll : Operation::kMatchAny;
  key.type = m.type(0);
  const bool two = d.count() > 1 && d.operand(1).joined;
  const unsigned first = two ? 2 : 1;
  if (d.count() < first + 2) return d.refuse("this number of operands");
  const std::uint32_t p =
      two ? d.predicate_destination(d.operand(1)) : d.state().rows->scratch(RowClass::kPredicate);
  return d.emit(key, {{d.destination(0, DataType::kU32), p},
                      {d.source(first, key.type), d.source(first + 1, DataType::kU32)}}) != nullptr;
}

bool decode_redux(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() != 3) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kRedux;
  key.type = m.type(0);
  key.comparison = Modifier::kCount;
  for (const Modifier what : {Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kAnd,
                              Modifier::kOr, Modifier::kXor}) {
    if (m.has(what)) key.comparison = what;
  }
  key.nan = m.has(Modifier::kNan);
  const DataType t = key.type == DataType::kF32 ? DataType::kF32 : DataType::kU32;
  MicroOp* op = d.emit(key, {{d.destination(0, t)}, {d.source(1, t), d.source(2, DataType::kU32)}});
  if (op == nullptr) return false;
  op->flags = m.has(Modifier::kAbs) ? 1 : 0;
  return true;
}

bool decode_activemask(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kActivemask;
  return d.emit(key, {{d.destination(0, DataType::kU32)}, {}}) != nullptr;
}

bool decode_elect(InstructionDecoder& d) {
  if (d.count() != 3 || !d.operand(1).joined) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kElect;
  return d.emit(key, {{d.destination(0, DataType::kU32), d.predicate_destination(d.operand(1))},
                      {d.source(2, DataType::kU32)}}) != nullptr;
}

}  // namespace tilescope
