#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/observer.h"
#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/integer_sums.h"
#include "emulator/executors/tensor_sum.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/narrow_floats.h"
#include "emulator/formats/warpgroup_product.h"

// wgmma.mma_async: one warp's 16 rows of D = A * B + D. Products of floating-point numbers are
// summed as the tensor cores do (tensor_sum.h), integers exactly.
namespace tilescope::TILESCOPE_ISA {
namespace {

constexpr unsigned kPiece = WarpgroupProduct::kPieceBytes;
constexpr unsigned kRows = WarpgroupProduct::kRows;
constexpr unsigned kGroupWarps = 4;

// Elements that lie side by side, as numbers `step` apart.
template <class T, class Number>
void take_numbers(const std::byte* data, unsigned count, double* to, std::size_t step,
                  Number number) {
  for (unsigned i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, data + i * sizeof element, sizeof element);
    to[i * step] = number(element);
  }
}

void take_numbers(const std::byte* data, unsigned count, DataType type, double* to,
                  std::size_t step) {
  switch (type) {
    case DataType::kF16:
      return take_numbers<Half>(data, count, to, step,
                                [](Half x) { return static_cast<double>(to_float(x)); });
    case DataType::kBf16:
      return take_numbers<Bfloat>(data, count, to, step,
                                  [](Bfloat x) { return static_cast<double>(to_float(x)); });
    case DataType::kTf32:  // the hardware ignores the low 13 bits
      return take_numbers<std::uint32_t>(data, count, to, step, [](std::uint32_t x) {
        return static_cast<double>(float_of_bits(x & 0xffffe000u));
      });
    case DataType::kS8:
      return take_numbers<std::int8_t>(data, count, to, step,
                                       [](std::int8_t x) { return static_cast<double>(x); });
    case DataType::kU8:
      return take_numbers<std::uint8_t>(data, count, to, step,
                                        [](std::uint8_t x) { return static_cast<double>(x); });
    case DataType::kB1:
      for (unsigned i = 0; i < count; ++i)
        to[i * step] = static_cast<double>((static_cast<unsigned>(data[i / 8]) >> (i % 8)) & 1u);
      return;
    default:
      return take_numbers<std::uint8_t>(
          data, count, to, step, [type](std::uint8_t x) { return decode(x, float_format(type)); });
  }
}

// The pieces of a tile, read in the order in which they are asked for: 32 at a time, as if each
// lane read one, which is who a finding names.
class TileReader {
 public:
  TileReader(const MicroOp& op, ExecutionContext& context) : op_(op), context_(context) {}

  template <class Take>  // take(data of a piece, line, piece)
  void read(const SharedTile& tile, unsigned first_line, unsigned lines, unsigned pieces,
            bool k_major, Take take) {
    unsigned waiting = 0;
    std::array<std::array<unsigned, 2>, kLanes> who{};
    const auto flush = [&] {
      fetch(waiting);
      for (unsigned i = 0; i < waiting; ++i) take(data_[i], who[i][0], who[i][1]);
      waiting = 0;
    };
    for (unsigned line = 0; line < lines; ++line) {
      for (unsigned piece = 0; piece < pieces; ++piece) {
        const unsigned piece_line = k_major ? first_line + line : line;
        const unsigned piece_number = k_major ? piece : first_line / 8 + piece;
        offset_[waiting] = tile.piece_at(piece_line, piece_number, k_major);
        who[waiting++] = {line, piece};
        if (waiting == kLanes) flush();
      }
    }
    if (waiting != 0) flush();
  }

 private:
  void fetch(unsigned count) {
    static constexpr std::array<std::byte, kPiece> kZeros{};
    std::uint32_t good = 0;
    for (unsigned i = 0; i < count; ++i) {
      const auto place = place_lane(op_, i, offset_[i], MemorySpace::kShared, false, context_);
      data_[i] = place ? place->data : kZeros.data();
      good |= place ? 1u << i : 0u;
    }
    if (context_.pending != nullptr && context_.pending->any())
      tell_early_read(op_, good, context_, offset_, kPiece);
    if (!context_.observers->wants_operand_reads() || good == 0) return;
    context_.access = {offset_, good, kPiece, MemorySpace::kShared, AccessKind::kLdmatrix};
    context_.point.instruction = op_.instruction;
    context_.observers->on_operand_read(context_.point, context_.access);
  }

