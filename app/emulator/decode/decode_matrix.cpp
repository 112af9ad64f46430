#include <algorithm>
#include <array>
#include <limits>

#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/execution/barriers.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/warpgroup_product.h"

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

// mma.sync, wmma.load, wmma.store and wmma.mma.
namespace {

struct Shape {
  Modifier name;
  unsigned m, n, k;
};
constexpr std::array kShapes{
    Shape{Modifier::kM8n8k4, 8, 8, 4},       Shape{Modifier::kM8n8k16, 8, 8, 16},
    Shape{Modifier::kM8n8k32, 8, 8, 32},     Shape{Modifier::kM8n8k128, 8, 8, 128},
    Shape{Modifier::kM16n8k4, 16, 8, 4},     Shape{Modifier::kM16n8k8, 16, 8, 8},
    Shape{Modifier::kM16n8k16, 16, 8, 16},   Shape{Modifier::kM16n8k32, 16, 8, 32},
    Shape{Modifier::kM16n8k64, 16, 8, 64},   Shape{Modifier::kM16n8k128, 16, 8, 128},
    Shape{Modifier::kM16n8k256, 16, 8, 256}, Shape{Modifier::kM16n16k16, 16, 16, 16},
    Shape{Modifier::kM32n8k16, 32, 8, 16},   Shape{Modifier::kM8n32k16, 8, 32, 16},
    Shape{Modifier::kM16n16k8, 16, 16, 8}};

const Shape* shape_of(const Modifiers& m) {
  for (const Shape& shape : kShapes) {
    if (m.has(shape.name)) return &shape;
  }
  return nullptr;
}

using Direction = InstructionDecoder::Direction;

DataType register_type(DataType element) {
  return element == DataType::kF64 ? DataType::kF64 : DataType::kB32;
}

unsigned length_of(const PtxOperand& list) {
  return list.kind == OperandKind::kVector ? list.count : 1;
}

bool is_element_type(DataType type) {
  switch (type) {
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kTf32:
    case DataType::kF64:
    case DataType::kE4m3:
    case DataType::kE5m2:
    case DataType::kE2m3:
    case DataType::kE3m2:
    case DataType::kE2m1:
    case DataType::kU8:
    case DataType::kS8:
    case DataType::kU4:
    case DataType::kS4:
    case DataType::kB1:
      return true;
    default:
      return false;
  }
}

bool same_kind(DataType a, DataType b) {
  const auto eighth = [](DataType type) { return is_float(type) && bytes_of(type) == 1; };
  return a == b || (eighth(a) && eighth(b)) ||
         (!is_float(a) && !is_float(b) && bits_of_element(a) == bits_of_element(b));
}

bool fits(const MatrixFragment& fragment) {
  if (fragment.needed_registers() == 0 || fragment.registers < fragment.needed_registers() ||
      fragment.registers % fragment.needed_registers() != 0 || fragment.registers > 8)
    return false;
  const unsigned pack = fragment.per_register();
  if (fragment.role == MatrixRole::kC) return pack <= 2;
  const unsigned depth = fragment.role == MatrixRole::kA ? fragment.columns : fragment.rows;
  return depth % (4 * pack) == 0;
}

// Operands D, A, B, C. The types and the shape stand in `product`.
bool emit_product(InstructionDecoder& d, MatrixProduct product) {
  if (d.count() != 4) return d.refuse("this number of operands");
  product.d_registers = length_of(d.operand(0));
  product.a_registers = length_of(d.operand(1));
  product.b_registers = length_of(d.operand(2));
  product.c_registers = length_of(d.operand(3));
  const auto good_result = [](DataType type) {
    return type == DataType::kF16 || type == DataType::kF32 || type == DataType::kF64 ||
           type == DataType::kS32;
  };
  if (!is_element_type(product.a) || !is_element_type(product.b) ||
      !same_kind(product.a, product.b) || !good_result(product.c) || !good_result(product.d))
    return d.refuse("this combination of types");
  const bool f16_result = product.d == DataType::kF16;
  const bool quads_fit = product.a_registers == 2 && product.b_registers == 2 &&
                         product.c_registers == (product.c == DataType::kF16 ? 4u : 8u) &&
                         product.d_registers == (f16_result ? 4u : 8u);
  const bool registers_fit =
      product.quads
          ? quads_fit
          : fits({MatrixRole::kA, product.m, product.k, product.a, product.a_registers}) &&
                fits({MatrixRole::kB, product.k, product.n, product.b, product.b_registers}) &&
                fits({MatrixRole::kC, product.m, product.n, product.c, product.c_registers}) &&
                fits({MatrixRole::kC, product.m, product.n, product.d, product.d_registers});
  if (!registers_fit) return d.refuse("this number of registers");
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> read;
  if (!d.collect(d.operand(0), register_type(product.d), Direction::kWritten, &written) ||
      !d.collect(d.operand(1), register_type(product.a), Direction::kRead, &read) ||
      !d.collect(d.operand(2), register_type(product.b), Direction::kRead, &read) ||
      !d.collect(d.operand(3), register_type(product.c), Direction::kRead, &read)) {
    return false;
  }
  OperationKey key;
  key.type = product.d;
  key.source_type = product.a;
  const Shape* shape = shape_of(d.modifiers);
  key.comparison = shape->name;
  key.operation = Operation::kMma;
  // The fast path: mma.sync with one type for C and D and signs alike.
  const bool fast = d.instruction().is(Mnemonic::kMma) && product.c == product.d &&
                    !product.quads && d.state().find(key) != nullptr;
  if (!fast) key.operation = Operation::kMatrixProduct;
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, written, read);
  op->immediate = product.pack();
  op->flags =
      static_cast<std::uint8_t>((is_signed(product.b) ? 1u : 0u) | (product.clamps ? 2u : 0u));
  d.flop_per_lane = static_cast<std::uint16_t>(2 * product.m * product.n * product.k / kWarpSize *
                                               (product.quads ? 4 : 1));
  return true;
}

