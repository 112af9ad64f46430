#include <fmt/format.h>

#include <algorithm>

#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kBarriers = 16;  // of a block: PTX ISA, bar

void read_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  end.op.row[place] = row;
  end.use.used = static_cast<std::uint8_t>(end.use.used | (1u << place));
}
void write_row(BlockEnd& end, std::size_t place, std::uint32_t row) {
  read_row(end, place, row);
  end.use.written = static_cast<std::uint8_t>(end.use.written | (1u << place));
}

// Cooperative groups find what the blocks of a grid meet at through %envreg1 and %envreg2, and stop
// the kernel where it is not there.
bool asks_for_whole_grid(const PtxFunction& function) {
  return std::ranges::any_of(function.operands, [](const PtxOperand& operand) {
    return operand.kind == OperandKind::kSpecial && operand.text.starts_with("%envreg");
  });
}

bool is_label(const PtxOperand& operand) {
  return operand.kind == OperandKind::kSymbol && operand.index != kNoIndex;
}

}  // namespace

bool decode_branch(InstructionDecoder& d) {
  if (d.count() != 1 || !is_label(d.operand(0))) return d.refuse("a target that is no label");
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
      if (!is_label(target)) return d.refuse("a target that is no label");
      end.targets.push_back(target.index);
    }
    read_row(end, 0, row);
    return true;
  }
  return d.refuse("a list of targets that is not there");
}

bool decode_return(InstructionDecoder& d) {
  d.end_block(d.instruction().mnemonic == "exit" ? EndKind::kExit : EndKind::kReturn);
  return true;
}

bool decode_trap(InstructionDecoder& d) {
  BlockEnd& end = d.end_block(EndKind::kStop);
  end.op.immediate = static_cast<std::int64_t>(d.state().code->messages.size());
  d.state().code->messages.emplace_back(
      asks_for_whole_grid(d.function())
          ? "the kernel stops itself here: it waits for the whole grid (this_grid().sync()), which "
            "takes a cooperative launch, and those are not emulated"
          : "the kernel stops itself here (trap, or a failed assert)");
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
  if (d.count() > first && d.operand(first).kind == OperandKind::kInteger &&
      d.operand(first).bits >= kBarriers) {
    return d.refuse(fmt::format("barrier {}, where a block has 0 to {},", d.operand(first).bits,
                                kBarriers - 1));
  }
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
