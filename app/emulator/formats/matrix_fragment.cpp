#include "emulator/formats/matrix_fragment.h"

#include "emulator/formats/packed_bits.h"

namespace tilescope {
unsigned bits_of_element(DataType type) {
  switch (type) {
    case DataType::kB1:
      return 1;
    case DataType::kU4:
    case DataType::kS4:
      return 4;
    default:
      return 8 * bytes_of(type);
  }
}

unsigned MatrixFragment::per_register() const {
  const unsigned bits = bits_of_element(type);
  return bits >= 32 ? 1 : 32 / bits;
}

MatrixFragment::Place MatrixFragment::place_of(unsigned lane, unsigned reg, unsigned i) const {
  const unsigned pack = per_register();
  const unsigned group = lane / 4;
  const unsigned member = lane % 4;
  reg %= needed_registers();
  switch (role) {
    case MatrixRole::kA: {  // down in steps of 8 rows, then along
      const unsigned down = rows / 8;
      return {group + 8 * (reg % down), pack * (member + 4 * (reg / down)) + i};
    }
    case MatrixRole::kB: {  // along K, then along N
      const unsigned along = rows / (4 * pack);
      return {pack * (member + 4 * (reg % along)) + i, group + 8 * (reg / along)};
    }
    case MatrixRole::kC:
      break;
  }
  const unsigned parts = 2 / pack;  // registers for an 8 x 8 block
  const unsigned block = reg / parts;
  return {group + 8 * (block % (rows / 8)),
          2 * member + (pack == 2 ? i : reg % 2) + 8 * (block / (rows / 8))};
}

std::int64_t MatrixProduct::pack() const {
  BitWriter to;
  to.put(m / 8, 3).put(n / 8, 3).put(k / 4, 7);
  for (const DataType type : {a, b, c, d}) to.put(static_cast<unsigned>(type), kTypeBits);
  for (const unsigned count : {a_registers, b_registers, c_registers, d_registers})
    to.put(count, 4);
  for (const bool flag : {clamps, exclusive_or, quads, a_by_columns, b_by_columns})
    to.put(flag ? 1 : 0, 1);
  return to.word();
}

MatrixProduct MatrixProduct::unpack(std::int64_t bits) {
  BitReader from(bits);
  MatrixProduct p;
  p.m = 8 * from.take(3);
  p.n = 8 * from.take(3);
  p.k = 4 * from.take(7);
  for (DataType* type : {&p.a, &p.b, &p.c, &p.d})
    *type = static_cast<DataType>(from.take(kTypeBits));
  for (unsigned* count : {&p.a_registers, &p.b_registers, &p.c_registers, &p.d_registers})
    *count = from.take(4);
  for (bool* flag : {&p.clamps, &p.exclusive_or, &p.quads, &p.a_by_columns, &p.b_by_columns})
    *flag = from.take(1) != 0;
  return p;
}

std::int64_t FragmentAccess::pack() const {
  BitWriter to;
  to.put(static_cast<unsigned>(fragment.role), 2).put(fragment.rows, 9).put(fragment.columns, 9);
  to.put(static_cast<unsigned>(fragment.type), kTypeBits).put(fragment.registers, 4);
  return to.put(by_columns ? 1 : 0, 1).word();
}

FragmentAccess FragmentAccess::unpack(std::int64_t bits) {
  BitReader from(bits);
  FragmentAccess access;
  access.fragment.role = static_cast<MatrixRole>(from.take(2));
  access.fragment.rows = from.take(9);
  access.fragment.columns = from.take(9);
  access.fragment.type = static_cast<DataType>(from.take(kTypeBits));
  access.fragment.registers = from.take(4);
  access.by_columns = from.take(1) != 0;
  return access;
}

}  // namespace tilescope
