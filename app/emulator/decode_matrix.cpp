#include "emulator/decode_functions.h"
#include "emulator/instruction_decoder.h"

namespace tilescope {
namespace {

bool collect(InstructionDecoder& d, const PtxOperand& list, DataType type, bool written,
             std::vector<std::uint32_t>* rows) {
  const unsigned count = list.kind == OperandKind::kVector ? list.count : 1;
  for (unsigned i = 0; i < count; ++i) {
    const PtxOperand& operand = list.kind == OperandKind::kVector ? d.element(list, i) : list;
    rows->push_back(written ? d.destination(operand, type) : d.source(operand, type));
  }
  return !d.refused();
}

unsigned matrices_of(const Modifiers& m) {
  return m.has(Modifier::kX4) ? 4 : m.has(Modifier::kX2) ? 2 : 1;
}

struct Shape {
  Modifier name;
  unsigned m, n, k;
};
constexpr std::array kShapes{
    Shape{Modifier::kM16n8k4, 16, 8, 4}, Shape{Modifier::kM16n8k8, 16, 8, 8},
    Shape{Modifier::kM16n8k16, 16, 8, 16}, Shape{Modifier::kM16n8k32, 16, 8, 32},
    Shape{Modifier::kM8n8k4, 8, 8, 4}};

// Registers that a fragment of rows x columns elements takes from each lane.
unsigned registers_of(unsigned elements, DataType type) {
  const unsigned bytes = elements / kWarpSize * bytes_of(type);
  return type == DataType::kF64 ? bytes / 8 : bytes / 4;
}

}  // namespace

// Rows: address, then the matrices' registers among the further rows.
bool decode_load_matrix(InstructionDecoder& d) {
  const bool store = d.form->operation == Operation::kStoreMatrix;
  const Modifiers& m = d.modifiers;
  if (d.count() != 2) return d.refuse("this number of operands");
  const InstructionDecoder::Address address = d.address(d.operand(store ? 0 : 1));
  std::vector<std::uint32_t> rows;
  if (!collect(d, d.operand(store ? 1 : 0), DataType::kB32, !store, &rows)) return false;
  if (rows.size() != matrices_of(m)) return d.refuse("a vector of another length");
  OperationKey key;
  key.operation = d.form->operation;
  key.address = address.form;
  key.clamp = m.has(Modifier::kTrans);
  MicroOp* op = d.emit(key, {{}, {address.row}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, store ? std::vector<std::uint32_t>{} : rows,
                     store ? rows : std::vector<std::uint32_t>{});
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

// Further rows: D, A, B, C. flags bit 0: B is signed; bit 1: .satfinite.
bool decode_mma(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() != 4 || m.type_count != 4) return d.refuse("this number of operands");
  if (!m.has(Modifier::kRow) || !m.has(Modifier::kCol)) return d.refuse("this layout");
  const DataType result = m.type(0);
  const DataType a = m.type(1);
  const DataType b = m.type(2);
  if (m.type(3) != result) return d.refuse("D and C of different types");
  if (bytes_of(a) != bytes_of(b) || (is_float(a) && a != b))
    return d.refuse("A and B of different types");
  for (const Shape& shape : kShapes) {
    if (!m.has(shape.name)) continue;
    std::vector<std::uint32_t> written;
    std::vector<std::uint32_t> read;
    const auto register_type = [](DataType type) {
      return type == DataType::kF64 ? DataType::kF64 : DataType::kB32;
    };
    if (!collect(d, d.operand(0), register_type(result), true, &written) ||
        !collect(d, d.operand(1), register_type(a), false, &read) ||
        !collect(d, d.operand(2), register_type(b), false, &read) ||
        !collect(d, d.operand(3), register_type(result), false, &read)) {
      return false;
    }
    const unsigned d_count = registers_of(shape.m * shape.n, result);
    if (written.size() != d_count || read.size() != registers_of(shape.m * shape.k, a) +
                                                        registers_of(shape.k * shape.n, b) +
                                                        d_count) {
      return d.refuse("this number of registers");
    }
    OperationKey key;
    key.operation = Operation::kMma;
    key.comparison = shape.name;
    key.type = result;
    key.source_type = a;
    MicroOp* op = d.emit(key, {{}, {}});
    if (op == nullptr) return false;
    d.add_further_rows(*op, written, read);
    op->flags = static_cast<std::uint8_t>((is_signed(b) ? 1u : 0u) |
                                          (m.has(Modifier::kSatfinite) ? 2u : 0u));
    d.flop_per_lane = static_cast<std::uint16_t>(2 * shape.m * shape.n * shape.k / kWarpSize);
    return true;
  }
  return d.refuse("this shape");
}

}  // namespace tilescope