  const MicroOp& op_;
  ExecutionContext& context_;
  LaneArray offset_{};
  std::array<const std::byte*, kLanes> data_{};
};

// A and B as numbers: A row by row, B by depth, so that a row of D is a row of vectors.
struct Operands {
  std::vector<double> a, b;
};

void read_a(const WarpgroupProduct& p, const MicroOp& op, const std::byte* registers,
            ExecutionContext& context, std::vector<double>& a) {
  const unsigned per_piece = 8 * kPiece / bits_of_element(p.a);
  if (p.a_in_registers) {
    const MatrixFragment fragment{MatrixRole::kA, kRows, p.k, p.a, 4};
    for (unsigned reg = 0; reg < fragment.registers; ++reg) {
      const std::byte* row = registers + further_row(op, context, p.d_registers() + reg);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const MatrixFragment::Place place = fragment.place_of(lane, reg, 0);
        take_numbers(row + std::size_t{lane} * 4, fragment.per_register(), p.a,
                     &a[place.row * p.k + place.column], 1);
      }
    }
    return;
  }
  std::uint64_t descriptor = 0;
  std::memcpy(&descriptor, registers + op.row[1], sizeof descriptor);
  const SharedTile tile = SharedTile::decode(descriptor);
  const unsigned first = kRows * (context.point.warp % kGroupWarps);
  TileReader reader(op, context);
  if (!p.a_by_columns) {
    reader.read(tile, first, kRows, p.k / per_piece, true,
                [&](const std::byte* data, unsigned line, unsigned piece) {
                  take_numbers(data, per_piece, p.a, &a[line * p.k + piece * per_piece], 1);
                });
    return;
  }
  reader.read(tile, first, p.k, kRows / per_piece, false,
              [&](const std::byte* data, unsigned depth, unsigned piece) {
                take_numbers(data, per_piece, p.a, &a[piece * per_piece * p.k + depth], p.k);
              });
}

void read_b(const WarpgroupProduct& p, const MicroOp& op, const std::byte* registers,
            ExecutionContext& context, std::vector<double>& b) {
  const unsigned per_piece = 8 * kPiece / bits_of_element(p.b);
  std::uint64_t descriptor = 0;
  std::memcpy(&descriptor, registers + op.row[2], sizeof descriptor);
  const SharedTile tile = SharedTile::decode(descriptor);
  TileReader reader(op, context);
  if (!p.b_by_rows) {
    reader.read(tile, 0, p.n, p.k / per_piece, true,
                [&](const std::byte* data, unsigned line, unsigned piece) {
                  take_numbers(data, per_piece, p.b, &b[piece * per_piece * p.n + line], p.n);
                });
    return;
  }
  reader.read(tile, 0, p.k, p.n / per_piece, false,
              [&](const std::byte* data, unsigned depth, unsigned piece) {
                take_numbers(data, per_piece, p.b, &b[depth * p.n + piece * per_piece], 1);
              });
}

template <DataType D>
double value_of(std::uint32_t bits) {
  if constexpr (D == DataType::kF16)
    return static_cast<double>(to_float(Half{static_cast<std::uint16_t>(bits)}));
  if constexpr (D == DataType::kS32) return static_cast<double>(static_cast<std::int32_t>(bits));
  return static_cast<double>(float_of_bits(bits));
}

template <DataType D>
std::uint32_t bits_of(double value, bool clamps) {
  if constexpr (D == DataType::kF16) return to_half(to_float_to_odd(value)).bits;
  if constexpr (D == DataType::kS32) return to_int32(value, clamps);
  return bits_of_float(canonical(static_cast<float>(value)));
}

// visit(the lane's word of D, its element in `sums`, and the one beside it) for each word: of each
// 8 x 8 elements a lane has two neighbours, in two words or, of f16, in one.
template <DataType D, class Visit>
void visit_sums(const WarpgroupProduct& p, const MicroOp& op, std::byte* registers,
                const ExecutionContext& context, double* sums, Visit visit) {
  const auto row_of = [&](unsigned reg) {
    return row_at<std::uint32_t>(registers, further_row(op, context, reg));
  };
  for (unsigned block = 0; block < p.n / 8 * 2; ++block) {
    double* const corner = sums + std::size_t{block % 2 * 8} * p.n + block / 2 * 8;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      double* const at = corner + std::size_t{lane / 4} * p.n + 2 * (lane % 4);
      if constexpr (D == DataType::kF16) {
        visit(row_of(block)[lane], at[0], at[1]);
      } else {
        visit(row_of(2 * block)[lane], at[0], at[0]);
        visit(row_of(2 * block + 1)[lane], at[1], at[1]);
      }
    }
  }
}

