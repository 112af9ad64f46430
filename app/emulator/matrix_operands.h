#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/program.h"
#include "ptx/data_type.h"

namespace tilescope {

// One mma.sync, d = a * b + c, or a warp's part of a wgmma: whose registers hold which element, as
// the PTX ISA draws it ("Matrix Fragments"). c lies like d.
struct MatrixOperands {
  static constexpr std::uint8_t kInShared = 32;  // no lane holds it
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
  DataType a = DataType::kNone;  // of an element
  DataType b = DataType::kNone;
  DataType d = DataType::kNone;
  std::vector<std::uint8_t> lane_of_a;  // m x k lanes, row by row
  std::vector<std::uint8_t> lane_of_b;  // k x n
  std::vector<std::uint8_t> lane_of_d;  // m x n
};

// nullopt: the instruction is no mma.sync or wgmma of PTX, or one whose elements several lanes hold
// (m8n8k4 of f16).
[[nodiscard]] std::optional<MatrixOperands> matrix_operands(const Program& program,
                                                            std::uint32_t instruction);

}  // namespace tilescope
