#include "emulator/formats/warpgroup_product.h"

#include <array>

#include "emulator/formats/packed_bits.h"

namespace tilescope {
namespace {

// matrix-descriptor-encode(x) = (x & 0x3ffff) >> 4
std::uint64_t encoded_at(std::uint64_t descriptor, unsigned bit) {
  return ((descriptor >> bit) & 0x3fffu) << 4;
}

}  // namespace

SharedTile SharedTile::decode(std::uint64_t descriptor) {
  constexpr std::array<unsigned, 4> kSwizzles{16, 128, 64, 32};
  SharedTile tile;
  tile.start = encoded_at(descriptor, 0);
  tile.leading = encoded_at(descriptor, 16);
  tile.stride = encoded_at(descriptor, 32);
  tile.base_offset = static_cast<unsigned>((descriptor >> 49) & 7u);
  tile.swizzle_bytes = kSwizzles[descriptor >> 62];
  return tile;
}

std::uint64_t SharedTile::piece_at(unsigned line, unsigned piece, bool k_major) const {
  constexpr unsigned kPatternLines = 8;
  const unsigned in_pattern = line % kPatternLines;
  const unsigned pattern = line / kPatternLines;
  const unsigned row_pieces = swizzle_bytes / WarpgroupProduct::kPieceBytes;
  const bool plain = row_pieces == 1;
  std::uint64_t offset = std::uint64_t{in_pattern} * swizzle_bytes;
  if (k_major) {
    offset += pattern * stride + (plain ? piece * leading : piece * std::uint64_t{16});
  } else if (plain) {
    offset += pattern * leading + piece * stride;
  } else {
    offset += pattern * stride + piece / row_pieces * leading + piece % row_pieces * 16;
  }
  // The pieces of a row of 128 bytes change places by an exclusive or with the row's number.
  const std::uint64_t address = start + offset;
  const std::uint64_t row = (address >> 7) - base_offset;
  return address ^ ((row & (row_pieces - 1)) << 4);
}

std::int64_t WarpgroupProduct::pack() const {
  BitWriter to;
  to.put(n / 8, 6).put(k / 8, 6);
  for (const DataType type : {a, b, d}) to.put(static_cast<unsigned>(type), kTypeBits);
  for (const bool flag :
       {a_in_registers, clamps, overwrites, a_negated, b_negated, a_by_columns, b_by_rows})
    to.put(flag ? 1 : 0, 1);
  return to.word();
}

WarpgroupProduct WarpgroupProduct::unpack(std::int64_t bits) {
  BitReader from(bits);
  WarpgroupProduct p;
  p.n = 8 * from.take(6);
  p.k = 8 * from.take(6);
  for (DataType* type : {&p.a, &p.b, &p.d}) *type = static_cast<DataType>(from.take(kTypeBits));
  for (bool* flag : {&p.a_in_registers, &p.clamps, &p.overwrites, &p.a_negated, &p.b_negated,
                     &p.a_by_columns, &p.b_by_rows})
    *flag = from.take(1) != 0;
  return p;
}

}  // namespace tilescope
