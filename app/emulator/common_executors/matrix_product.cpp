#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "emulator/common_executors/families.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/register_cells.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/integer_sums.h"
#include "emulator/executors/lanes.h"
#include "emulator/executors/tensor_sum.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/narrow_floats.h"

// mma.sync and wmma.mma of every shape and type that executors/matrix.cpp has no fast path for.
// f16, bf16 and tf32 are summed as the tensor cores do (executors/tensor_sum.h), f64 by a chain of
// fused multiply-adds; narrower floats in double and rounded once, for their order is not known.
namespace tilescope {
namespace {

double number_of(std::uint64_t bits, DataType type) {
  switch (type) {
    case DataType::kF64:
      return std::bit_cast<double>(bits);
    case DataType::kF32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case DataType::kS32:
      return static_cast<double>(static_cast<std::int32_t>(bits));
    case DataType::kS8:
      return static_cast<double>(static_cast<std::int8_t>(bits));
    case DataType::kU8:
      return static_cast<double>(bits & 0xffu);
    case DataType::kS4:
      return static_cast<double>(static_cast<int>(bits & 0xfu) - ((bits & 8u) != 0 ? 16 : 0));
    case DataType::kU4:
      return static_cast<double>(bits & 0xfu);
    case DataType::kB1:
      return static_cast<double>(bits & 1u);
    case DataType::kTf32:  // the hardware ignores the low 13 bits
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u));
    case DataType::kE2m1:  // in the middle of its byte
      return decode(static_cast<std::uint32_t>((bits >> 2) & 0xfu), float_format(type));
    case DataType::kE2m3:
    case DataType::kE3m2:
      return decode(static_cast<std::uint32_t>(bits & 0x3fu), float_format(type));
    default:
      return decode(static_cast<std::uint32_t>(bits), float_format(type));
  }
}

struct Matrix {
  unsigned columns = 0;
  std::vector<double> values;
  Matrix(unsigned row_count, unsigned column_count)
      : columns(column_count), values(std::size_t{row_count} * column_count) {}
  double& at(unsigned row, unsigned column) { return values[std::size_t{row} * columns + column]; }
};

using FurtherRows = const std::uint32_t*;

// Where the elements of a fragment lie in its matrix, row by row: register by register, lane by
// lane. Kept, for a kernel multiplies the same few shapes all the time.
const std::vector<std::uint16_t>& offsets_of(const MatrixFragment& fragment) {
  thread_local std::deque<std::pair<MatrixFragment, std::vector<std::uint16_t>>> kept;
  for (const auto& [known, offsets] : kept) {
    if (known == fragment) return offsets;
  }
  std::vector<std::uint16_t> offsets;
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      for (unsigned i = 0; i < fragment.per_register(); ++i) {
        const auto place = fragment.place_of(lane, reg, i);
        offsets.push_back(static_cast<std::uint16_t>(place.row * fragment.columns + place.column));
      }
    }
  }
  return kept.emplace_back(fragment, std::move(offsets)).second;
}

template <class NumberOf>
void gather_as(NumberOf number, Matrix& to, const MatrixFragment& fragment,
               const std::byte* registers, FurtherRows rows) {
  const bool wide = fragment.type == DataType::kF64;
  const unsigned pack = fragment.per_register();
  const unsigned bits = bits_of_element(fragment.type);
  const std::uint16_t* offset = offsets_of(fragment).data();
  for (unsigned reg = 0; reg < fragment.needed_registers(); ++reg) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t word = cell_at(registers, rows[reg], lane, wide);
      for (unsigned i = 0; i < pack; ++i) to.values[*offset++] = number(word >> (bits * i));
    }
  }
}

void gather(Matrix& to, const MatrixFragment& fragment, const std::byte* registers,
            FurtherRows rows) {
  const auto half = [](std::uint64_t word) {
    return static_cast<double>(
        portable::to_float(portable::Half{static_cast<std::uint16_t>(word)}));
  };
  const auto any = [&](std::uint64_t word) { return number_of(word, fragment.type); };
  if (fragment.type == DataType::kF16) {
    gather_as(half, to, fragment, registers, rows);
  } else {
    gather_as(any, to, fragment, registers, rows);
  }
}

