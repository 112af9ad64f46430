// Sums of the tensor cores against those of an H100: operands as words of its registers, along k,
// and what one wgmma made of them. Rounded once, as exact sums are, each would be another.
#include "emulator/executors/tensor_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "emulator/formats/narrow_floats.h"

namespace tilescope {
namespace {

using portable::add_products;
using portable::kTensorSums;
using portable::kTensorSumsOf8Bits;

struct MeasuredSum {
  std::string type;
  std::array<std::uint32_t, 8> a;
  std::array<std::uint32_t, 8> b;
  std::uint32_t before;  // f32 bits of the old sum, and of the new one
  std::uint32_t after;
};

// H100 80GB HBM3, driver 580.159.04, 2026-11-27: wgmma m64n8k16 of f16, m64n8k32 of e4m3 and e5m2.
const std::vector<MeasuredSum> kMeasured = {
    {"f16",
     {0xb8ee3b44, 0xbd3f39e2, 0xb253345c, 0xac71bc1c, 0xa555b582, 0xc39b3bab, 0x3aaeb7bf,
      0x433039f6},
     {0xbe2cb598, 0xc21c206f, 0xa5cf40c5, 0xb8e32baa, 0xb8ea3f9d, 0xb8a53fd3, 0x3ba7bb36,
      0x39883ab0},
     0x3f132e0b,
     0x415a38c0},
    {"f16",
     {0xb00435f8, 0xb1ff3802, 0x3c2331c1, 0x32b03161, 0xb40ec0d4, 0xbdd4b8b5, 0x2f4337c5,
      0x442336b6},
     {0x406f44b0, 0x2f2a4001, 0xbb6b3c2d, 0x39c93ab1, 0x3f7f3e66, 0xc406c417, 0xba3419de,
      0x382c336c},
     0x3f9c110f,
     0x4114ad49},
    {"f16",
     {0xc759a761, 0xc2292a6a, 0xa48949fc, 0x34e7b455, 0xccc4a398, 0xb0a2bec1, 0xd3924c36,
      0xbf4637bf},
     {0xb2f9ccf9, 0xa503a09a, 0x3da72f19, 0xb7ec3cb4, 0xa2bdc557, 0xa66b3867, 0x4a77491b,
      0xaad740d3},
     0x3d182ff1,
     0xc417d29a},
    {"f16",
     {0xbb1ec2c4, 0xa5272044, 0x4594ada5, 0x3d793e8c, 0xd4a02563, 0xca87ab08, 0x3e22aa06,
      0xaed7417c},
     {0x4371cd28, 0xbc21aec5, 0x3d87c61c, 0xac883a91, 0xc40f3b40, 0xb1adcd6d, 0xc0dacd85,
      0x4598bc13},
     0x3e5199e3,
     0x43bafc26},
    {"f16",
     {0x25db44ec, 0x33c94ba1, 0x988c43f8, 0xa205b9a4, 0xc5fe3e34, 0xb7ae4afe, 0x2feac251,
      0x9ebcc7b5},
     {0xa9c5b95f, 0x3a55af15, 0xaa79c550, 0xb8f4d544, 0x346a29cd, 0xc805b15a, 0xa9742af5,
      0xc0d5cba5},
     0x4043bbc4,
     0x431a1c0a},
    {"e4m3",
     {0xc223bdc3, 0x2a424b30, 0xb7b83caf, 0xc5b4a9a2, 0x39aabe92, 0xb92919b0, 0x34323f13,
      0x403ac581},
     {0x2f0d2a35, 0xb747a9b7, 0x812fc0c0, 0xbc12a225, 0x2bbf3b0c, 0xbbc2b0bc, 0x31b128aa,
      0x0cb9bdb8},
     0x3fe2f760,
     0x413d4c00},
    {"e4m3",
     {0xac301bb0, 0x392fbc18, 0x2232a337, 0xbfb4ad2a, 0xbfa23590, 0x383ab82b, 0x1829ad32,
      0xbb2b48b9},
     {0xa5a41aa7, 0x3a3cbc35, 0xb8a995b2, 0xaac630ba, 0x339d29b3, 0xac97ba21, 0x1db83c48,
      0xc8b122c2},
     0xbd4f48b7,
     0x4182e000},
    {"e4m3",
     {0x8103a1c6, 0x6bb2b293, 0xa6a23d97, 0x4f8386c5, 0xb94f09a4, 0x8cad6502, 0x3fb454db,
      0xe9d23129},
     {0x0149dcc2, 0x4f57a994, 0x073168e0, 0xbceb3038, 0xa04a5206, 0x3bf0130c, 0x8229c0e7,
      0x6d1202a9},
     0x3e798e9c,
     0xc5a71000},
    {"e4m3",
     {0x212c8426, 0x47864b92, 0xdec03a6a, 0x08d4ca0a, 0x4f411d98, 0x454b61f2, 0x61839239,
      0x25ee3b99},
     {0xa8be4e21, 0xc2456532, 0x39cf0186, 0xa20a9d33, 0x9b4d3422, 0x9b989b9a, 0xb24edd08,
      0x8719d251},
     0xbc5caa8d,
     0x436dc800},
    {"e5m2",
     {0xb848b14e, 0xc4acca93, 0x4a17aeaf, 0xca2949a1, 0x49a4c429, 0xb91ca696, 0xbbc2b1b6,
      0xa721d826},
     {0xb350351c, 0x25b6c24f, 0xb4cdc42c, 0xadcbd6c8, 0xaab12625, 0xb9c3514f, 0xc0cc54c8,
      0x404b9fad},
     0xc1248b35,
     0xc41f6800},
    {"e5m2",
     {0xa6d431b1, 0x35b525c9, 0xb0afc9c1, 0x42a1384d, 0x45b0294a, 0xc9d0b4bc, 0xd4d72642,
      0x201ab838},
     {0xad34b0bd, 0x5335b6af, 0xca28aa29, 0x29b33d41, 0x5492bc49, 0xce4d462e, 0x3bafa22b,
      0x4e08b53a},
     0x3d17af99,
     0x424b0000},
};

std::vector<double> numbers_of(const MeasuredSum& sum, const std::array<std::uint32_t, 8>& words) {
  const DataType type = sum.type == "f16"    ? DataType::kF16
                        : sum.type == "e4m3" ? DataType::kE4m3
                                             : DataType::kE5m2;
  const unsigned bits = type == DataType::kF16 ? 16 : 8;
  std::vector<double> numbers;
  for (const std::uint32_t word : words) {
    for (unsigned at = 0; at < 32; at += bits) {
      numbers.push_back(decode((word >> at) & ((1U << bits) - 1), float_format(type)));
    }
  }
  return numbers;
}

TEST(TensorSum, IsWhatTheHardwareMakes) {
  for (const MeasuredSum& sum : kMeasured) {
    const std::vector<double> a = numbers_of(sum, sum.a);
    const std::vector<double> b = numbers_of(sum, sum.b);
    const double before = std::bit_cast<float>(sum.before);
    double exact = before;
    for (std::size_t k = 0; k < a.size(); ++k) exact += a[k] * b[k];
    double after = before;
    add_products(a.data(), 1, b.data(), a.size(), 1,
                 sum.type == "f16" ? kTensorSums : kTensorSumsOf8Bits, &after);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(after)), sum.after) << sum.type;
    EXPECT_NE(static_cast<float>(exact), static_cast<float>(after)) << sum.type;
  }
}

