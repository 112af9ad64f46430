#include "emulator/execution/async_copies.h"
#include "emulator/execution/lane_access.h"
#include "emulator/executors/families.h"
#include "emulator/executors/float_formats.h"
#include "emulator/executors/integer_sums.h"
#include "emulator/executors/memory_access.h"
#include "emulator/executors/tensor_sum.h"

// ldmatrix, stmatrix, movmatrix and mma.sync (PTX ISA "Matrix multiply-accumulate operation using
// mma instruction"). In every fragment lane l belongs to group g = l / 4 and is number t = l % 4 in
// it. Products of floating-point numbers are summed as the tensor cores do (tensor_sum.h), integers
// exactly.
namespace tilescope::TILESCOPE_ISA {
namespace {

// Element (row, column) of an 8x8 matrix of 16-bit elements lies in lane 4 * row + column / 2.
TILESCOPE_INLINE std::uint16_t element_of(const Row32* row, int r, int c) {
  return static_cast<std::uint16_t>(row[4 * r + c / 2] >> (16 * (c % 2)));
}

struct MatrixRows {
  std::byte* data[kLanes];
  std::uint32_t good = 0;
};

template <AddressForm Form>
MatrixRows find_rows(const MicroOp& op, std::byte* registers, ExecutionContext& context) {
  const std::uint32_t naming = op.extra_count == 4 ? kFullMask : (1u << (8 * op.extra_count)) - 1;
  alignas(64) LaneArray offset;
  load_addresses<Form>(op, registers, naming, offset);
  MatrixRows rows;
  const Target target = target_of(op, offset[0], context);
  if (target.data != nullptr && target.space == MemorySpace::kShared &&
      check_lanes(target, 16, offset)) [[likely]] {
    if (context.sink != nullptr) {
      tell_sink(op, naming, MemorySpace::kShared, op.access, target.shown_base, offset,
                LaneShape::kAny, context);
    }
    if (op.access == AccessKind::kLdmatrix && context.async != nullptr &&
        context.async->pending().any()) {
      tell_early_read(op, naming, context, offset, 16);
    }
    for (std::size_t l = 0; l < kLanes; ++l) rows.data[l] = target.data + offset[l];
    rows.good = naming;
    return rows;
  }
  load_addresses<Form>(op, registers, naming, offset);
  const PlacedLanes placed = place_lanes(op, naming, op.space, op.access, offset, context);
  for (std::size_t l = 0; l < kLanes; ++l) rows.data[l] = placed.data[l];
  rows.good = placed.mask;
  return rows;
}

template <bool Transposed, AddressForm Form>
void execute_load_matrix(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext& context) {
  const MatrixRows rows = find_rows<Form>(op, registers, context);
  for (unsigned matrix = 0; matrix < op.extra_count; ++matrix) {
    std::uint16_t elements[8][8] = {};
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned lane = 8 * matrix + r;
      if (((rows.good >> lane) & 1u) != 0) std::memcpy(elements[r], rows.data[lane], 16);
    }
    alignas(64) Row32 result[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const int g = l / 4;
      const int t = l % 4;
      const std::uint32_t low = Transposed ? elements[2 * t][g] : elements[g][2 * t];
      const std::uint32_t high = Transposed ? elements[2 * t + 1][g] : elements[g][2 * t + 1];
      result[l] = low | (high << 16);
    }
    blend_row(row_at<std::uint32_t>(registers, further_row(op, context, matrix)), result, mask);
  }
}

template <bool Transposed, AddressForm Form>
void execute_store_matrix(const MicroOp& op, std::byte* registers, std::uint32_t,
                          ExecutionContext& context) {
  const MatrixRows rows = find_rows<Form>(op, registers, context);
  for (unsigned matrix = 0; matrix < op.extra_count; ++matrix) {
    const Row32* from = row_at<std::uint32_t>(registers, further_row(op, context, matrix));
    for (int r = 0; r < 8; ++r) {
      std::uint16_t row[8];
      for (int c = 0; c < 8; ++c)
        row[c] = Transposed ? element_of(from, c, r) : element_of(from, r, c);
      const unsigned lane = 8 * matrix + static_cast<unsigned>(r);
      if (((rows.good >> lane) & 1u) != 0) std::memcpy(rows.data[lane], row, 16);
    }
  }
}

void execute_move_matrix(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                         ExecutionContext&) {
  Row32 from[kLanes];
  std::memcpy(from, registers + op.row[1], sizeof from);
  alignas(64) Row32 result[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const int g = l / 4;
    const int t = l % 4;
    result[l] = element_of(from, 2 * t, g) |
                (static_cast<std::uint32_t>(element_of(from, 2 * t + 1, g)) << 16);
  }
  blend_row(row_at<std::uint32_t>(registers, op.row[0]), result, mask);
}

// How elements lie in a lane's registers: Pack of them in each.
struct F16 {
  static constexpr std::size_t kPack = 2;
  static double get(std::uint64_t bits, std::size_t i, bool) {
    return static_cast<double>(to_float(Half{static_cast<std::uint16_t>(bits >> (16 * i))}));
  }
};
struct Bf16 {
  static constexpr std::size_t kPack = 2;
  static double get(std::uint64_t bits, std::size_t i, bool) {
    return static_cast<double>(to_float(Bfloat{static_cast<std::uint16_t>(bits >> (16 * i))}));
  }
};
struct Tf32 {  // the hardware ignores the low 13 bits
  static constexpr std::size_t kPack = 1;
  static double get(std::uint64_t bits, std::size_t, bool) {
    return static_cast<double>(float_of_bits(static_cast<std::uint32_t>(bits) & 0xffffe000u));
  }
};
struct Int8 {
  static constexpr std::size_t kPack = 4;
  static double get(std::uint64_t bits, std::size_t i, bool is_signed_element) {
    const auto byte = static_cast<std::uint8_t>(bits >> (8 * i));
    return is_signed_element ? static_cast<double>(static_cast<std::int8_t>(byte))
                             : static_cast<double>(byte);
  }
};
struct F64 {
  static constexpr std::size_t kPack = 1;
  static double get(std::uint64_t bits, std::size_t, bool) { return std::bit_cast<double>(bits); }
};

template <class T>
TILESCOPE_INLINE std::uint64_t register_at(const std::byte* registers, std::uint32_t row,
                                           std::size_t lane) {
  constexpr std::size_t kBytes = std::is_same_v<T, F64> ? 8 : 4;
  std::uint64_t bits = 0;
  std::memcpy(&bits, registers + row + lane * kBytes, kBytes);
  return bits;
}

// A is M x K: registers go down in steps of 8 rows, then along in steps of 4 * kPack columns.
template <class T, std::size_t M, std::size_t K>
void load_a(const std::byte* registers, const std::uint32_t* rows, bool is_signed_element,
            double (&a)[M][K]) {
  constexpr std::size_t kDown = M / 8;
  for (std::size_t reg = 0; reg < M * K / kLanes / T::kPack; ++reg) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::uint64_t bits = register_at<T>(registers, rows[reg], l);
      const std::size_t row = l / 4 + 8 * (reg % kDown);
      const std::size_t column = l % 4 * T::kPack + 4 * T::kPack * (reg / kDown);
      for (std::size_t i = 0; i < T::kPack; ++i)
        a[row][column + i] = T::get(bits, i, is_signed_element);
    }
  }
}
// B is K x 8: registers go along K.
template <class T, std::size_t K>
void load_b(const std::byte* registers, const std::uint32_t* rows, bool is_signed_element,
            double (&b)[K][8]) {
  for (std::size_t reg = 0; reg < K * 8 / kLanes / T::kPack; ++reg) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::uint64_t bits = register_at<T>(registers, rows[reg], l);
      const std::size_t row = l % 4 * T::kPack + 4 * T::kPack * reg;
      for (std::size_t i = 0; i < T::kPack; ++i)
        b[row + i][l / 4] = T::get(bits, i, is_signed_element);
    }
  }
}

