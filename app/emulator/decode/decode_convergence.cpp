#include "emulator/common_executors/convergence_barriers.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

// Convergence barriers, which PTX does not have: lifted machine code names them
// (machine/lift_convergence.cpp). "$bssy 0;" "$break 0;" "$bsave d, 0;" "$brestore 0, a;"
// "$bapart p, mask, here;" "$bsync 0;" "$warpsync mask;"
// "$warpexclusive mask;" "$warpturns value;" "$yield;" "$pause;"
namespace tilescope {
namespace {

bool read_barrier(InstructionDecoder& d, unsigned index, std::int64_t* barrier) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  if (d.count() <= index || d.operand(index).kind != OperandKind::kInteger ||
      d.operand(index).bits >= ConvergenceBarriers::kCount) {
    return d.refuse("an operand that is no convergence barrier");
  }
  *barrier = static_cast<std::int64_t>(d.operand(index).bits);
  return true;
}

}  // namespace

bool decode_convergence(InstructionDecoder& d) {
  OperationKey key;
  key.operation = d.form->operation;
  const bool saves = key.operation == Operation::kConvergenceSave;
  const bool restores = key.operation == Operation::kConvergenceRestore;
  if (d.count() != (saves || restores ? 2u : 1u)) return d.refuse("this number of operands");
  std::int64_t barrier = 0;
  if (!read_barrier(d, saves ? 1 : 0, &barrier)) return false;
  MicroOp* op = saves      ? d.emit(key, {{d.destination(0, DataType::kU32)}, {}})
                : restores ? d.emit(key, {{}, {d.source(1, DataType::kU32)}})
                           : d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  op->immediate = barrier;
  return true;
}

bool decode_convergence_test(InstructionDecoder& d) {
  if (d.count() != 3) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kConvergenceTest;
  return d.emit(key, {{d.predicate_destination(d.operand(0))},
                      {d.source(1, DataType::kU32), d.source(2, DataType::kU32)}}) != nullptr;
}

bool decode_give_way(InstructionDecoder& d) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  d.end_block(EndKind::kGiveWay);
  return true;
}

bool decode_pause(InstructionDecoder& d) {
  if (!d.state().converges_at_barriers) return d.refuse("what only machine code has");
  d.end_block(EndKind::kPause).hidden = true;
  return true;
}

bool decode_converge(InstructionDecoder& d) {
  if (d.count() != 1) return d.refuse("this number of operands");
  std::int64_t barrier = ConvergenceBarriers::kCount;  // none: the lanes stand in a register
  std::uint32_t mask = 0;
  if (d.instruction().mnemonic.starts_with("$warp")) {
    mask = d.source(0, DataType::kU32);
    if (d.refused()) return false;
  } else if (!read_barrier(d, 0, &barrier)) {
    return false;
  }
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier = BarrierKind::kConvergence;
  end.op.immediate = barrier;
  if (mask != 0) {
    end.op.row[0] = mask;
    end.op.flags = static_cast<decltype(end.op.flags)>(
        d.instruction().mnemonic == "$warpexclusive" ? WarpSync::kExclusive
        : d.instruction().mnemonic == "$warpturns"   ? WarpSync::kTurns
                                                     : WarpSync::kTogether);
    end.use.used = 1;
  }
  return true;
}

}  // namespace tilescope