TEST(TensorSum, SmallNumbersAreExactAndOthersStayWhatTheyAre) {
  const std::vector<double> a = {1, 2, -3, 0};
  const std::vector<double> b = {4, 0, 5, 0, -6, 0, 7, 0};  // two columns
  std::array<double, 2> sums = {0.5, 0};
  add_products(a.data(), 1, b.data(), 4, 2, kTensorSums, sums.data());
  EXPECT_EQ(sums[0], 0.5 + 4 + 10 + 18);
  EXPECT_EQ(sums[1], 0);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> wild = {infinite, 0, 1, 1};
  sums = {1, 1};
  add_products(wild.data(), 1, b.data(), 4, 2, kTensorSums, sums.data());
  EXPECT_EQ(sums[0], infinite);
  EXPECT_NE(sums[1], sums[1]) << "infinity times 0";
}

// Many rows and columns at once are each what they are alone, also beside what is not finite.
TEST(TensorSum, OfAMatrixIsThatOfEachElement) {
  constexpr std::size_t kRows = 40;
  constexpr std::size_t kDepth = 16;
  for (const std::size_t columns : {8u, 24u, 256u}) {
    std::vector<double> a(kRows * kDepth);
    std::vector<double> b(kDepth * columns);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = std::ldexp(static_cast<double>(i * 37 % 101) - 50, static_cast<int>(i % 13));
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = std::ldexp(static_cast<double>(i * 53 % 89) - 44, static_cast<int>(i % 7));
    a[5 * kDepth + 3] = std::numeric_limits<double>::infinity();
    b[2 * columns + 1] = std::numeric_limits<double>::quiet_NaN();
    std::fill_n(a.begin() + 7 * kDepth, kDepth, 0.0);
    std::vector<double> together(kRows * columns, 1.5);
    add_products<0>(a.data(), kRows, b.data(), kDepth, columns, kTensorSums, together.data());
    std::vector<double> by_eight(kRows * columns, 1.5);
    if (columns == 8) {
      add_products<8>(a.data(), kRows, b.data(), kDepth, columns, kTensorSums, by_eight.data());
    }
    for (std::size_t m = 0; m < kRows; ++m) {
      for (std::size_t n = 0; n < columns; ++n) {
        std::vector<double> column(kDepth);
        for (std::size_t k = 0; k < kDepth; ++k) column[k] = b[k * columns + n];
        double alone = 1.5;
        add_products(&a[m * kDepth], 1, column.data(), kDepth, 1, kTensorSums, &alone);
        const std::size_t place = m * columns + n;
        const bool same =
            together[place] == alone || (alone != alone && together[place] != together[place]);
        ASSERT_TRUE(same) << m << ", " << n << " of " << columns;
        if (columns == 8 && alone == alone) {
          ASSERT_EQ(by_eight[place], alone) << m << ", " << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
