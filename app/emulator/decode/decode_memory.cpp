#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/execution/barriers.h"

namespace tilescope {
namespace {

MemorySpace space_of(const Modifiers& m) {
  if (m.has(Modifier::kGlobal)) return MemorySpace::kGlobal;
  if (m.has(Modifier::kShared) || m.has(Modifier::kSharedCta)) return MemorySpace::kShared;
  if (m.has(Modifier::kSharedCluster)) return MemorySpace::kShared;  // a cluster of one block
  if (m.has(Modifier::kLocal)) return MemorySpace::kLocal;
  if (m.has(Modifier::kConst)) return MemorySpace::kConstant;
  if (m.has(Modifier::kParam) || m.has(Modifier::kParamEntry) || m.has(Modifier::kParamFunc)) {
    return MemorySpace::kParameter;
  }
  return MemorySpace::kGeneric;
}

// As the analyses see it: whose shared memory of a cluster it will be, only the address says, as of
// the machine's generic instructions that do it.
MemorySpace shown_space(InstructionDecoder& d, MemorySpace space) {
  const bool cluster = d.modifiers.has(Modifier::kSharedCluster) && space == MemorySpace::kShared;
  return cluster && d.state().code->cluster.count() > 1 ? MemorySpace::kGeneric : space;
}

unsigned vector_of(const Modifiers& m) {
  return m.has(Modifier::kV8) ? 8 : m.has(Modifier::kV4) ? 4 : m.has(Modifier::kV2) ? 2 : 1;
}

struct AccessShape {
  unsigned elements = 1;
  DataType type = DataType::kB32;      // of an element in memory
  DataType row_type = DataType::kB32;  // of the registers
  bool wide = false;
};

// The data operand of a ld or st: one register or a vector of them.
AccessShape shape_of(InstructionDecoder& d, const PtxOperand& data) {
  AccessShape shape;
  shape.type = d.modifiers.type(0);
  shape.elements = vector_of(d.modifiers);
  const bool vector = data.kind == OperandKind::kVector;
  if (shape.elements != (vector ? data.count : 1)) d.refuse("a vector of another length");
  if (bytes_of(shape.type) == 0) d.refuse("this type");
  shape.wide = bytes_of(shape.type) == 8;
  const unsigned registers = vector ? data.count : 1;
  for (unsigned i = 0; i < registers && !shape.wide; ++i) {
    shape.wide = d.is_wide(vector ? d.element(data, i) : data);
  }
  shape.row_type = shape.wide ? DataType::kB64 : DataType::kB32;
  return shape;
}

void describe(InstructionDecoder& d, MicroOp& op, const AccessShape& shape, MemorySpace space,
              AccessKind kind) {
  op.space = space;
  op.access = kind;
  op.bytes = static_cast<std::uint8_t>(shape.elements * bytes_of(shape.type));
  op.extra_count = static_cast<std::uint8_t>(shape.elements);
  op.flags = static_cast<std::uint8_t>((shape.wide ? kWideRows : 0) |
                                       (is_signed(shape.type) ? kSignExtends : 0));
  op.site = d.state().code->sites++;
  d.space = shown_space(d, space);
  d.access = kind;
  d.bytes_per_lane = op.bytes;
}

// A .b128 register is moved as two of 64 bits.
AccessShape pair_shape() { return {2, DataType::kB64, DataType::kB64, true}; }

bool decode_access(InstructionDecoder& d, bool store) {
  if (d.count() < 2) return d.refuse("this number of operands");
  const PtxOperand& data = d.operand(store ? 1 : 0);
  const InstructionDecoder::Address address = d.address(d.operand(store ? 0 : 1));
  const bool pair = d.modifiers.type(0) == DataType::kB128;
  const AccessShape shape = pair ? pair_shape() : shape_of(d, data);
  if (d.refused()) return false;
  MemorySpace space = space_of(d.modifiers);
  bool shown = true;
  if (space == MemorySpace::kParameter && !address.is_entry_parameter &&
      (address.variable_space == MemorySpace::kLocal || !d.function().is_entry)) {
    space = MemorySpace::kLocal;  // parameters of device functions lie in the lane's own memory
    shown = false;
  }
  OperationKey key;
  key.operation = store ? Operation::kStore : Operation::kLoad;
  key.type = shape.type;
  key.vector = shape.elements;
  key.address = address.form;
  key.wide_result = shape.wide;
  key.wide_source = shape.wide;
  std::vector<std::uint32_t> rows;
  if (pair) {
    const auto halves = d.pair(data);
    rows.assign(halves.begin(), halves.end());
  }
  for (unsigned i = 0; i < shape.elements && !pair; ++i) {
    const PtxOperand& element = data.kind == OperandKind::kVector ? d.element(data, i) : data;
    rows.push_back(store ? d.source(element, shape.row_type)
                         : d.destination(element, shape.row_type));
  }
  MicroOp* op = d.emit(key, {{}, {address.row}});
  if (op == nullptr) return false;
  if (shape.elements > 4) {
    d.add_further_rows(*op, store ? std::vector<std::uint32_t>{} : rows,
                       store ? rows : std::vector<std::uint32_t>{});
  } else {
    RowUse& use = d.use_of_last();
    for (unsigned i = 0; i < shape.elements; ++i) {
      op->row[i + 1] = rows[i];
      use.used = static_cast<std::uint8_t>(use.used | (2u << i));
      if (!store) use.written = static_cast<std::uint8_t>(use.written | (2u << i));
    }
  }
  op->immediate = address.displacement;
  describe(d, *op, shape, space, store ? AccessKind::kStore : AccessKind::kLoad);
  const Modifiers& m = d.modifiers;
  if (m.has(Modifier::kVolatile) || m.has(Modifier::kRelaxed) || m.has(Modifier::kAcquire) ||
      m.has(Modifier::kMmio) || m.has(Modifier::kCg) || m.has(Modifier::kCv)) {
    op->flags |= kPolls;
  }
  if (address.form == AddressForm::kWide) op->flags |= kWideBase;
  if (!shown) {
    op->flags |= kUnshown;
    d.access = AccessKind::kNone;
    d.space = MemorySpace::kParameter;
  }
  return true;
}

}  // namespace

bool decode_load(InstructionDecoder& d) { return decode_access(d, false); }
bool decode_store(InstructionDecoder& d) { return decode_access(d, true); }

namespace {

// atom and red of vectors and of 128 bits; further rows: results, then operands.
bool decode_wide_atomic(InstructionDecoder& d, OperationKey key, std::uint32_t address_row,
                        std::int64_t displacement) {
  const bool returns = d.instruction().is(Mnemonic::kAtom);
  const unsigned first = returns ? 1 : 0;
  const bool pair = key.type == DataType::kB128;
  key.operation = pair ? Operation::kPairAtomic : Operation::kVectorAtomic;
  const bool cas = key.comparison == Modifier::kCas;
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> read;
  const unsigned elements = vector_of(d.modifiers);
  if (pair) {
    if (!returns || d.count() < (cas ? 4u : 3u) || (!cas && key.comparison != Modifier::kExch))
      return d.refuse("this atomic of 128 bits");
    for (unsigned i = 0; i < (cas ? 4u : 3u); ++i) {
      if (i == 1) continue;  // the address
      const auto halves = d.pair(d.operand(i));
      (i == 0 ? written : read)
          .insert((i == 0 ? written : read).end(), halves.begin(), halves.end());
    }
  } else {
    const PtxOperand& a = d.operand(first + 1);
    if (a.kind != OperandKind::kVector || a.count != elements) return d.refuse("these operands");
    for (unsigned i = 0; i < elements; ++i) read.push_back(d.source(d.element(a, i), key.type));
    const PtxOperand& result = d.operand(0);
    if (returns && result.kind == OperandKind::kVector && result.count == elements) {
      for (unsigned i = 0; i < elements; ++i)
        written.push_back(d.destination(d.element(result, i), key.type));
    } else if (returns) {
      return d.refuse("these operands");
    }
  }
  MicroOp* op = d.emit(key, {{}, {address_row}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, written, read);
  op->immediate = displacement;
  op->flags = static_cast<std::uint8_t>((returns ? 1u : 0u) | (cas ? 2u : 0u));
  op->bytes = static_cast<std::uint8_t>(elements * bytes_of(key.type));
  op->space = space_of(d.modifiers);
  op->access = AccessKind::kAtomic;
  op->site = d.state().code->sites++;
  d.space = shown_space(d, op->space);
  d.access = op->access;
  if (!returns) d.variant = AccessVariant::kReduction;
  d.bytes_per_lane = op->bytes;
  return true;
}

}  // namespace

// Rows: destination (scratch for red), address, operand, second operand of cas.
bool decode_atomic(InstructionDecoder& d) {
  const bool returns = d.instruction().is(Mnemonic::kAtom);
  const unsigned first = returns ? 1 : 0;
  if (d.count() < first + 2) return d.refuse("this number of operands");
  const Modifiers& m = d.modifiers;
  OperationKey key;
  key.operation = Operation::kAtomic;
  key.type = m.type(0);
  key.comparison = Modifier::kCount;
  for (const Modifier what :
       {Modifier::kAdd, Modifier::kMin, Modifier::kMax, Modifier::kInc, Modifier::kDec,
        Modifier::kExch, Modifier::kCas, Modifier::kAnd, Modifier::kOr, Modifier::kXor}) {
    if (m.has(what)) key.comparison = what;
  }
  const InstructionDecoder::Address address = d.address(d.operand(first));
  key.address = address.form;
  key.space = space_of(m);
  if (vector_of(m) != 1 || key.type == DataType::kB128)
    return decode_wide_atomic(d, key, address.row, address.displacement);
  const bool wide = bytes_of(key.type) == 8;
  const std::uint32_t unused = d.state().rows->scratch(wide ? RowClass::kWide : RowClass::kNarrow);
  const std::uint32_t result = returns ? d.destination(0, key.type) : unused;
  const std::uint32_t a = d.source(first + 1, key.type);
  const bool cas = key.comparison == Modifier::kCas;
  if (cas && d.count() < first + 3) return d.refuse("this number of operands");
  const std::uint32_t b = cas ? d.source(first + 2, key.type) : a;
  MicroOp* op = d.emit(key, {{result}, {address.row, a, b}});
  if (op == nullptr) return false;
  op->immediate = address.displacement;
  op->bytes = static_cast<std::uint8_t>(bytes_of(key.type));
  op->space = space_of(m);
  op->access = AccessKind::kAtomic;
  op->site = d.state().code->sites++;
  d.space = shown_space(d, op->space);
  d.access = op->access;
  if (cas) d.variant = AccessVariant::kCompareAndSwap;
  if (!returns) d.variant = AccessVariant::kReduction;
  d.bytes_per_lane = op->bytes;
  return true;
}

// Rows: shared address, global address, source size or ignore predicate. flags: kSourceSize,
// kIgnoreSource.
bool decode_cp_async(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (d.count() < 3 || d.operand(2).kind != OperandKind::kInteger)
    return d.refuse("this number of operands");
  const std::uint64_t bytes = d.operand(2).bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) return d.refuse("this size");
  const InstructionDecoder::Address to = d.address(d.operand(0));
  const InstructionDecoder::Address from = d.address(d.operand(1));
  if (from.form != AddressForm::kWide) return d.refuse("a 32-bit global address");
  OperationKey key;
  key.operation = Operation::kAsyncCopy;
  key.address = to.form;
  key.vector = static_cast<unsigned>(bytes);
  std::uint32_t third = 0;
  std::uint8_t flags = 0;
  if (d.count() > 3 && !m.has(Modifier::kL2CacheHint)) {
    const PtxOperand& operand = d.operand(3);
    if (d.register_type(operand) == DataType::kPred) {
      third = d.predicate(operand);
      flags = static_cast<std::uint8_t>(kIgnoreSource | (operand.negated ? kNegated : 0));
    } else {
      third = d.source(operand, DataType::kU32);
      flags = kSourceSize;
    }
  }
  if (to.displacement != static_cast<std::int32_t>(to.displacement) ||
      from.displacement != static_cast<std::int32_t>(from.displacement)) {
    return d.refuse("an offset of more than 32 bits");
  }
  MicroOp* op = d.emit(key, {{}, {to.row, from.row, third}});
  if (op == nullptr) return false;
  // Both displacements share the immediate: the shared one lies in the upper half.
  op->immediate =
      static_cast<std::int64_t>((static_cast<std::uint64_t>(to.displacement) << 32) |
                                (static_cast<std::uint64_t>(from.displacement) & 0xffffffffu));
  op->flags = flags;
  op->bytes = static_cast<std::uint8_t>(bytes);
  op->space = MemorySpace::kGlobal;
  op->access = AccessKind::kAsyncCopy;
  op->site = d.state().code->sites;
  d.state().code->sites += 2;  // of its read and its write
  d.state().code->uses_async_copies = true;
  d.space = MemorySpace::kGlobal;
  d.access = AccessKind::kAsyncCopy;
  if (m.has(Modifier::kCg)) d.variant = AccessVariant::kBypass;
  d.bytes_per_lane = op->bytes;
  return true;
}

bool decode_commit_group(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kCommitGroup;
  return d.emit(key, {{}, {}}) != nullptr;
}

bool decode_wait_group(InstructionDecoder& d) {
  OperationKey key;
  key.operation = d.modifiers.has(Modifier::kWaitAll) ? Operation::kWaitAll : Operation::kWaitGroup;
  std::int64_t newest = 0;
  if (key.operation == Operation::kWaitGroup) {
    if (d.count() != 1 || d.operand(0).kind != OperandKind::kInteger)
      return d.refuse("a number that is no constant");
    newest = static_cast<std::int64_t>(d.operand(0).bits & 0x7fffffff);
  }
  MicroOp* op = d.emit(key, {{}, {}});
  if (op != nullptr) op->immediate = newest;
  return op != nullptr;
}

bool decode_nothing(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kNothing;
  return d.emit(key, {{}, {}}) != nullptr;
}

// barrier.cluster, mapa and getctarank, st.async and red.async. A launch without clusters is a grid
// of clusters of one block, whose addresses all are its own.
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
  const bool maps = d.instruction().is(Mnemonic::kMapa);
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
  if (d.instruction().is(Mnemonic::kRed)) {
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

// mbarrier and cp.async.bulk.
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

namespace {

// The first operands as rows for operand_at(); the rest of the micro-operation is the caller's.
MicroOp* emit_operands(InstructionDecoder& d, const OperationKey& key, unsigned count) {
  RegisterRows& rows = *d.state().rows;
  std::vector<std::uint32_t> read;
  std::uint8_t wide = 0;
  for (unsigned i = 0; i < count; ++i) {
    const PtxOperand& operand = d.operand(i);
    InstructionDecoder::Address address;
    if (operand.kind == OperandKind::kAddress) {
      address = d.address(operand);
    } else {
      address.form = d.is_wide(operand) ? AddressForm::kWide : AddressForm::kNarrow;
      address.row = d.source(operand, d.is_wide(operand) ? DataType::kB64 : DataType::kB32);
    }
    read.push_back(address.row);
    read.push_back(rows.constant(static_cast<std::uint64_t>(address.displacement), true));
    if (address.form == AddressForm::kWide) wide = static_cast<std::uint8_t>(wide | 1u << i);
  }
  MicroOp* op = d.emit(key, {{}, {}});
  if (op == nullptr) return nullptr;
  d.add_further_rows(*op, {}, read);
  op->flags = wide;
  return op;
}

// [to], [from], size, [mbarrier] [, blocks]; or [to], [from], size into global memory.
bool decode_in_bulk(InstructionDecoder& d, OperationKey key, std::int64_t immediate) {
  const Modifiers& m = d.modifiers;
  const bool to_global = m.has(Modifier::kBulkGroup);
  if (m.has(Modifier::kCpMask)) return d.refuse(".cp_mask");
  const bool to_all = m.has(Modifier::kMulticastCluster);
  const unsigned operands = to_global ? 3 : to_all ? 5 : 4;
  if (d.count() < operands) return d.refuse("this number of operands");
  if (!to_global && !m.has(Modifier::kCompleteTxBytes)) return d.refuse("this way to complete");
  key.space = m.has(Modifier::kGlobal) ? MemorySpace::kGlobal : MemorySpace::kShared;
  MicroOp* op = emit_operands(d, key, operands);
  if (op == nullptr) return false;
  op->immediate = immediate;
  op->bytes = 16;
  op->space = MemorySpace::kShared;
  d.state().code->uses_async_copies = true;
  return true;
}

}  // namespace

bool decode_operands(InstructionDecoder& d) {
  const InstructionTraits& traits = d.form->traits;
  if (d.count() != traits.operands) return d.refuse("this number of operands");
  OperationKey key;
  key.operation = d.form->operation;
  key.type = d.modifiers.type(0);
  key.space = space_of(d.modifiers);
  MicroOp* op = emit_operands(d, key, d.count());
  if (op == nullptr) return false;
  op->space = key.space;
  if (traits.access == AccessKind::kNone) return true;
  op->access = traits.access;
  op->bytes = traits.access_bytes;
  op->site = d.state().code->sites++;
  d.space = shown_space(d, op->space);
  d.access = op->access;
  d.bytes_per_lane = op->bytes;
  return true;
}

bool decode_bulk_copy(InstructionDecoder& d) {
  OperationKey key;
  key.operation =
      d.modifiers.has(Modifier::kBulkGroup) ? Operation::kBulkStore : Operation::kBulkCopy;
  return decode_in_bulk(d, key, 0);
}

bool decode_bulk_reduction(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kBulkReduction;
  key.type = d.modifiers.type(0);
  key.comparison = reduction_of(d.modifiers);
  return decode_in_bulk(
      d, key, static_cast<std::int64_t>(key.type) | static_cast<std::int64_t>(key.comparison) << 8);
}

}  // namespace tilescope
