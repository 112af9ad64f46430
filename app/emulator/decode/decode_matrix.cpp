#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
namespace {

using Direction = InstructionDecoder::Direction;

unsigned matrices_of(const Modifiers& m) {
  return m.has(Modifier::kX4) ? 4 : m.has(Modifier::kX2) ? 2 : 1;
}

}  // namespace

// Rows: address, then the matrices' registers among the further rows.
bool decode_load_matrix(InstructionDecoder& d) {
  const bool store = d.form->operation == Operation::kStoreMatrix;
  const Modifiers& m = d.modifiers;
  if (d.count() != 2) return d.refuse("this number of operands");
  const InstructionDecoder::Address address = d.address(d.operand(store ? 0 : 1));
  std::vector<std::uint32_t> rows;
  if (!d.collect(d.operand(store ? 1 : 0), DataType::kB32,
                 store ? Direction::kRead : Direction::kWritten, &rows)) {
    return false;
  }
  if (rows.size() != matrices_of(m)) return d.refuse("a vector of another length");
  OperationKey key;
  key.operation = d.form->operation;
  key.address = address.form;
  key.clamp = m.has(Modifier::kTrans);
  MicroOp* op = d.emit(key, {{}, {address.row}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, store ? std::vector<std::uint32_t>{} : rows,
                     store ? rows : std::vector<std::uint32_t>{});
  d.use_of_last().transposes = key.clamp;
  op->immediate = address.displacement;
  op->bytes = 16;  // a row of a matrix, by the lane that names it
  op->space = m.has(Modifier::kShared) || m.has(Modifier::kSharedCta) ? MemorySpace::kShared
                                                                      : MemorySpace::kGeneric;
  op->access = store ? AccessKind::kStmatrix : AccessKind::kLdmatrix;
  op->site = d.state().code->sites++;
  d.space = MemorySpace::kShared;
  d.access = op->access;
  d.bytes_per_lane = static_cast<std::uint8_t>(4 * rows.size());
  return true;
}

bool decode_move_matrix(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = Operation::kMoveMatrix;
  return d.emit(key, {{d.destination(0, DataType::kB32)}, {d.source(1, DataType::kB32)}}) !=
         nullptr;
}

}  // namespace tilescope