MatrixProduct described(const InstructionDecoder& d, const Shape& shape) {
  MatrixProduct product;
  product.m = shape.m;
  product.n = shape.n;
  product.k = shape.k;
  product.clamps = d.modifiers.has(Modifier::kSatfinite);
  product.exclusive_or = d.modifiers.has(Modifier::kXor);
  return product;
}

MatrixFragment fragment_of(const Modifiers& m, const Shape& shape, DataType type) {
  if (m.has(Modifier::kA)) return {MatrixRole::kA, shape.m, shape.k, type, 0};
  if (m.has(Modifier::kB)) return {MatrixRole::kB, shape.k, shape.n, type, 0};
  return {MatrixRole::kC, shape.m, shape.n, type, 0};
}

// wmma.load.a d, [address], stride; wmma.store.d [address], d, stride. The stride may be missing.
bool decode_fragment(InstructionDecoder& d, const Shape& shape, bool store) {
  const Modifiers& m = d.modifiers;
  if (d.count() < 2 || d.count() > 3) return d.refuse("this number of operands");
  const PtxOperand& data = d.operand(store ? 1 : 0);
  FragmentAccess access;
  access.fragment = fragment_of(m, shape, m.type(0));
  access.fragment.registers = length_of(data);
  access.by_columns = m.has(Modifier::kCol);
  const bool sub_byte = bits_of_element(m.type(0)) < 8;
  if (!(is_element_type(m.type(0)) || m.type(0) == DataType::kF32 || m.type(0) == DataType::kS32) ||
      !fits(access.fragment) ||
      (sub_byte && access.by_columns != (access.fragment.role == MatrixRole::kB)))
    return d.refuse("this combination of types and modifiers");
  const InstructionDecoder::Address address = d.address(d.operand(store ? 0 : 1));
  std::vector<std::uint32_t> rows;
  if (!d.collect(data, register_type(m.type(0)), store ? Direction::kRead : Direction::kWritten,
                 &rows)) {
    return false;
  }
  const unsigned leading = access.by_columns ? access.fragment.rows : access.fragment.columns;
  const std::uint32_t stride =
      d.count() == 3 ? d.source(2, DataType::kU32) : d.state().rows->constant(leading, false);
  OperationKey key;
  key.operation = store ? Operation::kStoreFragment : Operation::kLoadFragment;
  MicroOp* op = d.emit(
      key, {{},
            {address.row, stride,
             d.state().rows->constant(static_cast<std::uint64_t>(address.displacement), true)}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, store ? std::vector<std::uint32_t>{} : rows,
                     store ? rows : std::vector<std::uint32_t>{});
  op->immediate = access.pack();
  op->flags = address.form == AddressForm::kWide ? 1 : 0;
  op->space = m.has(Modifier::kGlobal)                                  ? MemorySpace::kGlobal
              : m.has(Modifier::kShared) || m.has(Modifier::kSharedCta) ? MemorySpace::kShared
                                                                        : MemorySpace::kGeneric;
  op->access = store ? AccessKind::kStore : AccessKind::kLoad;
  op->bytes = 4;
  op->site = d.state().code->sites++;
  d.space = op->space;
  d.access = op->access;
  d.bytes_per_lane = static_cast<std::uint8_t>(rows.size() * (m.type(0) == DataType::kF64 ? 8 : 4));
  return true;
}

}  // namespace

