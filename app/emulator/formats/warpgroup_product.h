#pragma once
#include <cstdint>

#include "ptx/data_type.h"

namespace tilescope {

// A tile in shared memory as the descriptor of a wgmma names it (PTX ISA, "Asynchronous Warpgroup
// Level Matrix Shared Memory Layout"): pieces of 16 bytes in patterns of eight rows.
struct SharedTile {
  std::uint64_t start = 0;    // bytes
  std::uint64_t leading = 0;  // bytes between patterns: along K without a swizzle; see piece_at()
  std::uint64_t stride = 0;
  unsigned swizzle_bytes = 16;  // 16: none; 32, 64, 128
  unsigned base_offset = 0;     // rows of 128 bytes by which the patterns begin late

  [[nodiscard]] static SharedTile decode(std::uint64_t descriptor);

  // Where a piece begins. K-major: piece `piece` along K of row (or column) `line`; else piece
  // `piece` along M or N of depth `line`.
  [[nodiscard]] std::uint64_t piece_at(unsigned line, unsigned piece, bool k_major) const;
};

// One wgmma.mma_async, m64nNkK, as MicroOp::immediate carries it. Each warp of the group has 16
// rows of A and D of its own, so that it executes its quarter by itself.
struct WarpgroupProduct {
  static constexpr unsigned kRows = 16;  // of a warp
  static constexpr unsigned kPieceBytes = 16;

  unsigned n = 8, k = 16;
  DataType a = DataType::kF16, b = DataType::kF16, d = DataType::kF32;
  bool a_in_registers = false;
  bool clamps = false;      // .satfinite of integers
  bool overwrites = false;  // D = A * B where the predicate holds; else where it does not
  bool a_negated = false;   // imm-scale-a
  bool b_negated = false;
  bool a_by_columns = false;  // M-major
  bool b_by_rows = false;     // N-major

  [[nodiscard]] unsigned d_registers() const { return d == DataType::kF16 ? n / 4 : n / 2; }

  [[nodiscard]] std::int64_t pack() const;
  [[nodiscard]] static WarpgroupProduct unpack(std::int64_t bits);
};

}  // namespace tilescope
