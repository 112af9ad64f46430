#include <bit>
#include <vector>

#include "emulator/common_executors/tensor_access.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/memory_map.h"

// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace, tensormap.cp_fenceproxy.
namespace tilescope {
namespace {

Modifier first_of(const Modifiers& m, std::initializer_list<Modifier> words) {
  for (const Modifier word : words) {
    if (m.has(word)) return word;
  }
  return Modifier::kCount;
}

unsigned rank_of(const Modifiers& m) {
  constexpr std::array kRanks{Modifier::k1d, Modifier::k2d, Modifier::k3d, Modifier::k4d,
                              Modifier::k5d};
  for (unsigned i = 0; i < kRanks.size(); ++i) {
    if (m.has(kRanks[i])) return i + 1;
  }
  return 0;
}

// The elements of a list as rows, with zeros behind them up to `wanted`.
bool add_list(InstructionDecoder& d, const PtxOperand& list, unsigned count, DataType type,
              unsigned wanted, std::vector<std::uint32_t>* rows) {
  if (list.count != count) return d.refuse("this number of coordinates");
  for (unsigned i = 0; i < count; ++i) rows->push_back(d.source(d.element(list, i), type));
  for (unsigned i = count; i < wanted; ++i) rows->push_back(d.state().rows->constant(0, false));
  return !d.refused();
}

// The operands by what they are; nullptr: the instruction has none.
struct TensorOperands {
  const PtxOperand* box = nullptr;
  const PtxOperand* map = nullptr;
  const PtxOperand* barrier = nullptr;
  const PtxOperand* offsets = nullptr;
  const PtxOperand* mask = nullptr;
};

bool find_operands(InstructionDecoder& d, bool loads, TensorOperands* operands) {
  const Modifiers& m = d.modifiers;
  unsigned next = 0;
  const auto take = [&](const PtxOperand** operand) {
    if (next < d.count()) *operand = &d.operand(next);
    ++next;
  };
  if (loads) take(&operands->box);
  take(&operands->map);
  take(loads ? &operands->barrier : &operands->box);
  if (loads && m.has(Modifier::kIm2col)) take(&operands->offsets);
  if (m.has(Modifier::kMulticastCluster)) take(&operands->mask);
  return next <= d.count() || d.refuse("this number of operands");
}

bool add_addresses(InstructionDecoder& d, const TensorOperands& operands,
                   std::vector<std::uint32_t>* rows, std::uint8_t* wide) {
  RegisterRows& of = *d.state().rows;
  std::vector<std::uint32_t> displacements;
  unsigned index = 0;
  for (const PtxOperand* operand : {operands.box, operands.map, operands.barrier}) {
    InstructionDecoder::Address address;
    if (operand == nullptr) {
      address.row = of.constant(0, true);
    } else {
      address = d.address(*operand);
      // A parameter by name: the map's address is a generic one.
      if (operand == operands.map && address.variable_space == MemorySpace::kParameter)
        address.displacement += static_cast<std::int64_t>(kParameterWindow);
    }
    rows->push_back(address.row);
    displacements.push_back(of.constant(static_cast<std::uint64_t>(address.displacement), true));
    if (address.form == AddressForm::kWide) *wide = static_cast<std::uint8_t>(*wide | 1u << index);
    ++index;
  }
  rows->insert(rows->end(), displacements.begin(), displacements.end());
  return !d.refused();
}

}  // namespace

// [box], [map, coordinates], [mbarrier] [, offsets] [, blocks]; or [map, coordinates], [box].
bool decode_tensor_copy(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const bool loads = d.form->operation == Operation::kTensorLoad;
  if (!m.has(loads ? Modifier::kCompleteTxBytes : Modifier::kBulkGroup))
    return d.refuse("this way to complete");
  TensorAccess access;
  access.rank = static_cast<std::uint8_t>(rank_of(m));
  access.is_im2col = m.has(Modifier::kIm2col) || m.has(Modifier::kIm2colNoOffs);
  access.has_mask = m.has(Modifier::kMulticastCluster);
  if (access.rank == 0 || (access.is_im2col && access.rank < 3))
    return d.refuse("this number of dimensions");
  TensorOperands operands;
  if (!find_operands(d, loads, &operands)) return false;
  std::vector<std::uint32_t> rows;
  std::uint8_t wide = 0;
  if (!add_addresses(d, operands, &rows, &wide)) return false;
  PtxOperand coordinates;
  coordinates.kind = OperandKind::kVector;
  coordinates.index = operands.map->coordinates;
  coordinates.count = operands.map->count;
  if (!add_list(d, coordinates, access.rank, DataType::kB32, 5, &rows)) return false;
  const PtxOperand none;
  const unsigned offsets = operands.offsets != nullptr ? access.rank - 2u : 0;
  if (!add_list(d, offsets != 0 ? *operands.offsets : none, offsets, DataType::kU16, 3, &rows))
    return false;
  if (operands.mask != nullptr) rows.push_back(d.source(*operands.mask, DataType::kU16));
  OperationKey key;
  key.operation = d.form->operation;
  if (key.operation == Operation::kTensorReduction) {
    access.reduction = first_of(m, {Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kInc,
                                    Modifier::kDec, Modifier::kAnd, Modifier::kOr, Modifier::kXor});
    if (access.reduction == Modifier::kCount) return d.refuse("this reduction");
  }
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, {}, rows);
  op->immediate = std::bit_cast<std::int64_t>(access);
  op->flags = wide;
  op->bytes = 16;
  op->space = MemorySpace::kShared;
  d.state().code->uses_async_copies = true;
  return true;
}

