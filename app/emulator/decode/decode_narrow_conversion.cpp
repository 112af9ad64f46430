#include "emulator/common_executors/narrow_conversion.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

namespace tilescope {
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