bool decode_matrix_product(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const Shape* shape = shape_of(m);
  if (shape == nullptr || m.type_count != 4) return d.refuse("this shape");
  MatrixProduct product = described(d, *shape);
  product.d = m.type(0);
  product.a = m.type(1);
  product.b = m.type(2);
  product.c = m.type(3);
  product.quads = shape->name == Modifier::kM8n8k4 && product.a == DataType::kF16;
  product.a_by_columns = d.instruction().opcode->a_by_columns;
  product.b_by_columns = d.instruction().opcode->b_by_columns;
  if (!product.quads && (product.a_by_columns || !product.b_by_columns))
    return d.refuse("this layout");
  return emit_product(d, product);
}

bool decode_wmma(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const Shape* shape = shape_of(m);
  if (shape == nullptr) return d.refuse("this shape");
  if (m.has(Modifier::kLoad)) return decode_fragment(d, *shape, false);
  if (m.has(Modifier::kStore)) return decode_fragment(d, *shape, true);
  MatrixProduct product = described(d, *shape);
  if (m.type_count == 2) {  // f16 inputs are not named
    product.d = m.type(0);
    product.c = m.type(1);
  } else if (m.type_count == 4) {
    product.d = m.type(0);
    product.a = m.type(1);
    product.b = m.type(2);
    product.c = m.type(3);
  } else {
    return d.refuse("this number of types");
  }
  return emit_product(d, product);
}

// A group of products is one of the whole warpgroup (PTX ISA, "wgmma.commit_group"): it is complete
// when each of its warps has made it.
bool decode_warpgroup_wait(InstructionDecoder& d) {
  if (d.count() != 1 || d.operand(0).kind != OperandKind::kInteger)
    return d.refuse("a number of groups that is no constant");
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier = BarrierKind::kSync;
  end.aligned = false;
  end.op.flags = kOfWarpgroup;
  end.op.immediate = static_cast<std::int64_t>(d.operand(0).bits);
  return true;
}

// wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). It is executed
// where it stands: a kernel that waits as it must cannot tell.
namespace {

constexpr unsigned kDepthBytes = 32;  // of a row of A or a column of B

bool takes(const WarpgroupProduct& p) {
  const auto eighth = [](DataType type) {
    return type == DataType::kE4m3 || type == DataType::kE5m2;
  };
  const auto integer = [](DataType type) { return type == DataType::kS8 || type == DataType::kU8; };
  if (p.k * bits_of_element(p.a) != 8 * kDepthBytes) return false;
  if (p.d == DataType::kS32)
    return (integer(p.a) && integer(p.b)) || (p.a == DataType::kB1 && p.b == p.a);
  const bool half = p.a == DataType::kF16 && p.b == p.a;
  if (p.d == DataType::kF16) return half || (eighth(p.a) && eighth(p.b));
  return p.d == DataType::kF32 &&
         (half || (p.a == DataType::kBf16 && p.b == p.a) ||
          (p.a == DataType::kTf32 && p.b == p.a) || (eighth(p.a) && eighth(p.b)));
}

using Direction = InstructionDecoder::Direction;

// -1 or 1, 0 or 1.
bool flag_at(InstructionDecoder& d, unsigned index, std::uint64_t set, bool* flag) {
  if (index >= d.count()) return true;
  if (d.operand(index).kind != OperandKind::kInteger)
    return d.refuse("a scale that is no constant");
  *flag = d.operand(index).bits == set;
  return true;
}

}  // namespace

// d, a-descriptor or {a}, b-descriptor, scale-d {, scale-a, scale-b {, trans-a}, trans-b}
bool decode_warpgroup_product(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  WarpgroupProduct product;
  const ProductShape& shape = d.instruction().opcode->shape;
  if (shape.m != 64 || shape.n % 8 != 0 || shape.n < 8 || shape.n > 256)
    return d.refuse("this shape");
  product.n = shape.n;
  product.k = shape.k;
  if (m.type_count != 3 || d.count() < 4) return d.refuse("this combination of types and operands");
  product.d = m.type(0);
  product.a = m.type(1);
  product.b = m.type(2);
  product.clamps = m.has(Modifier::kSatfinite);
  if (!takes(product)) return d.refuse("this combination of types");
  product.a_in_registers = d.operand(1).kind == OperandKind::kVector;
  constexpr auto kMinusOne = std::numeric_limits<std::uint64_t>::max();
  if (!flag_at(d, 4, kMinusOne, &product.a_negated) ||
      !flag_at(d, 5, kMinusOne, &product.b_negated) ||
      (!product.a_in_registers && !flag_at(d, 6, 1, &product.a_by_columns)) ||
      !flag_at(d, product.a_in_registers ? 6 : 7, 1, &product.b_by_rows))
    return false;
  if ((product.a_by_columns || product.b_by_rows) && bits_of_element(product.a) != 16)
    return d.refuse("a transposed matrix of this type");

  std::vector<std::uint32_t> sums;
  std::vector<std::uint32_t> a_registers;
  if (!d.collect(d.operand(0), DataType::kB32, Direction::kWritten, &sums)) return false;
  if (sums.size() != product.d_registers()) return d.refuse("this number of registers");
  RegisterRows& rows = *d.state().rows;
  std::uint32_t a_row = rows.constant(0, true);
  if (!product.a_in_registers) {
    a_row = d.source(1, DataType::kB64);
  } else if (!d.collect(d.operand(1), DataType::kB32, Direction::kRead, &a_registers) ||
             a_registers.size() != 4) {
    return d.refuse("this number of registers");
  }
  const PtxOperand& adds = d.operand(3);
  std::uint32_t condition = rows.always();
  if (adds.kind == OperandKind::kInteger) {
    product.overwrites = adds.bits == 0;
  } else {
    condition = d.predicate(adds);
    product.overwrites = adds.negated;
  }

  OperationKey key;
  key.operation = Operation::kWarpgroupProduct;
  MicroOp* op = d.emit(key, {{}, {condition, a_row, d.source(2, DataType::kB64)}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, sums, a_registers);
  d.use_of_last().updates_extra = true;
  op->immediate = product.pack();
  op->bytes = WarpgroupProduct::kPieceBytes;
  const unsigned flop = 2 * WarpgroupProduct::kRows * product.n * product.k / kWarpSize;
  d.flop_per_lane = static_cast<std::uint16_t>(
      std::min<unsigned>(flop, std::numeric_limits<std::uint16_t>::max()));
  return true;
}

}  // namespace tilescope
