#include <fmt/format.h>

#include "emulator/decode_functions.h"
#include "emulator/instruction_decoder.h"

namespace tilescope {
namespace {

void read_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  end.op.row[place] = row;
  end.use.used = static_cast<std::uint8_t>(end.use.used | (1u << place));
}
void write_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  read_row(end, place, row);
  end.use.written = static_cast<std::uint8_t>(end.use.written | (1u << place));
}

// Copies the bytes of .param variables between a call's two sides.
bool copy_parameter(InstructionDecoder& d, const PtxOperand& from, std::uint32_t to_variable,
                    bool back) {
  if (from.kind != OperandKind::kVariable)
    return d.refuse("an argument that is no .param variable");
  const VariablePlace& own = d.state().places[from.index];
  const VariablePlace& callee = d.state().places[to_variable];
  const PtxVariable& variable = d.module().variables[to_variable];
  if (own.space != MemorySpace::kLocal || callee.space != MemorySpace::kLocal)
    return d.refuse("this argument");
  OperationKey key;
  key.operation = Operation::kCopyParameter;
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  const std::uint64_t source = back ? callee.address : own.address;
  const std::uint64_t target = back ? own.address : callee.address;
  const std::uint64_t bytes = std::min(variable.bytes, d.module().variables[from.index].bytes);
  // Local memory of a lane is far below 2^24 bytes.
  op->immediate = static_cast<std::int64_t>((source << 40) | (target << 16) | (bytes & 0xffff));
  op->hidden = 1;
  return source < (1u << 24) && target < (1u << 24) && bytes < (1u << 16)
             ? true
             : d.refuse("so large an argument");
}

struct CallOperands {
  const PtxOperand* results = nullptr;
  const PtxOperand* callee = nullptr;
  const PtxOperand* arguments = nullptr;
};
CallOperands call_operands(const InstructionDecoder& d) {
  CallOperands found;
  for (unsigned i = 0; i < d.count(); ++i) {
    const PtxOperand& operand = d.operand(i);
    if (operand.kind == OperandKind::kGroup) {
      (found.callee == nullptr ? found.results : found.arguments) = &operand;
    } else if (found.callee == nullptr) {
      found.callee = &operand;
    }
  }
  return found;
}

}  // namespace

bool decode_branch(InstructionDecoder& d) {
  d.end_block(EndKind::kBranch).target_instruction = d.operand(0).index;
  return true;
}

bool decode_branch_indexed(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  const std::uint32_t row = d.source(0, DataType::kU32);
  if (d.refused()) return false;
  for (const PtxFunction::TargetList& list : d.function().target_lists) {
    if (list.name != d.operand(1).text) continue;
    BlockEnd& end = d.end_block(EndKind::kIndexed);
    for (const PtxOperand& target : list.targets) {
      if (target.index == kNoIndex) return d.refuse("a target that is no label");
      end.targets.push_back(target.index);
    }
    read_row(end, 0, row);
    return true;
  }
  return d.refuse("a list of targets that is not there");
}

bool decode_call(InstructionDecoder& d) {
  const CallOperands operands = call_operands(d);
  if (operands.callee == nullptr || operands.callee->kind != OperandKind::kSymbol) {
    return d.refuse("a call through a pointer");
  }
  const std::string_view name = operands.callee->text;
  if (name == "vprintf") return decode_nothing(d);  // what it prints is not shown
  if (name == "__assertfail") return decode_trap(d);
  const auto& functions = d.module().functions;
  for (std::uint32_t f = 0; f < functions.size(); ++f) {
    const PtxFunction& callee = functions[f];
    if (callee.name != name || !callee.has_body) continue;
    if (d.state().function_entry[f] == kNoIndex)
      return d.refuse(fmt::format("recursion through {:.60}", name));
    const unsigned arguments = operands.arguments == nullptr ? 0 : operands.arguments->count;
    const unsigned results = operands.results == nullptr ? 0 : operands.results->count;
    if (arguments != callee.parameters.size() || results != callee.results.size()) {
      return d.refuse("a call with another number of arguments");
    }
    for (unsigned i = 0; i < arguments; ++i) {
      if (!copy_parameter(d, d.element(*operands.arguments, i), callee.parameters[i], false))
        return false;
    }
    BlockEnd& end = d.end_block(EndKind::kCall);
    end.target_function = f;
    return true;
  }
  return d.refuse(fmt::format("a call of {:.60}, whose code is not in this module", name));
}

bool decode_call_results(InstructionDecoder& d) {
  const CallOperands operands = call_operands(d);
  if (operands.results == nullptr) return true;
  for (const PtxFunction& callee : d.module().functions) {
    if (callee.name != operands.callee->text || !callee.has_body) continue;
    for (unsigned i = 0; i < operands.results->count && i < callee.results.size(); ++i) {
      if (!copy_parameter(d, d.element(*operands.results, i), callee.results[i], true))
        return false;
    }
    return true;
  }
  return true;
}

bool decode_return(InstructionDecoder& d) {
  d.end_block(d.instruction().mnemonic == "exit" ? EndKind::kExit : EndKind::kReturn);
  return true;
}

bool decode_trap(InstructionDecoder& d) {
  BlockEnd& end = d.end_block(EndKind::kStop);
  end.op.immediate = static_cast<std::int64_t>(d.state().code->messages.size());
  d.state().code->messages.emplace_back("the kernel stops itself here (trap, or a failed assert)");
  return true;
}

bool decode_yield(InstructionDecoder& d) {
  d.end_block(EndKind::kYield);
  return true;
}

// Rows: barrier, number of threads (0: all), predicate, result.
bool decode_barrier(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (m.has(Modifier::kWarp)) return decode_warp_barrier(d);
  const bool red = m.has(Modifier::kRed);
  BlockEnd end;
  end.kind = EndKind::kBarrier;
  end.op.instruction = d.static_index();
  end.aligned = d.instruction().mnemonic == "bar" || m.has(Modifier::kAligned);
  end.barrier = m.has(Modifier::kArrive) ? BarrierKind::kArrive
                : !red                   ? BarrierKind::kSync
                : m.has(Modifier::kAnd)  ? BarrierKind::kReduceAnd
                : m.has(Modifier::kOr)   ? BarrierKind::kReduceOr
                                         : BarrierKind::kReducePopc;
  const unsigned first = red ? 1 : 0;
  const unsigned last = d.count() - (red ? 1 : 0);  // behind the number of threads
  if (d.count() < first + 1 + first) return d.refuse("this number of operands");
  read_row(end, 0, d.source(first, DataType::kU32));
  read_row(
      end, 1,
      first + 1 < last ? d.source(first + 1, DataType::kU32) : d.state().rows->constant(0, false));
  if (red) {
    const PtxOperand& predicate = d.operand(d.count() - 1);
    read_row(end, 2, d.predicate(predicate));
    end.op.flags = predicate.negated ? 1 : 0;
    const bool counts = end.barrier == BarrierKind::kReducePopc;
    write_row(end, 3,
              counts ? d.destination(0, DataType::kU32) : d.predicate_destination(d.operand(0)));
  }
  if (d.refused()) return false;
  d.end = end;
  return true;
}

bool decode_warp_barrier(InstructionDecoder& d) {
  if (d.count() != 1) return d.refuse("this number of operands");
  const std::uint32_t mask = d.source(0, DataType::kU32);
  if (d.refused()) return false;
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier = BarrierKind::kWarp;
  read_row(end, 0, mask);
  return true;
}

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