template <DataType D>
void load_sums(const WarpgroupProduct& p, const MicroOp& op, std::byte* registers,
               const ExecutionContext& context, double* sums) {
  visit_sums<D>(p, op, registers, context, sums,
                [](std::uint32_t word, double& first, double& second) {
                  if constexpr (D == DataType::kF16) {
                    first = value_of<D>(word & 0xffffu);
                    second = value_of<D>(word >> 16);
                  } else {
                    first = value_of<D>(word);
                  }
                });
}

template <DataType D>
void store_sums(const WarpgroupProduct& p, const MicroOp& op, std::byte* registers,
                const ExecutionContext& context, double* sums) {
  visit_sums<D>(p, op, registers, context, sums,
                [&p](Row32& word, const double& first, const double& second) {
                  word = bits_of<D>(first, p.clamps);
                  if constexpr (D == DataType::kF16) word |= bits_of<D>(second, p.clamps) << 16;
                });
}

// sums += a * b.
void multiply(const WarpgroupProduct& p, const Operands& operands, double* sums) {
  if (p.d != DataType::kS32) {
    add_products(operands.a.data(), kRows, operands.b.data(), p.k, p.n,
                 bits_of_element(p.a) == 8 ? kTensorSumsOf8Bits : kTensorSums, sums);
    return;
  }
  for (unsigned m = 0; m < kRows; ++m) {
    const double* const a = operands.a.data() + std::size_t{m} * p.k;
    double* const sum = sums + std::size_t{m} * p.n;
    for (unsigned k = 0; k < p.k; ++k) {
      const double* const b = operands.b.data() + std::size_t{k} * p.n;
      TILESCOPE_LANES
      for (unsigned n = 0; n < p.n; ++n) sum[n] = std::fma(a[k], b[n], sum[n]);
    }
  }
}

void execute_warpgroup_product(const MicroOp& op, std::byte* registers, std::uint32_t,
                               ExecutionContext& context) {
  const WarpgroupProduct p = WarpgroupProduct::unpack(op.immediate);
  const std::uint64_t group = context.point.warp / kGroupWarps;
  if (context.block_extent.count() < (group + 1) * kGroupWarps * kLanes) {
    report(context, FindingKind::kBarrier, op, 0,
           "a product of a warp group needs four warps, and the block ends before its group does: "
           "launch a multiple of 128 threads");
  }
  thread_local Operands operands;
  thread_local std::vector<double> sums;
  operands.a.resize(std::size_t{kRows} * p.k);
  operands.b.resize(std::size_t{p.k} * p.n);
  sums.assign(std::size_t{kRows} * p.n, 0.0);
  read_a(p, op, registers, context, operands.a);
  read_b(p, op, registers, context, operands.b);
  if (p.a_negated != p.b_negated) {
    for (double& element : operands.a) element = -element;
  }
  const auto take = [&](auto of_f16, auto of_s32, auto of_f32) {
    const auto chosen = p.d == DataType::kF16 ? of_f16 : p.d == DataType::kS32 ? of_s32 : of_f32;
    chosen(p, op, registers, context, sums.data());
  };
  const bool overwrites = (predicate_at(registers, op.row[0]) != 0) == p.overwrites;
  if (!overwrites) {
    take(load_sums<DataType::kF16>, load_sums<DataType::kS32>, load_sums<DataType::kF32>);
  }
  multiply(p, operands, sums.data());
  take(store_sums<DataType::kF16>, store_sums<DataType::kS32>, store_sums<DataType::kF32>);
}

}  // namespace

Executor find_warpgroup(const OperationKey& key) {
  return key.operation == Operation::kWarpgroupProduct ? execute_warpgroup_product : nullptr;
}

}  // namespace tilescope::TILESCOPE_ISA