std::uint64_t bits_of_result(double value, DataType type, bool clamps) {
  switch (type) {
    case DataType::kF64:
      return std::bit_cast<std::uint64_t>(value);
    case DataType::kF32:
      return std::bit_cast<std::uint32_t>(portable::canonical(static_cast<float>(value)));
    case DataType::kF16:
      return portable::to_half(portable::to_float_to_odd(value)).bits;
    default:
      return portable::to_int32(value, clamps);
  }
}

void scatter(Matrix& from, const MatrixFragment& fragment, std::byte* registers, FurtherRows rows,
             bool clamps) {
  const bool wide = fragment.type == DataType::kF64;
  const unsigned pack = fragment.per_register();
  const std::uint16_t* offset = offsets_of(fragment).data();
  for (unsigned reg = 0; reg < fragment.registers; ++reg) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      std::uint64_t word = 0;
      for (unsigned i = 0; i < pack; ++i) {
        word |= bits_of_result(from.values[*offset++], fragment.type, clamps) << (16 * i);
      }
      put_cell(registers, rows[reg], lane, wide, word);
    }
  }
}

// How many products are summed before a rounding. wmma's m16n16k8 of tf32 is two instructions of
// k = 4 in sm_90's machine code.
unsigned products_per_rounding(const MatrixProduct& p) {
  return p.a == DataType::kTf32 && p.n == 16 ? 4 : p.k;
}

// A chain of fused multiply-adds for each element.
void multiply_fused(const MatrixProduct& p, Matrix& a, Matrix& b, Matrix& c) {
  for (unsigned m = 0; m < p.m; ++m) {
    for (unsigned n = 0; n < p.n; ++n) {
      double& sum = c.at(m, n);
      for (unsigned k = 0; k < p.k; ++k) sum = std::fma(a.at(m, k), b.at(k, n), sum);
    }
  }
}

// sums[n] += term(a[m][k], b[k][n]) for a row of results; all but f64's products are exact.
template <class Term>
void add_row(Term term, unsigned m, unsigned begin, unsigned end, Matrix& a, Matrix& b,
             std::vector<double>& sums) {
  for (unsigned k = begin; k < end; ++k) {
    const double left = a.at(m, k);
    const double* const right = &b.at(k, 0);
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] += term(left, right[n]);
  }
}

void multiply(const MatrixProduct& p, Matrix& a, Matrix& b, Matrix& c) {
  if (p.d == DataType::kF64) return multiply_fused(p, a, b, c);
  const unsigned step = products_per_rounding(p);
  const bool differ = p.a == DataType::kB1 && p.exclusive_or;
  const bool is_wide_float =
      p.a == DataType::kF16 || p.a == DataType::kBf16 || p.a == DataType::kTf32;
  std::vector<double> sums(p.n);
  for (unsigned m = 0; m < p.m; ++m) {
    for (unsigned begin = 0; is_wide_float && begin < p.k; begin += step) {
      portable::add_products(&a.at(m, begin), 1, &b.at(begin, 0), step, p.n, portable::kTensorSums,
                             &c.at(m, 0));
    }
    if (is_wide_float) continue;
    for (unsigned begin = 0; begin < p.k; begin += step) {
      std::ranges::fill(sums, 0.0);
      if (differ) {
        add_row([](double x, double y) { return x != y ? 1.0 : 0.0; }, m, begin, begin + step, a, b,
                sums);
      } else {
        add_row([](double x, double y) { return x * y; }, m, begin, begin + step, a, b, sums);
      }
      const bool last = begin + step >= p.k;
      for (unsigned n = 0; n < p.n; ++n) {
        const double result = sums[n] + c.at(m, n);
        c.at(m, n) = last ? result : static_cast<double>(static_cast<float>(result));
      }
    }
  }
}

// m8n8k4 of f16: lanes 4q .. 4q+3 and 16+4q .. 16+4q+3 share product q (PTX ISA, "Matrix Fragments
// for mma.m8n8k4 with .f16").
struct QuadLane {
  unsigned product, in_quad;
  bool upper;
};
QuadLane quad_lane(unsigned lane) { return {lane % 16 / 4, lane % 4, lane >= 16}; }

