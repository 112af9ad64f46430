#include "emulator/common_executors/mbarrier.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

// mbarrier and cp.async.bulk.
namespace tilescope {
namespace {

MemorySpace object_space(const Modifiers& m) {
  const bool shared =
      m.has(Modifier::kShared) || m.has(Modifier::kSharedCta) || m.has(Modifier::kSharedCluster);
  return shared ? MemorySpace::kShared : MemorySpace::kGeneric;
}

// Rows: result, address, operand.
MicroOp* emit_on_object(InstructionDecoder& d, Operation operation, std::uint32_t result,
                        const InstructionDecoder::Address& address, std::uint32_t operand) {
  OperationKey key;
  key.operation = operation;
  MicroOp* op = d.emit(key, {{result}, {address.row, operand}});
  if (op == nullptr) return nullptr;
  op->immediate = address.displacement;
  op->flags = address.form == AddressForm::kWide ? kWideAddress : 0;
  op->space = object_space(d.modifiers);
  op->bytes = 8;
  d.state().code->uses_async_copies = true;
  return op;
}

bool decode_arrive(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  // Into another block's shared memory there is no state to return: [address] may come first.
  const bool returns = d.operand(0).kind != OperandKind::kAddress;
  const unsigned first = returns ? 1 : 0;
  if (d.count() < first + 1) return d.refuse("this number of operands");
  RegisterRows& rows = *d.state().rows;
  const std::uint32_t state =
      returns ? d.destination(0, DataType::kB64) : rows.scratch(RowClass::kWide);
  const std::uint32_t operand =
      d.count() > first + 1 ? d.source(first + 1, DataType::kU32) : rows.constant(1, false);
  const bool expects = m.has(Modifier::kExpectTx);
  if (expects && d.count() < first + 2) return d.refuse("this number of operands");
  MicroOp* op =
      emit_on_object(d, Operation::kMbarrierArrive, state, d.address(d.operand(first)), operand);
  if (op == nullptr) return false;
  op->flags = static_cast<std::uint8_t>(op->flags | (m.has(Modifier::kArriveDrop) ? kDrops : 0) |
                                        (expects ? kExpectsFirst : 0));
  return true;
}

}  // namespace

bool decode_mbarrier(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() == 0) return d.refuse("this number of operands");
  if (m.has(Modifier::kTestWait) || m.has(Modifier::kTryWait)) return decode_mbarrier_wait(d);
  if (m.has(Modifier::kArrive) || m.has(Modifier::kArriveDrop)) return decode_arrive(d);
  RegisterRows& rows = *d.state().rows;
  if (m.has(Modifier::kPendingCount)) {
    if (d.count() != 2) return d.refuse("this number of operands");
    OperationKey key;
    key.operation = Operation::kMbarrierPending;
    return d.emit(key, {{d.destination(0, DataType::kU32)}, {d.source(1, DataType::kB64)}}) !=
           nullptr;
  }
  const bool invalidates = m.has(Modifier::kInval);
  if (d.count() != (invalidates ? 1u : 2u)) return d.refuse("this number of operands");
  const bool bytes = m.has(Modifier::kExpectTx) || m.has(Modifier::kCompleteTx);
  if (!bytes && !invalidates && !m.has(Modifier::kInit)) return d.refuse("this operation");
  const std::uint32_t operand = invalidates ? rows.constant(0, false) : d.source(1, DataType::kU32);
  MicroOp* op = emit_on_object(d, bytes ? Operation::kMbarrierExpect : Operation::kMbarrierInit,
                               rows.scratch(RowClass::kWide), d.address(d.operand(0)), operand);
  if (op == nullptr) return false;
  op->flags = static_cast<std::uint8_t>(op->flags | (invalidates ? kInvalidates : 0) |
                                        (m.has(Modifier::kCompleteTx) ? kCompletes : 0));
  return true;
}

// A wait that fails lets the other warps run: what it waits for may be theirs to do. try_wait
// sleeps until the phase is over, for as long as the hardware lets it; test_wait answers at once.
bool decode_mbarrier_wait(InstructionDecoder& d) {
  const bool by_parity = d.modifiers.has(Modifier::kParity);
  if (d.count() < 3) return d.refuse("this number of operands");
  const std::uint32_t result = d.predicate(d.operand(0));
  const std::uint32_t operand = d.source(2, by_parity ? DataType::kU32 : DataType::kB64);
  MicroOp* op =
      emit_on_object(d, Operation::kMbarrierTest, result, d.address(d.operand(1)), operand);
  if (op == nullptr) return false;
  if (by_parity) op->flags |= kByParity;
  BlockEnd& end = d.end_block(EndKind::kYield);
  end.hidden = true;
  end.op.flags = 1;
  end.op.row[0] = result;
  end.use.used = 1;
  end.looks_again = d.modifiers.has(Modifier::kTryWait);
  return true;
}

bool decode_copy_arrive(InstructionDecoder& d) {
  if (d.count() != 1) return d.refuse("this number of operands");
  RegisterRows& rows = *d.state().rows;
  MicroOp* op = emit_on_object(d, Operation::kMbarrierCpAsync, rows.scratch(RowClass::kWide),
                               d.address(d.operand(0)), rows.constant(0, false));
  if (op == nullptr) return false;
  if (d.modifiers.has(Modifier::kNoinc)) op->flags |= kNoIncrement;
  return true;
}

// [to], [from], size, [mbarrier] [, blocks]; or [to], [from], size into global memory.
bool decode_bulk_copy(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const bool to_global = m.has(Modifier::kBulkGroup);
  if (m.has(Modifier::kCpMask)) return d.refuse(".cp_mask");
  const bool to_all = m.has(Modifier::kMulticastCluster);
  if (d.count() < (to_global ? 3u : to_all ? 5u : 4u)) return d.refuse("this number of operands");
  if (!to_global && !m.has(Modifier::kCompleteTxBytes)) return d.refuse("this way to complete");
  const InstructionDecoder::Address to = d.address(d.operand(0));
  const InstructionDecoder::Address from = d.address(d.operand(1));
  const InstructionDecoder::Address barrier = to_global ? from : d.address(d.operand(3));
  RegisterRows& rows = *d.state().rows;
  const auto displacement = [&](const InstructionDecoder::Address& address) {
    return rows.constant(static_cast<std::uint64_t>(address.displacement), true);
  };
  std::vector<std::uint32_t> operands{
      to.row,           from.row,           d.source(2, DataType::kU32), barrier.row,
      displacement(to), displacement(from), displacement(barrier)};
  if (to_all) operands.push_back(d.source(4, DataType::kU16));
  OperationKey key;
  key.operation = to_global ? Operation::kBulkStore : Operation::kBulkCopy;
  key.space = m.has(Modifier::kGlobal) ? MemorySpace::kGlobal : MemorySpace::kShared;
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, {}, operands);
  const auto wide = [](const InstructionDecoder::Address& address) {
    return address.form == AddressForm::kWide ? 1u : 0u;
  };
  op->flags = static_cast<std::uint8_t>(wide(to) | (wide(from) << 1) | (wide(barrier) << 2));
  op->bytes = 16;
  op->space = MemorySpace::kShared;
  d.state().code->uses_async_copies = true;
  return true;
}

}  // namespace tilescope
