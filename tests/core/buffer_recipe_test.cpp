#include "core/buffer_recipe.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "temporary_folder.h"

namespace tilescope {
namespace {

template <typename T>
std::vector<T> made(std::string_view spec) {
  const auto parsed = parse_argument_spec(spec);
  EXPECT_TRUE(parsed.ok()) << spec;
  std::vector<T> values(parsed->buffer.count);
  EXPECT_TRUE(fill_buffer(parsed->buffer, std::as_writable_bytes(std::span(values))).ok());
  return values;
}

TEST(BufferRecipe, IotaCountsAndWraps) {
  EXPECT_EQ(made<float>("f32[3]=iota"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(made<std::uint8_t>("u8[257]=iota")[256], 0);
}

TEST(BufferRecipe, RampRunsFromZeroToBelowOne) {
  EXPECT_EQ(made<float>("f32[4]=ramp"), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
}

TEST(BufferRecipe, RandomDependsOnSeedAndIndexAlone) {
  const auto longer = made<float>("f32[1000]=random:7");
  const auto shorter = made<float>("f32[10]=random:7");
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  EXPECT_NE(made<float>("f32[10]=random:8"), shorter);
  double sum = 0;
  for (const float value : longer) {
    EXPECT_GE(value, -1.0f);
    EXPECT_LT(value, 1.0f);
    sum += static_cast<double>(value);
  }
  EXPECT_LT(std::abs(sum / 1000), 0.1);
}

TEST(BufferRecipe, AnExpressionSaysWhatElementsHold) {
  EXPECT_EQ(made<std::int32_t>("i32[6]=i*2%6"), (std::vector<std::int32_t>{0, 2, 4, 0, 2, 4}));
  EXPECT_EQ(made<float>("f32[3]=1-i"), (std::vector<float>{1, 0, -1}));
  EXPECT_EQ(made<std::uint8_t>("u8[2]=i+255"), (std::vector<std::uint8_t>{255, 0}));
  const auto random = made<std::int32_t>("i32[1000]=random % 10 * 3");
  std::set<std::int32_t> seen(random.begin(), random.end());
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(*seen.rbegin(), 27);
}

TEST(BufferRecipe, AnExpressionNamesTheElementsPlaceAndChanceAlone) {
  for (const char* text : {"i32[4]=n*2", "i32[4]=blue", "i32[4]=i*", "i32[4]=i+j"}) {
    const auto parsed = parse_argument_spec(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().message.find("unknown contents"), std::string::npos) << text;
  }
}

TEST(BufferRecipe, AnElementWithoutAValueFails) {
  const auto parsed = parse_argument_spec("i32[4]=8/(i-2)");
  ASSERT_TRUE(parsed.ok());
  std::vector<std::byte> bytes(16);
  const Status filled = fill_buffer(parsed->buffer, bytes);
  ASSERT_FALSE(filled.ok());
  EXPECT_NE(filled.error().message.find("division by zero"), std::string::npos);
}

TEST(BufferRecipe, FileMustHaveTheExactSize) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("buffer.bin", "12345678");
  EXPECT_EQ(made<std::uint32_t>("u32[2]=@" + path.string())[0], 0x34333231u);
  const auto wrong = parse_argument_spec("u32[3]=@" + path.string());
  std::vector<std::byte> bytes(12);
  const Status status = fill_buffer(wrong->buffer, bytes);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("8 bytes"), std::string::npos);
}

TEST(ArgumentSpec, ScalarsKeepTheirBits) {
  EXPECT_EQ(parse_argument_spec("i32:-1")->bits, 0xffffffffu);
  EXPECT_EQ(parse_argument_spec("f32:1.5")->bits, std::bit_cast<std::uint32_t>(1.5f));
  EXPECT_EQ(parse_argument_spec("f64:-2")->bits, std::bit_cast<std::uint64_t>(-2.0));
  EXPECT_EQ(parse_argument_spec("f16:1")->bits, 0x3c00u);
}

TEST(ArgumentSpec, MistakesNameThemselves) {
  for (const char* text : {"", "i32", "i32:x", "i32:3000000000", "u8:-1", "q8:1", "f32[]", "f32[0]",
                           "f32[-1]", "f32[4]=sevens", "f32[4]zero", "f32[99999999999999999999]",
                           "f32[4]=random:x", "f32[4]=@", "f32[4"}) {
    const auto parsed = parse_argument_spec(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
  }
}

TEST(Half, RoundsToNearestEvenAndBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_half(half);
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_half(value), half) << bits;
  }
  EXPECT_EQ(to_half(65519.0f), 0x7bff);
  EXPECT_EQ(to_half(65520.0f), 0x7c00);
  EXPECT_EQ(to_half(1.0f + 0x1p-11f), 0x3c00);      // tie to even
  EXPECT_EQ(to_half(1.0f + 3 * 0x1p-11f), 0x3c02);  // tie to even, upwards
  EXPECT_EQ(to_half(0x1p-25f), 0);                  // tie to even at the bottom
  EXPECT_EQ(to_bfloat16(1.0f + 0x1p-8f), 0x3f80);
}

}  // namespace
}  // namespace tilescope
