#include "emulator/checks/undefined_values.h"
#include "emulator/common_executors/matrix_fragment.h"

// What undefined elements of matrices make of their product.
namespace tilescope {

// What one lane gives, any other may get.
LaneOrigins UndefinedValues::mix(const Step& step) {
  LaneOrigins all = read(step);
  Set set = OriginSets::kNone;
  for_lanes(all.lanes, [&](unsigned lane) { set = sets_.join(set, all.of[lane]); });
  for_lanes(step.lanes, [&](unsigned lane) { all.put(lane, set); });
  return all;
}

// An undefined element of A spoils its row of the product, one of B its column.
void UndefinedValues::multiply(const Step& step) {
  const bool has_shape =
      step.use.operation == Operation::kMma || step.use.operation == Operation::kMatrixProduct;
  const MatrixProduct product =
      has_shape ? MatrixProduct::unpack(step.op.immediate) : MatrixProduct{};
  if (!has_shape || product.quads) {
    write_results(step, mix(step));
    return;
  }
  std::array<Set, 64> in_row{};
  std::array<Set, 64> in_column{};
  const auto spoil = [&](const MatrixFragment& fragment, unsigned first, auto mark) {
    for (unsigned r = 0; r < fragment.registers; ++r) {
      const LaneOrigins* origins = rows_.find(step.warp, further(step.op, first + r));
      if (origins == nullptr) continue;
      for_lanes(origins->lanes & step.lanes, [&](unsigned lane) {
        for (unsigned i = 0; i < fragment.per_register(); ++i)
          mark(fragment.place_of(lane, r, i), origins->of[lane]);
      });
    }
  };
  const unsigned a = product.d_registers;
  const unsigned b = a + product.a_registers;
  const unsigned c = b + product.b_registers;
  using At = MatrixFragment::Place;
  spoil({MatrixRole::kA, product.m, product.k, product.a, product.a_registers}, a,
        [&](At at, Set set) { in_row[at.row] = sets_.join(in_row[at.row], set); });
  spoil({MatrixRole::kB, product.k, product.n, product.b, product.b_registers}, b,
        [&](At at, Set set) { in_column[at.column] = sets_.join(in_column[at.column], set); });
  const MatrixFragment d{MatrixRole::kC, product.m, product.n, product.d, product.d_registers};
  std::vector<LaneOrigins> results(product.d_registers);
  for (unsigned r = 0; r < product.d_registers; ++r) {
    for_lanes(step.lanes, [&](unsigned lane) {
      Set set = OriginSets::kNone;
      for (unsigned i = 0; i < d.per_register(); ++i) {
        const At at = d.place_of(lane, r, i);
        set = sets_.join(set, sets_.join(in_row[at.row], in_column[at.column]));
      }
      results[r].put(lane, set);
    });
    if (product.c_registers == product.d_registers) {
      join(results[r], step.warp, further(step.op, c + r), step.lanes);
      continue;
    }
    for (unsigned other = 0; other < product.c_registers; ++other)
      join(results[r], step.warp, further(step.op, c + other), step.lanes);
  }
  for (unsigned r = 0; r < product.d_registers; ++r)
    rows_.write(step.warp, further(step.op, r), step.lanes, results[r]);
}

}  // namespace tilescope