// Accumulators: lane (g, t) holds columns 2t and 2t + 1 of rows g and g + 8.
template <class R, std::size_t M>
void load_c(const std::byte* registers, const std::uint32_t* rows, double (&c)[M][8]) {
  for (std::size_t i = 0; i < M * 8 / kLanes; ++i) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      double& element = c[l / 4 + 8 * (i / 2)][l % 4 * 2 + i % 2];
      if constexpr (std::is_same_v<R, Half>) {
        element = F16::get(register_at<F16>(registers, rows[i / 2], l), i % 2, false);
      } else if constexpr (std::is_same_v<R, float>) {
        element = static_cast<double>(
            float_of_bits(static_cast<std::uint32_t>(register_at<F16>(registers, rows[i], l))));
      } else if constexpr (std::is_same_v<R, std::int32_t>) {
        element =
            static_cast<double>(static_cast<std::int32_t>(register_at<F16>(registers, rows[i], l)));
      } else {
        element = std::bit_cast<double>(register_at<F64>(registers, rows[i], l));
      }
    }
  }
}

template <class R, std::size_t M>
void store_d(const MicroOp& op, std::byte* registers, const std::uint32_t* rows,
             const double (&d)[M][8]) {
  for (std::size_t i = 0; i < M * 8 / kLanes; ++i) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double value = d[l / 4 + 8 * (i / 2)][l % 4 * 2 + i % 2];
      if constexpr (std::is_same_v<R, Half>) {
        const std::uint32_t half = to_half(to_float_to_odd(value)).bits;
        Row32& cell = row_at<std::uint32_t>(registers, rows[i / 2])[l];
        cell = i % 2 == 0 ? half : (cell & 0xffffu) | (half << 16);
      } else if constexpr (std::is_same_v<R, float>) {
        row_at<float>(registers, rows[i])[l] = bits_of_float(canonical(static_cast<float>(value)));
      } else if constexpr (std::is_same_v<R, std::int32_t>) {
        row_at<std::uint32_t>(registers, rows[i])[l] = to_int32(value, (op.flags & 2u) != 0);
      } else {
        row_at<double>(registers, rows[i])[l] = std::bit_cast<std::uint64_t>(value);
      }
    }
  }
}

