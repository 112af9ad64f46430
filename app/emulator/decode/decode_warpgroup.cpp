#include <algorithm>
#include <charconv>
#include <limits>

#include "emulator/common_executors/matrix_fragment.h"
#include "emulator/common_executors/warpgroup_product.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

// wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). It is executed
// where it stands: a kernel that waits as it must cannot tell.
namespace tilescope {
namespace {

constexpr unsigned kDepthBytes = 32;  // of a row of A or a column of B

// ".m64n128k16" somewhere in the suffix.
bool read_shape(std::string_view suffix, WarpgroupProduct* product) {
  const std::size_t at = suffix.find(".m64n");
  if (at == std::string_view::npos) return false;
  const char* const end = suffix.data() + suffix.size();
  const auto n = std::from_chars(suffix.data() + at + 5, end, product->n);
  if (n.ec != std::errc() || n.ptr == end || *n.ptr != 'k') return false;
  const auto k = std::from_chars(n.ptr + 1, end, product->k);
  return k.ec == std::errc() && product->n % 8 == 0 && product->n >= 8 && product->n <= 256;
}

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
  if (!read_shape(d.instruction().suffix, &product)) return d.refuse("this shape");
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
