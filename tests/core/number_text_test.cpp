#include "core/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tilescope {
namespace {

TEST(NumberText, IsANumberOnlyAsAWhole) {
  EXPECT_EQ(parse_number<std::int64_t>("-42"), -42);
  EXPECT_EQ(parse_number<double>("1e-3"), 0.001);
  for (const char* text : {"", " 4", "4 ", "+4", "0x4", "4.5", "4k"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
}

TEST(NumberText, FitsIntoItsType) {
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(NumberText, IsReadToBase16) {
  EXPECT_EQ(parse_hexadecimal<std::uint32_t>("fFfFfFfF"), 0xffffffffu);
  EXPECT_EQ(parse_hexadecimal<std::uint32_t>("100000000"), std::nullopt);
  EXPECT_EQ(parse_hexadecimal<std::uint32_t>("0xff"), std::nullopt);
}

}  // namespace
}  // namespace tilescope
