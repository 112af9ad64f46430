#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

// barrier.cluster, mapa and getctarank, st.async and red.async. A launch without clusters is a grid
// of clusters of one block, whose addresses all are its own.
namespace tilescope {
namespace {

bool is_alone(InstructionDecoder& d) { return d.state().code->cluster.count() == 1; }

// mapa d, address, rank: the only block's addresses are its own. getctarank d, address: 0.
bool decode_address_alone(InstructionDecoder& d, bool maps) {
  OperationKey key;
  key.operation = Operation::kMove;
  key.type = maps ? d.modifiers.type(0) : DataType::kU32;
  const std::uint32_t from = maps ? d.source(1, key.type) : d.state().rows->constant(0, false);
  return d.emit(key, {{d.destination(0, key.type)}, {from}}) != nullptr;
}

MemorySpace space_of(const Modifiers& m) {
  return m.has(Modifier::kSharedCluster) ? MemorySpace::kShared : MemorySpace::kGeneric;
}

unsigned vector_of(const Modifiers& m) {
  return m.has(Modifier::kV4) ? 4 : m.has(Modifier::kV2) ? 2 : 1;
}

Modifier reduction_of(const Modifiers& m) {
  for (const Modifier operation : {Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kInc,
                                   Modifier::kDec, Modifier::kAnd, Modifier::kOr, Modifier::kXor}) {
    if (m.has(operation)) return operation;
  }
  return Modifier::kCount;
}

}  // namespace

bool decode_cluster_barrier(InstructionDecoder& d) {
  BlockEnd& end = d.end_block(EndKind::kBarrier);
  end.barrier =
      d.modifiers.has(Modifier::kArrive) ? BarrierKind::kClusterArrive : BarrierKind::kClusterWait;
  end.aligned = false;
  return true;
}

bool decode_cluster_address(InstructionDecoder& d) {
  const bool maps = d.instruction().mnemonic == "mapa";
  if (d.count() != (maps ? 3u : 2u)) return d.refuse("this number of operands");
  if (is_alone(d)) return decode_address_alone(d, maps);
  const DataType type = d.modifiers.type(0);
  OperationKey key;
  key.operation = maps ? Operation::kMapRank : Operation::kRankOf;
  key.address = bytes_of(type) == 8 ? AddressForm::kWide : AddressForm::kNarrow;
  if (!maps)
    return d.emit(key, {{d.destination(0, DataType::kU32)}, {d.source(1, type)}}) != nullptr;
  return d.emit(key, {{d.destination(0, type)},
                      {d.source(1, type), d.source(2, DataType::kU32)}}) != nullptr;
}

// [to], value, [mbarrier]; a value of st.async may be a vector.
bool decode_async_store(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() != 3) return d.refuse("this number of operands");
  const unsigned elements = vector_of(m);
  const PtxOperand& data = d.operand(1);
  const bool vector = data.kind == OperandKind::kVector;
  if (elements != (vector ? data.count : 1)) return d.refuse("a vector of another length");
  const bool wide = bytes_of(m.type(0)) == 8;
  const DataType row_type = wide ? DataType::kB64 : DataType::kB32;
  const InstructionDecoder::Address to = d.address(d.operand(0));
  const InstructionDecoder::Address barrier = d.address(d.operand(2));
  RegisterRows& rows = *d.state().rows;
  std::vector<std::uint32_t> operands{
      to.row, barrier.row, rows.constant(static_cast<std::uint64_t>(to.displacement), true),
      rows.constant(static_cast<std::uint64_t>(barrier.displacement), true)};
  for (unsigned i = 0; i < elements; ++i)
    operands.push_back(d.source(vector ? d.element(data, i) : data, row_type));
  OperationKey key;
  key.type = m.type(0);
  key.operation = Operation::kAsyncStore;
  if (d.instruction().mnemonic == "red") {
    key.operation = Operation::kAsyncReduction;
    key.comparison = reduction_of(m);
  }
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, {}, operands);
  op->flags =
      static_cast<std::uint8_t>((to.form == AddressForm::kWide ? 1u : 0u) |
                                (barrier.form == AddressForm::kWide ? 2u : 0u) | (wide ? 4u : 0u));
  op->bytes = static_cast<std::uint8_t>(elements * bytes_of(m.type(0)));
  op->space = space_of(m);
  d.state().code->uses_async_copies = true;
  return true;
}

}  // namespace tilescope