// tensormap.replace: [map], value; or [map], dimension, value. tensormap.cp_fenceproxy: [to],
// [from], 128.
bool decode_tensor_map(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  OperationKey key;
  key.operation = d.form->operation;
  const bool copies = key.operation == Operation::kTensorMapCopy;
  const auto is_wide = [](const InstructionDecoder::Address& address) {
    return address.form == AddressForm::kWide ? 1u : 0u;
  };
  if (d.count() < 2 || d.count() > 3) return d.refuse("this number of operands");
  const InstructionDecoder::Address address = d.address(d.operand(0));
  if (copies) {
    const InstructionDecoder::Address from = d.address(d.operand(1));
    if (address.displacement != 0 || from.displacement != 0)
      return d.refuse("an address with a displacement");
    MicroOp* op = d.emit(key, {{}, {address.row, from.row}});
    if (op == nullptr) return false;
    op->flags = static_cast<std::uint8_t>(is_wide(address) | (is_wide(from) << 1));
    return true;
  }
  const Modifier field =
      first_of(m, {Modifier::kGlobalAddress, Modifier::kRank, Modifier::kBoxDim,
                   Modifier::kGlobalDim, Modifier::kGlobalStride, Modifier::kElementStride,
                   Modifier::kElemtype, Modifier::kInterleaveLayout, Modifier::kSwizzleMode,
                   Modifier::kSwizzleAtomicity, Modifier::kFillMode});
  if (field == Modifier::kCount) return d.refuse("this field of a tensor map");
  const bool has_dimension = d.count() == 3;
  if (has_dimension && d.operand(1).kind != OperandKind::kInteger)
    return d.refuse("a dimension that is no number");
  const bool wide_value = bytes_of(m.type(0)) == 8;
  const std::uint32_t value = d.source(d.count() - 1, m.type(0));
  MicroOp* op = d.emit(key, {{}, {address.row, value}});
  if (op == nullptr) return false;
  const std::uint64_t dimension = has_dimension ? d.operand(1).bits & 0xff : 0;
  op->immediate = static_cast<std::int64_t>(static_cast<std::uint64_t>(field) | dimension << 8 |
                                            static_cast<std::uint64_t>(address.displacement) << 16);
  op->flags = static_cast<std::uint8_t>(is_wide(address) | (wide_value ? 2u : 0u));
  op->space = m.has(Modifier::kGlobal)      ? MemorySpace::kGlobal
              : m.has(Modifier::kSharedCta) ? MemorySpace::kShared
                                            : MemorySpace::kGeneric;
  return true;
}

}  // namespace tilescope