MatrixFragment::Place quad_result(unsigned lane, unsigned i, bool f16) {
  const QuadLane at = quad_lane(lane);
  const unsigned below = at.upper ? 4 : 0;
  if (f16) return {at.in_quad + below, i};
  return {(lane & 1u) + (i & 2u) + below, (i & 4u) + (lane & 2u) + (i & 1u)};
}

void multiply_quads(const MatrixProduct& p, std::byte* registers, FurtherRows rows) {
  FurtherRows a_rows = rows + p.d_registers;
  FurtherRows b_rows = a_rows + p.a_registers;
  FurtherRows c_rows = b_rows + p.b_registers;
  std::vector<Matrix> a(4, Matrix(8, 4));
  std::vector<Matrix> b(4, Matrix(4, 8));
  std::vector<Matrix> c(4, Matrix(8, 8));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const QuadLane at = quad_lane(lane);
    const unsigned half = at.upper ? 4 : 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto element = [&](FurtherRows from) {
        return number_of(cell_at(registers, from[i / 2], lane, false) >> (16 * (i % 2)),
                         DataType::kF16);
      };
      (p.a_by_columns ? a[at.product].at(i + half, at.in_quad)
                      : a[at.product].at(at.in_quad + half, i)) = element(a_rows);
      (p.b_by_columns ? b[at.product].at(i, at.in_quad + half)
                      : b[at.product].at(at.in_quad, i + half)) = element(b_rows);
    }
    for (unsigned i = 0; i < 8; ++i) {
      const bool f16 = p.c == DataType::kF16;
      const auto place = quad_result(lane, i, f16);
      const std::uint64_t word = cell_at(registers, c_rows[f16 ? i / 2 : i], lane, false);
      c[at.product].at(place.row, place.column) =
          number_of(f16 ? word >> (16 * (i % 2)) : word, p.c);
    }
  }
  MatrixProduct one = p;
  one.k = 4;
  for (unsigned q = 0; q < 4; ++q) multiply(one, a[q], b[q], c[q]);
  const bool f16 = p.d == DataType::kF16;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    std::array<std::uint32_t, 8> words{};
    for (unsigned i = 0; i < 8; ++i) {
      const auto place = quad_result(lane, i, f16);
      const auto bits = static_cast<std::uint32_t>(
          bits_of_result(c[quad_lane(lane).product].at(place.row, place.column), p.d, false));
      words[f16 ? i / 2 : i] |= bits << (f16 ? 16 * (i % 2) : 0);
    }
    for (unsigned r = 0; r < p.d_registers; ++r)
      std::memcpy(registers + rows[r] + std::size_t{lane} * 4, &words[r], 4);
  }
}

// Further rows: D, A, B, C. The whole warp takes part.
void execute_matrix_product(const MicroOp& op, std::byte* registers, std::uint32_t,
                            ExecutionContext& context) {
  const MatrixProduct p = MatrixProduct::unpack(op.immediate);
  std::array<std::uint32_t, 40> rows{};
  for (unsigned i = 0; i < op.extra_count && i < rows.size(); ++i)
    rows[i] = further_row(op, context, i);
  if (p.quads) {
    multiply_quads(p, registers, rows.data());
    return;
  }
  FurtherRows a_rows = rows.data() + p.d_registers;
  FurtherRows b_rows = a_rows + p.a_registers;
  FurtherRows c_rows = b_rows + p.b_registers;
  Matrix a(p.m, p.k);
  Matrix b(p.k, p.n);
  Matrix c(p.m, p.n);
  gather(a, {MatrixRole::kA, p.m, p.k, p.a, p.a_registers}, registers, a_rows);
  gather(b, {MatrixRole::kB, p.k, p.n, p.b, p.b_registers}, registers, b_rows);
  gather(c, {MatrixRole::kC, p.m, p.n, p.c, p.c_registers}, registers, c_rows);
  multiply(p, a, b, c);
  scatter(c, {MatrixRole::kC, p.m, p.n, p.d, p.d_registers}, registers, rows.data(), p.clamps);
}

}  // namespace

Executor find_matrix_product(const OperationKey& key) {
  return key.operation == Operation::kMatrixProduct ? execute_matrix_product : nullptr;
}

}  // namespace tilescope