template <class R, class T, std::size_t M, std::size_t K, bool SignedA>
void execute_mma(const MicroOp& op, std::byte* registers, std::uint32_t,
                 ExecutionContext& context) {
  std::uint32_t rows[24];
  for (unsigned i = 0; i < op.extra_count; ++i) rows[i] = further_row(op, context, i);
  constexpr std::size_t kResults = std::is_same_v<R, Half> ? M * 8 / kLanes / 2 : M * 8 / kLanes;
  constexpr std::size_t kA = M * K / kLanes / T::kPack;
  constexpr std::size_t kB = K * 8 / kLanes / T::kPack;
  alignas(64) double a[M][K];
  alignas(64) double b[K][8];
  alignas(64) double c[M][8];
  load_a<T, M, K>(registers, rows + kResults, SignedA, a);
  load_b<T, K>(registers, rows + kResults + kA, (op.flags & 1u) != 0, b);
  load_c<R, M>(registers, rows + kResults + kA + kB, c);
  if constexpr (!std::is_same_v<T, Int8> && !std::is_same_v<T, F64>) {
    add_products<8>(&a[0][0], M, &b[0][0], K, 8, kTensorSums, &c[0][0]);
  } else {
    for (std::size_t m = 0; m < M; ++m) {
      alignas(64) double sum[8] = {};
      for (std::size_t k = 0; k < K; ++k) {
        const double factor = a[m][k];
        TILESCOPE_LANES
        for (std::size_t n = 0; n < 8; ++n) sum[n] = std::fma(factor, b[k][n], sum[n]);
      }
      for (std::size_t n = 0; n < 8; ++n) c[m][n] += sum[n];
    }
  }
  store_d<R, M>(op, registers, rows, c);
}

template <class R, class T>
Executor of_16_bit(const OperationKey& key) {
  if (key.comparison == Modifier::kM16n8k16) return execute_mma<R, T, 16, 16, true>;
  return key.comparison == Modifier::kM16n8k8 ? execute_mma<R, T, 16, 8, true> : nullptr;
}

template <bool SignedA>
Executor of_integer(const OperationKey& key) {
  if (key.comparison == Modifier::kM16n8k16)
    return execute_mma<std::int32_t, Int8, 16, 16, SignedA>;
  return key.comparison == Modifier::kM16n8k32 ? execute_mma<std::int32_t, Int8, 16, 32, SignedA>
                                               : nullptr;
}

Executor find_mma(const OperationKey& key) {
  const bool f32 = key.type == DataType::kF32;
  switch (key.source_type) {
    case DataType::kF16:
      if (key.type == DataType::kF16) return of_16_bit<Half, F16>(key);
      return f32 ? of_16_bit<float, F16>(key) : nullptr;
    case DataType::kBf16:
      return f32 ? of_16_bit<float, Bf16>(key) : nullptr;
    case DataType::kTf32:
      if (!f32) return nullptr;
      if (key.comparison == Modifier::kM16n8k8) return execute_mma<float, Tf32, 16, 8, true>;
      return key.comparison == Modifier::kM16n8k4 ? execute_mma<float, Tf32, 16, 4, true> : nullptr;
    case DataType::kS8:
      return key.type == DataType::kS32 ? of_integer<true>(key) : nullptr;
    case DataType::kU8:
      return key.type == DataType::kS32 ? of_integer<false>(key) : nullptr;
    case DataType::kF64:
      if (key.type != DataType::kF64) return nullptr;
      if (key.comparison == Modifier::kM8n8k4) return execute_mma<double, F64, 8, 4, true>;
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Executor find_matrix(const OperationKey& key) {
  const bool wide = key.address == AddressForm::kWide;
  switch (key.operation) {
    case Operation::kLoadMatrix:
      if (key.clamp)
        return wide ? execute_load_matrix<true, AddressForm::kWide>
                    : execute_load_matrix<true, AddressForm::kNarrow>;
      return wide ? execute_load_matrix<false, AddressForm::kWide>
                  : execute_load_matrix<false, AddressForm::kNarrow>;
    case Operation::kStoreMatrix:
      if (key.clamp)
        return wide ? execute_store_matrix<true, AddressForm::kWide>
                    : execute_store_matrix<true, AddressForm::kNarrow>;
      return wide ? execute_store_matrix<false, AddressForm::kWide>
                  : execute_store_matrix<false, AddressForm::kNarrow>;
    case Operation::kMoveMatrix:
      return execute_move_matrix;
    case Operation::kMma:
      return find_mma(key);
    default:
      return nullptr;
  }
}

}  // namespace tilescope::TILESCOPE_ISA
