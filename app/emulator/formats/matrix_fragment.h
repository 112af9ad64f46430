#pragma once
#include <cstdint>

#include "ptx/data_type.h"

namespace tilescope {

// How a matrix lies in the registers of a warp, for mma.sync as the PTX ISA draws it. wmma leaves
// it open; here it is the same. Lane l belongs to group l / 4 and is number l % 4 in it.
enum class MatrixRole : std::uint8_t { kA, kB, kC };  // C: D too

struct MatrixFragment {
  MatrixRole role = MatrixRole::kA;
  unsigned rows = 16;
  unsigned columns = 16;
  DataType type = DataType::kF16;  // of an element
  unsigned registers = 4;          // that a lane gives; more than are needed hold elements again

  struct Place {
    unsigned row = 0;
    unsigned column = 0;
  };
  // Of element `i` of register `reg` in `lane`.
  [[nodiscard]] Place place_of(unsigned lane, unsigned reg, unsigned i) const;
  [[nodiscard]] unsigned per_register() const;  // elements
  [[nodiscard]] unsigned needed_registers() const { return rows * columns / 32 / per_register(); }

  friend bool operator==(const MatrixFragment&, const MatrixFragment&) = default;
};

// Bits of an element in memory and in registers.
[[nodiscard]] unsigned bits_of_element(DataType type);

// One instruction d = a * b + c, as MicroOp::immediate carries it.
struct MatrixProduct {
  unsigned m = 16, n = 8, k = 16;
  DataType a = DataType::kF16, b = DataType::kF16, c = DataType::kF32, d = DataType::kF32;
  unsigned a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  bool clamps = false;        // .satfinite of integers
  bool exclusive_or = false;  // .b1: xor instead of and
  bool quads = false;         // m8n8k4 of f16: four products, one for each pair of quads
  bool a_by_columns = false;  // of those four
  bool b_by_columns = true;

  [[nodiscard]] std::int64_t pack() const;
  [[nodiscard]] static MatrixProduct unpack(std::int64_t bits);
};

// wmma.load and wmma.store: row[0] the address, row[1] the stride, further rows the registers.
struct FragmentAccess {
  MatrixFragment fragment;
  bool by_columns = false;

  [[nodiscard]] std::int64_t pack() const;
  [[nodiscard]] static FragmentAccess unpack(std::int64_t bits);
};

}  // namespace tilescope
