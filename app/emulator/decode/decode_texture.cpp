#include <bit>
#include <vector>

#include "emulator/common_executors/texture_access.h"
#include "emulator/decode/decode_functions.h"
#include "emulator/decode/instruction_decoder.h"

// tex, tld4, txq, suld, sust, suq.
namespace tilescope {
namespace {

// "2d", "a2d", "cube" ...: false where there is none that we know.
bool read_geometry(InstructionDecoder& d, TextureAccess* access) {
  const Modifiers& m = d.modifiers;
  access->is_layered = m.has(Modifier::kA1d) || m.has(Modifier::kA2d) || m.has(Modifier::kAcube);
  access->is_cube = m.has(Modifier::kCube) || m.has(Modifier::kAcube);
  if (m.has(Modifier::k1d) || m.has(Modifier::kA1d)) {
    access->dimensions = 1;
  } else if (m.has(Modifier::k2d) || m.has(Modifier::kA2d)) {
    access->dimensions = 2;
  } else if (m.has(Modifier::k3d) || access->is_cube) {
    access->dimensions = 3;
  } else {
    return d.refuse("this shape of a texture");
  }
  return true;
}

// The rows of the layer and the coordinates between the brackets.
bool read_coordinates(InstructionDecoder& d, const PtxOperand& address, const TextureAccess& access,
                      std::vector<std::uint32_t>* rows) {
  const unsigned wanted = access.dimensions + (access.is_layered ? 1u : 0u);
  if (address.base_kind == OperandKind::kVector) return d.refuse("a sampler of its own");
  if (address.count < wanted) return d.refuse("this number of coordinates");
  PtxOperand list;
  list.kind = OperandKind::kVector;
  list.index = address.coordinates;
  for (unsigned i = 0; i < wanted; ++i) {
    const bool is_integer = (access.is_layered && i == 0) || access.has_integer_coordinates;
    rows->push_back(d.source(d.element(list, i), is_integer ? DataType::kU32 : DataType::kF32));
  }
  return !d.refused();
}

bool emit(InstructionDecoder& d, Operation operation, const PtxOperand& object,
          const TextureAccess& access, const std::vector<std::uint32_t>& written,
          const std::vector<std::uint32_t>& read) {
  const InstructionDecoder::Address address = d.address(object);
  if (address.form != AddressForm::kWide || address.displacement != 0)
    return d.refuse("a texture that is no object of 64 bits");
  OperationKey key;
  key.operation = operation;
  MicroOp* op = d.emit(key, {{}, {address.row}});
  if (op == nullptr) return false;
  d.add_further_rows(*op, written, read);
  op->immediate = std::bit_cast<std::int64_t>(access);
  return true;
}

bool is_32_bits(DataType type) {
  return type == DataType::kU32 || type == DataType::kS32 || type == DataType::kF32;
}

}  // namespace

bool decode_texture(InstructionDecoder& d) {
  const bool gathers = d.form->operation == Operation::kTextureGather;
  TextureAccess access;
  if (!read_geometry(d, &access)) return false;
  if (d.count() < 2 || d.operand(1).kind != OperandKind::kAddress)
    return d.refuse("this number of operands");
  if (!is_32_bits(d.modifiers.type(0)) || !is_32_bits(d.modifiers.type(1)))
    return d.refuse("these types");
  access.gives_floats = d.modifiers.type(0) == DataType::kF32;
  access.has_integer_coordinates = d.modifiers.type(1) == DataType::kS32;
  if (gathers) {
    access.detail = d.modifiers.has(Modifier::kFunnelR) ? 0
                    : d.modifiers.has(Modifier::kG)     ? 1
                    : d.modifiers.has(Modifier::kB)     ? 2
                                                        : 3;
  }
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> read;
  if (!d.collect(d.operand(0), d.modifiers.type(0), InstructionDecoder::Direction::kWritten,
                 &written) ||
      !read_coordinates(d, d.operand(1), access, &read))
    return false;
  if (written.size() != 4) return d.refuse("this number of results");
  access.results = 4;
  return emit(d, d.form->operation, d.operand(1), access, written, read);
}

bool decode_texture_query(InstructionDecoder& d) {
  const Modifiers& m = d.modifiers;
  using Query = TextureAccess::Query;
  TextureAccess access;
  access.results = 1;
  access.detail = static_cast<std::uint8_t>(m.has(Modifier::kWidth)    ? Query::kWidth
                                            : m.has(Modifier::kHeight) ? Query::kHeight
                                            : m.has(Modifier::kDepth)  ? Query::kDepth
                                                                       : Query::kLayers);
  if (d.count() != 2 || d.operand(1).kind != OperandKind::kAddress)
    return d.refuse("this number of operands");
  return emit(d, Operation::kTextureQuery, d.operand(1), access, {d.destination(0, DataType::kB32)},
              {});
}

bool decode_surface(InstructionDecoder& d) {
  const bool stores = d.form->operation == Operation::kSurfaceStore;
  const unsigned object = stores ? 0 : 1;
  TextureAccess access;
  if (!read_geometry(d, &access)) return false;
  if (d.count() != 2 || d.operand(object).kind != OperandKind::kAddress)
    return d.refuse("this number of operands");
  using Edge = TextureAccess::Edge;
  access.detail = static_cast<std::uint8_t>(d.modifiers.has(Modifier::kClamp)  ? Edge::kClamp
                                            : d.modifiers.has(Modifier::kZero) ? Edge::kZero
                                                                               : Edge::kTrap);
  access.has_integer_coordinates = true;
  const DataType type = d.modifiers.type(0);
  access.element_bytes = static_cast<std::uint8_t>(bytes_of(type));
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> read;
  const PtxOperand& data = d.operand(stores ? 1 : 0);
  if (!stores && !d.collect(data, type, InstructionDecoder::Direction::kWritten, &written))
    return false;
  access.results = static_cast<std::uint8_t>(written.size());
  if (stores) d.state().code->writes_surfaces = true;
  if (!read_coordinates(d, d.operand(object), access, &read)) return false;
  if (stores && !d.collect(data, type, InstructionDecoder::Direction::kRead, &read)) return false;
  return emit(d, d.form->operation, d.operand(object), access, written, read);
}

}  // namespace tilescope
