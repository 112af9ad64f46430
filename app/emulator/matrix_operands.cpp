#include "emulator/matrix_operands.h"

#include <algorithm>

#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/warpgroup_product.h"
#include "emulator/program_implementation.h"

namespace tilescope {
namespace {

std::vector<std::uint8_t> lanes_of(MatrixFragment fragment) {
  fragment.registers = fragment.needed_registers();
  std::vector<std::uint8_t> lanes(std::size_t{fragment.rows} * fragment.columns);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < fragment.registers; ++reg) {
      for (unsigned i = 0; i < fragment.per_register(); ++i) {
        const MatrixFragment::Place place = fragment.place_of(lane, reg, i);
        lanes[std::size_t{place.row} * fragment.columns + place.column] =
            static_cast<std::uint8_t>(lane);
      }
    }
  }
  return lanes;
}

MatrixOperands part_of_group(const WarpgroupProduct& product) {
  constexpr unsigned kRows = WarpgroupProduct::kRows;
  MatrixOperands operands{kRows, product.n, product.k, product.a, product.b, product.d, {}, {}, {}};
  operands.lane_of_a =
      product.a_in_registers
          ? lanes_of({MatrixRole::kA, kRows, product.k, product.a})
          : std::vector<std::uint8_t>(std::size_t{kRows} * product.k, MatrixOperands::kInShared);
  operands.lane_of_b.assign(std::size_t{product.k} * product.n, MatrixOperands::kInShared);
  operands.lane_of_d = lanes_of({MatrixRole::kC, kRows, product.n, product.d});
  return operands;
}

}  // namespace

std::optional<MatrixOperands> matrix_operands(const Program& program, std::uint32_t instruction) {
  const StaticInstruction& mma = program.instructions()[instruction];
  const bool of_group = mma.operation == Operation::kWarpgroupProduct;
  if (program.is_machine_code() || (mma.operation != Operation::kMma && !of_group))
    return std::nullopt;
  const std::vector<MicroOp>& ops = program.implementation().code().ops;
  const auto op = std::ranges::find_if(ops, [&](const MicroOp& candidate) {
    return candidate.instruction == instruction && candidate.extra_count > 0;
  });
  if (op == ops.end()) return std::nullopt;  // not supported
  if (of_group) return part_of_group(WarpgroupProduct::unpack(op->immediate));
  const MatrixProduct product = MatrixProduct::unpack(op->immediate);
  if (product.quads) return std::nullopt;
  MatrixOperands operands{product.m, product.n, product.k, product.a, product.b,
                          product.d, {},        {},        {}};
  operands.lane_of_a = lanes_of({MatrixRole::kA, product.m, product.k, product.a});
  operands.lane_of_b = lanes_of({MatrixRole::kB, product.k, product.n, product.b});
  operands.lane_of_d = lanes_of({MatrixRole::kC, product.m, product.n, product.d});
  return operands;
}

}  // namespace tilescope
