#include "emulator/common_executors/narrow_conversion.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"
#include "emulator/memory_map.h"

namespace tilescope {
namespace {

bool is_clock(std::string_view name) {
  return name == "%clock" || name == "%clock64" || name == "%clock_hi" || name == "%globaltimer" ||
         name == "%globaltimer_lo" || name == "%globaltimer_hi";
}

bool is_framed(InstructionDecoder& d, const PtxOperand& operand) {
  return operand.kind == OperandKind::kVariable && d.state().places[operand.index].framed;
}

// The address of a variable that lies in a frame, as an offset or in a window.
bool decode_frame_address(InstructionDecoder& d, const PtxOperand& variable, std::uint64_t window) {
  OperationKey key;
  key.operation = Operation::kCvta;
  key.type = DataType::kU64;
  MicroOp* op = d.emit(key, {{d.destination(0, DataType::kB64)},
                             {d.state().rows->special(SpecialValue::kFrame, true)}});
  if (op == nullptr) return false;
  op->immediate = static_cast<std::int64_t>(d.state().places[variable.index].address + window) +
                  variable.displacement;
  return true;
}

DataType part_type(DataType whole, unsigned parts) {
  switch (bytes_of(whole) / parts) {
    case 4:
      return DataType::kB32;
    case 2:
      return DataType::kB16;
    case 1:
      return DataType::kB8;
    default:
      return DataType::kNone;
  }
}

// mov.b64 %rd, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd.
bool decode_mov_vector(InstructionDecoder& d, bool pack) {
  OperationKey key;
  key.operation = pack ? Operation::kPack : Operation::kUnpack;
  key.type = d.modifiers.type(0);
  const PtxOperand& list = d.operand(pack ? 1 : 0);
  key.vector = list.count;
  const DataType part = list.count == 0 ? DataType::kNone : part_type(key.type, list.count);
  if (part == DataType::kNone || list.count > 4) return d.refuse("this way to pack");
  std::array<std::uint32_t, 4> rows{};
  for (unsigned i = 0; i < list.count; ++i) {
    const PtxOperand& element = d.element(list, i);
    rows[i] = pack ? d.source(element, part) : d.destination(element, part);
  }
  MicroOp* op = nullptr;
  if (pack) {
    op = d.emit(key, {{d.destination(0, key.type)}, {}});
  } else {
    op = d.emit(key, {{}, {d.source(1, key.type)}});
  }
  if (op == nullptr) return false;
  RowUse& use = d.use_of_last();
  for (unsigned i = 0; i < list.count; ++i) {
    op->row[i + 1] = rows[i];
    use.used = static_cast<std::uint8_t>(use.used | (2u << i));
    if (!pack) use.written = static_cast<std::uint8_t>(use.written | (2u << i));
  }
  return true;
}

// mov.b128 between a pair and a pair, or {low, high}: one move for each half.
bool decode_mov_pair(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kMove;
  key.type = DataType::kB64;
  std::array<std::uint32_t, 2> to{};
  std::array<std::uint32_t, 2> from{};
  const auto is_two = [](const PtxOperand& operand) {
    return operand.kind == OperandKind::kVector && operand.count == 2;
  };
  const PtxOperand& result = d.operand(0);
  const PtxOperand& a = d.operand(1);
  if (is_two(result)) {
    for (unsigned i = 0; i < 2; ++i) to[i] = d.destination(d.element(result, i), key.type);
  } else {
    to = d.pair(result);
  }
  if (is_two(a)) {
    for (unsigned i = 0; i < 2; ++i) from[i] = d.source(d.element(a, i), key.type);
  } else {
    from = d.pair(a);
  }
  // {x, y} of a pair may name the other half first: the second move must not see the first's.
  if (to[0] == from[1]) return d.refuse("an exchange of halves");
  MicroOp* first = d.emit(key, {{to[0]}, {from[0]}});
  if (first == nullptr) return false;
  first->hidden = 1;
  return d.emit(key, {{to[1]}, {from[1]}}) != nullptr;
}

bool decode_mov_predicate(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kPredicateLogic;
  const PtxOperand& a = d.operand(1);
  std::uint32_t row = 0;
  std::uint8_t flags = a.negated ? 1 : 0;
  if (a.kind == OperandKind::kSpecial && a.text == "%is_explicit_cluster") {
    const bool holds = d.state().code->explicit_cluster != a.negated;
    flags = holds ? 0 : 1;
  } else if (a.kind == OperandKind::kInteger) {
    flags = a.bits != 0 ? 0 : 1;  // "always", or its opposite
  } else {
    row = d.predicate(a);
  }
  MicroOp* op = d.emit(key, {{d.predicate_destination(d.operand(0))}, {row, row}});
  if (op == nullptr) return false;
  op->flags = flags;
  return true;
}

// The lower word of a 64-bit register, in a row of its own.
std::uint32_t emit_low_word(InstructionDecoder& d, const PtxOperand& from) {
  OperationKey key;
  key.operation = Operation::kConvert;
  key.type = DataType::kU32;
  key.source_type = DataType::kU64;
  key.rounding = Modifier::kRn;
  const std::uint32_t low = d.state().rows->scratch(RowClass::kNarrow);
  MicroOp* op = d.emit(key, {{low}, {d.source(from, DataType::kU64)}});
  if (op != nullptr) op->hidden = 1;
  return low;
}

// Where the named state space begins among generic addresses; 0: global memory, or none is named.
std::uint64_t window_of(const Modifiers& m) {
  if (m.has(Modifier::kParam) || m.has(Modifier::kParamEntry)) return kParameterWindow;
  if (m.has(Modifier::kConst)) return kConstantWindow;
  if (m.has(Modifier::kLocal)) return kLocalWindow;
  const bool shared =
      m.has(Modifier::kShared) || m.has(Modifier::kSharedCta) || m.has(Modifier::kSharedCluster);
  return shared ? kSharedWindow : 0;
}

}  // namespace

bool decode_mov(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  const DataType type = d.modifiers.type(0);
  if (type == DataType::kPred) return decode_mov_predicate(d);
  if (type == DataType::kB128) return decode_mov_pair(d);
  if (d.operand(0).kind == OperandKind::kVector) return decode_mov_vector(d, false);
  if (d.operand(1).kind == OperandKind::kVector) return decode_mov_vector(d, true);
  OperationKey key;
  key.operation = Operation::kMove;
  key.type = type;
  const PtxOperand& a = d.operand(1);
  if (a.kind == OperandKind::kSpecial && is_clock(a.text)) {
    key.operation = Operation::kClock;
    const bool high = a.text.ends_with("_hi");
    MicroOp* op = d.emit(key, {{d.destination(0, type)}, {}});
    if (op == nullptr) return false;
    op->flags = high ? 1 : 0;
    return true;
  }
  if (is_framed(d, a)) return decode_frame_address(d, a, 0);
  return d.emit(key, {{d.destination(0, type)}, {d.source(1, type)}}) != nullptr;
}

bool decode_cvt(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (is_narrow_conversion(d)) return decode_narrow_conversion(d);
  OperationKey key;
  key.operation = Operation::kConvert;
  key.type = m.type(0);
  key.source_type = m.type(1);
  if (key.source_type == DataType::kNone) return d.refuse("one type only");
  const bool to_integer = !is_float(key.type);
  key.rounding =
      rounding_of(m, to_integer && is_float(key.source_type) ? Modifier::kRzi : Modifier::kRn);
  key.ftz = m.has(Modifier::kFtz);
  key.saturate = m.has(Modifier::kSat) || m.has(Modifier::kSatfinite);
  key.relu = m.has(Modifier::kRelu);
  if (d.count() == 3) {  // two f32 into a pair
    const DataType f = DataType::kF32;
    return d.emit(key, {{d.destination(0, DataType::kB32)}, {d.source(1, f), d.source(2, f)}}) !=
           nullptr;
  }
  if (d.count() != 2) return d.refuse("this number of operands");
  // The registers may be wider than the types.
  const PtxOperand& to = d.operand(0);
  const PtxOperand& from = d.operand(1);
  key.wide_result = bytes_of(key.type) < 8 && d.is_wide(to);
  const DataType result = key.wide_result ? DataType::kB64 : key.type;
  if (is_float(key.type) && key.wide_result) return d.refuse("a destination wider than its type");
  if (bytes_of(key.source_type) == 8 || !d.is_wide(from))
    return d.emit(key, {{d.destination(to, result)}, {d.source(from, key.source_type)}}) != nullptr;
  if (is_float(key.source_type)) return d.refuse("a source wider than its type");
  const std::uint32_t low = emit_low_word(d, from);
  return d.emit(key, {{d.destination(to, result)}, {low}}) != nullptr;
}

bool decode_cvta(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  const Modifiers& m = d.modifiers;
  OperationKey key;
  key.operation = Operation::kCvta;
  key.type = DataType::kU64;
  const std::uint64_t window = window_of(m);
  if (m.type(0) != DataType::kU64) return d.refuse("32-bit generic addresses");
  if (is_framed(d, d.operand(1)) && !m.has(Modifier::kTo))
    return decode_frame_address(d, d.operand(1), window);
  MicroOp* op = d.emit(key, {{d.destination(0, key.type)}, {d.source(1, key.type)}});
  if (op == nullptr) return false;
  op->immediate = static_cast<std::int64_t>(m.has(Modifier::kTo) ? 0 - window : window);
  return true;
}

bool decode_isspacep(InstructionDecoder& d) {
  if (d.count() != 2) return d.refuse("this number of operands");
  const Modifiers& m = d.modifiers;
  OperationKey key;
  key.operation = Operation::kIsspacep;
  const std::uint64_t window = window_of(m);
  const bool own = window == kSharedWindow && !m.has(Modifier::kSharedCluster);
  if (own && d.state().code->cluster.count() > 1) key.operation = Operation::kIsOwnShared;
  MicroOp* op =
      d.emit(key, {{d.predicate_destination(d.operand(0))}, {d.source(1, DataType::kU64)}});
  if (op == nullptr) return false;
  op->immediate = static_cast<std::int64_t>(window);
  op->flags = window == 0 ? 1 : 0;  // .global
  return true;
}

// A cache policy is a hint: any value will do.
bool decode_policy(InstructionDecoder& d) {
  OperationKey key;
  key.operation = Operation::kMove;
  key.type = DataType::kB64;
  return d.emit(key, {{d.destination(0, key.type)}, {d.state().rows->constant(0, true)}}) !=
         nullptr;
}

namespace {

bool is_small_pair(DataType type) {
  switch (type) {
    case DataType::kE4m3x2:
    case DataType::kE5m2x2:
    case DataType::kE2m3x2:
    case DataType::kE3m2x2:
    case DataType::kE2m1x2:
    case DataType::kUe8m0x2:
      return true;
    default:
      return false;
  }
}

NarrowRounding rounding(const Modifiers& m) {
  switch (rounding_of(m, Modifier::kRn)) {
    case Modifier::kRz:
    case Modifier::kRzi:
      return NarrowRounding::kZero;
    case Modifier::kRm:
    case Modifier::kRmi:
      return NarrowRounding::kDown;
    case Modifier::kRp:
    case Modifier::kRpi:
      return NarrowRounding::kUp;
    case Modifier::kRna:
      return NarrowRounding::kNearestAway;
    default:
      return NarrowRounding::kNearestEven;
  }
}

}  // namespace

// Conversions that the fast families leave to narrow_conversion.cpp.
bool is_narrow_conversion(const InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  const DataType to = m.type(0);
  const DataType from = m.type(1);
  if (to == DataType::kTf32 && m.has(Modifier::kRna)) return false;
  if (is_small_pair(to) || is_small_pair(from) || m.has(Modifier::kSatfinite)) return true;
  const bool directed = m.has(Modifier::kRz) || m.has(Modifier::kRm) || m.has(Modifier::kRp);
  if (to == DataType::kTf32) return directed || m.has(Modifier::kRelu);
  const bool half = to == DataType::kF16 || to == DataType::kBf16;
  const bool plain = !m.has(Modifier::kFtz) && !m.has(Modifier::kSat);
  return half && directed && plain && (from != DataType::kF32 || !m.has(Modifier::kRz));
}

bool decode_narrow_conversion(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  if (m.has(Modifier::kFtz) || m.has(Modifier::kSat) || m.type_count != 2)
    return d.refuse("this combination of types and modifiers");
  NarrowConversion how;
  how.to = m.type(0);
  how.from = m.type(1);
  how.rounding = rounding(m);
  how.relu = m.has(Modifier::kRelu);
  how.satfinite = m.has(Modifier::kSatfinite);
  const auto pairs = [](DataType type) {
    return is_small_pair(type) || type == DataType::kF16x2 || type == DataType::kBf16x2;
  };
  OperationKey key;
  key.operation = Operation::kConvertNarrow;
  key.type = how.to;
  key.source_type = how.from;
  const DataType result = bytes_of(how.to) == 4 ? DataType::kB32 : DataType::kB16;
  MicroOp* op = nullptr;
  if (d.count() == 3) {
    if (!pairs(how.to) || how.from != DataType::kF32) return d.refuse("these types");
    how.shape = NarrowConversion::Shape::kTwoSources;
    op = d.emit(key, {{d.destination(0, result)},
                      {d.source(1, DataType::kF32), d.source(2, DataType::kF32)}});
  } else {
    if (d.count() != 2 || pairs(how.to) != pairs(how.from))
      return d.refuse("this number of operands");
    const bool known = float_format(how.to).exponent_bits != 0 || how.to == DataType::kUe8m0x2;
    if (!known) return d.refuse("this combination of types and modifiers");
    if (pairs(how.to)) how.shape = NarrowConversion::Shape::kPair;
    const DataType source =
        pairs(how.from) ? (bytes_of(how.from) == 4 ? DataType::kB32 : DataType::kB16) : how.from;
    op = d.emit(key, {{d.destination(0, result)}, {d.source(1, source)}});
  }
  if (op == nullptr) return false;
  op->immediate = how.pack();
  return true;
}

bool decode_cvt_pack(InstructionDecoder& d) {
  const DataType to = d.modifiers.type(0);
  unsigned width = 8 * bytes_of(to);
  if (to == DataType::kU4 || to == DataType::kS4) width = 4;
  const bool third = d.count() == 4;
  if ((!third && d.count() != 3) || width == 0 || width > 16 ||
      d.modifiers.type(1) != DataType::kS32)
    return d.refuse("this form");
  OperationKey key;
  key.operation = Operation::kConvertPack;
  const DataType s = DataType::kS32;
  MicroOp* op =
      third ? d.emit(key, {{d.destination(0, s)}, {d.source(1, s), d.source(2, s), d.source(3, s)}})
            : d.emit(key, {{d.destination(0, s)}, {d.source(1, s), d.source(2, s)}});
  if (op == nullptr) return false;
  op->immediate = width;
  op->flags = static_cast<std::uint8_t>((is_signed(to) ? 1u : 0u) | (third ? 2u : 0u));
  return true;
}

}  // namespace tilescope
