#include "runtime/libraries/matrix_product.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace tilescope::runtime::blas {

std::size_t size_of(Type type) {
  switch (type) {
    case Type::kF64:
      return 8;
    case Type::kF16:
    case Type::kBf16:
      return 2;
    case Type::kI8:
      return 1;
    default:
      return 4;
  }
}
bool is_known(Type type) {
  return type == Type::kF32 || type == Type::kF64 || type == Type::kF16 || type == Type::kBf16 ||
         type == Type::kI8 || type == Type::kI32;
}

namespace {

float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const float sign = (bits >> 15) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}
// To nearest even.
std::uint16_t to_half(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  if (std::isnan(value)) return 0x7fff;
  const float magnitude = std::abs(value);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 6.103515625e-05F)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  int exponent = 0;
  const float fraction = std::frexp(magnitude, &exponent);  // [0.5, 1)
  auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(fraction, 11)));
  if (mantissa == 2048) {
    mantissa = 1024;
    ++exponent;
  }
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | (mantissa - 1024));
}
float from_bfloat16(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}
std::uint16_t to_bfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

double load(const void* from, std::size_t index, Type type) {
  switch (type) {
    case Type::kF64:
      return static_cast<const double*>(from)[index];
    case Type::kF16:
      return static_cast<double>(from_half(static_cast<const std::uint16_t*>(from)[index]));
    case Type::kBf16:
      return static_cast<double>(from_bfloat16(static_cast<const std::uint16_t*>(from)[index]));
    case Type::kI8:
      return static_cast<const std::int8_t*>(from)[index];
    case Type::kI32:
      return static_cast<const std::int32_t*>(from)[index];
    default:
      return static_cast<double>(static_cast<const float*>(from)[index]);
  }
}
void store(void* to, std::size_t index, Type type, double value) {
  switch (type) {
    case Type::kF64:
      static_cast<double*>(to)[index] = value;
      break;
    case Type::kF16:
      static_cast<std::uint16_t*>(to)[index] = to_half(static_cast<float>(value));
      break;
    case Type::kBf16:
      static_cast<std::uint16_t*>(to)[index] = to_bfloat16(static_cast<float>(value));
      break;
    case Type::kI8:
      static_cast<std::int8_t*>(to)[index] = static_cast<std::int8_t>(value);
      break;
    case Type::kI32:
      static_cast<std::int32_t*>(to)[index] = static_cast<std::int32_t>(value);
      break;
    default:
      static_cast<float*>(to)[index] = static_cast<float>(value);
      break;
  }
}

namespace {

template <class F>
void in_parallel(std::size_t count, F f) {
  const std::size_t threads =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  std::vector<std::thread> workers;
  for (std::size_t t = 1; t < threads; ++t)
    workers.emplace_back([&, t] { f(count * t / threads, count * (t + 1) / threads); });
  f(0, count / std::max<std::size_t>(threads, 1));
  for (std::thread& worker : workers) worker.join();
}

// `columns` columns of A B, A with m rows (column by column, packed), B packed by column.
template <class T>
[[gnu::always_inline]] inline void add_products(const T* a, const T* b, T* sums, std::size_t m,
                                                std::size_t k, std::size_t columns) {
  constexpr std::size_t kRows = 512;
  for (std::size_t i0 = 0; i0 < m; i0 += kRows) {
    const std::size_t rows = std::min(kRows, m - i0);
    for (std::size_t j = 0; j < columns; ++j) {
      T* sum = sums + j * m + i0;
      for (std::size_t p = 0; p < k; ++p) {
        const T factor = b[j * k + p];
        const T* column = a + p * m + i0;
        for (std::size_t i = 0; i < rows; ++i) sum[i] += column[i] * factor;
      }
    }
  }
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_MACHINE
#endif
FOR_EACH_MACHINE void multiply(const float* a, const float* b, float* sums, std::size_t m,
                               std::size_t k, std::size_t columns) {
  add_products(a, b, sums, m, k, columns);
}
FOR_EACH_MACHINE void multiply(const double* a, const double* b, double* sums, std::size_t m,
                               std::size_t k, std::size_t columns) {
  add_products(a, b, sums, m, k, columns);
}

// C = alpha op(A) op(B) + beta C, sums in T.
template <class T>
void product_in(const Matrix& a, const Matrix& b, void* c, Type c_type, std::size_t leading,
                double alpha, double beta) {
  const std::size_t m = a.rows;
  const std::size_t n = b.columns;
  const std::size_t k = a.columns;
  std::vector<T> packed_a(m * k);
  in_parallel(k, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p)
      for (std::size_t i = 0; i < m; ++i) packed_a[p * m + i] = static_cast<T>(a.at(i, p));
  });
  in_parallel(n, [&](std::size_t first, std::size_t last) {
    constexpr std::size_t kColumns = 8;
    std::vector<T> packed_b(kColumns * k);
    std::vector<T> sums(kColumns * m);
    for (std::size_t j0 = first; j0 < last; j0 += kColumns) {
      const std::size_t columns = std::min(kColumns, last - j0);
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t p = 0; p < k; ++p) packed_b[j * k + p] = static_cast<T>(b.at(p, j0 + j));
      std::fill(sums.begin(), sums.end(), T{});
      multiply(packed_a.data(), packed_b.data(), sums.data(), m, k, columns);
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < m; ++i) {
          const std::size_t at = i + (j0 + j) * leading;
          const double before = beta == 0 ? 0 : beta * load(c, at, c_type);
          store(c, at, c_type, alpha * static_cast<double>(sums[j * m + i]) + before);
        }
      }
    }
  });
}

}  // namespace

void product(const Matrix& a, const Matrix& b, void* c, Type c_type, std::size_t leading,
             double alpha, double beta, bool wide) {
  if (wide) {
    product_in<double>(a, b, c, c_type, leading, alpha, beta);
  } else {
    product_in<float>(a, b, c, c_type, leading, alpha, beta);
  }
}

}  // namespace tilescope::runtime::blas
