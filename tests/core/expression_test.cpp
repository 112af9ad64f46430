#include "core/expression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace tilescope {
namespace {

const ParameterSet kValues = {
    {"TILE", 32}, {"PAD", 1}, {"ZERO", 0}, {"M", 100}, {"BIG", INT64_MAX}};

std::int64_t value_of(const std::string& text) {
  const Result<std::int64_t> value = evaluate_expression(text, kValues);
  EXPECT_TRUE(value.ok()) << text << ": " << to_string(value.error());
  return value.ok() ? *value : std::numeric_limits<std::int64_t>::min();
}

void expect_error(const std::string& text, const std::string& part, int column) {
  const Result<std::int64_t> value = evaluate_expression(text, kValues);
  ASSERT_FALSE(value.ok()) << text << " gives " << *value;
  EXPECT_EQ(value.error().code, ErrorCode::kUsage);
  EXPECT_NE(value.error().message.find(part), std::string::npos) << value.error().message;
  EXPECT_EQ(value.error().place.column, column) << text;
}

TEST(Expression, BindsAsInC) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("20 - 5 - 3"), 12);
  EXPECT_EQ(value_of("16u + 4096UL"), 4112);
  EXPECT_EQ(value_of("1e4 + 2"), 10002);
  EXPECT_EQ(value_of("100 / 7 % 4"), 2);
  EXPECT_EQ(value_of("1 + 1 == 2 && 3 < 4 || 0"), 1);
  EXPECT_EQ(value_of("1 < 2 == 1"), 1);
  EXPECT_EQ(value_of("-2 * -3"), 6);
  EXPECT_EQ(value_of("!0 + !5"), 1);
  EXPECT_EQ(value_of("!1 == 0"), 1);
  EXPECT_EQ(value_of("+4 - -4"), 8);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("1 ? 0 ? 1 : 2 : 3"), 2);
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 3"), -1);
  EXPECT_EQ(value_of("1 << 4 + 1"), 32);
  EXPECT_EQ(value_of("1 << 20 >> 3 < 1"), 0);
  EXPECT_EQ(value_of("-8 >> 1"), -4);
  EXPECT_EQ(value_of("4 >= 4 && 4 <= 4 && 4 != 5 && !(4 > 4)"), 1);
}

TEST(Expression, WorksOnBitsAsInC) {
  EXPECT_EQ(value_of("6 & 3 | 8"), 10);
  EXPECT_EQ(value_of("6 ^ 3 & 1"), 7);
  EXPECT_EQ(value_of("1 | 2 ^ 3"), 1);
  EXPECT_EQ(value_of("6 & 2 == 2"), 0) << "== binds closer";
  EXPECT_EQ(value_of("1 | 0 && 0"), 0);
  EXPECT_EQ(value_of("~0"), -1);
  EXPECT_EQ(value_of("~0x3f & (4 * 82 + 0x3F)"), 384);
  EXPECT_EQ(value_of("0XffULL + 0x0"), 255);
}

TEST(Expression, ShiftsByWhatFits) {
  expect_error("1 << 63", "a shift by", 3);
  expect_error("1 >> -1", "a shift by", 3);
  expect_error("4 << 62", "too large", 3);
}

TEST(Expression, KnowsNamesAndFunctions) {
  EXPECT_EQ(value_of("TILE * (TILE + PAD) * 4"), 4224);
  EXPECT_EQ(value_of("ceil_div(M, TILE)"), 4);
  EXPECT_EQ(value_of("ceil_div(96, 32)"), 3);
  EXPECT_EQ(value_of("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value_of("ceil_div(-7, -2)"), 4);
  EXPECT_EQ(value_of("min(TILE, M) + max(PAD, 5)"), 37);
}

TEST(Expression, LeavesOutWhatItDoesNotNeed) {
  EXPECT_EQ(value_of("ZERO == 0 || M % ZERO == 0"), 1);
  EXPECT_EQ(value_of("ZERO != 0 && M / ZERO"), 0);
  EXPECT_EQ(value_of("ZERO ? M / ZERO : 7"), 7);
}

TEST(Expression, FindsOverflowAndDivisionByZero) {
  expect_error("BIG + 1", "too large", 5);
  expect_error("BIG * 2", "too large", 5);
  expect_error("-BIG - 2", "too large", 6);
  expect_error("(-BIG - 1) / -1", "too large", 12);
  expect_error("(-BIG - 1) % -1", "too large", 12);
  expect_error("-(-BIG - 1)", "too large", 1);
  expect_error("M / ZERO", "division by zero", 3);
  expect_error("M % (TILE - 32)", "division by zero", 3);
  expect_error("ceil_div(M, ZERO)", "division by zero", 1);
}

TEST(Expression, SaysWhereItCannotBeUnderstood) {
  expect_error("", "something is missing", 1);
  expect_error("1 +", "something is missing", 4);
  expect_error("1 2", "unexpected '2'", 3);
  expect_error("(1 + 2", "')' is missing", 7);
  expect_error("1 ? 2", "':' is missing", 6);
  expect_error("min(1)", "',' expected", 6);
  expect_error("sqrt(2)", "there is no function sqrt", 1);
  expect_error("TILE @ 3", "unexpected '@'", 6);
  expect_error("TILE & ", "missing at the end", 8);
  expect_error("0x", "unexpected 'x'", 2);
  expect_error("a = 1", "unexpected '='", 3);
  expect_error("1 + 9223372036854775808", "too large", 5);
  expect_error("TILE_M * 2", "TILE_M has no value", 1);
  expect_error("1.5", "unexpected '.'", 2);
}

TEST(Expression, SurvivesHostileText) {
  EXPECT_FALSE(Expression::parse(std::string(3000, '(')).ok());
  EXPECT_FALSE(Expression::parse(std::string(3000, '-') + "1").ok());
  EXPECT_FALSE(Expression::parse(std::string(100'000, '1')).ok());
  EXPECT_FALSE(Expression::parse(std::string("1\0+1", 4)).ok());
  EXPECT_FALSE(Expression::parse("\xff\xfe").ok());
  std::string choices;
  for (int i = 0; i < 500; ++i) choices += "0?1:";
  EXPECT_FALSE(Expression::parse(choices + "2").ok());  // nested too deeply
  std::string chain = "1";
  for (int i = 0; i < 2000; ++i) chain += "+1";
  EXPECT_EQ(value_of(chain), 2001);  // long, not deep
}

TEST(Expression, ListsItsVariablesOnce) {
  const Result<Expression> expression = Expression::parse("B * A + B - min(A, C)");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->variables(), (std::vector<std::string>{"B", "A", "C"}));
  const std::int64_t values[] = {2, 10, 3};
  EXPECT_EQ(expression->value(values), 2 * 10 + 2 - 3);
}

TEST(Expression, TextWithValuesKeepsOtherNames) {
  const auto expression = Expression::parse("min(i * TILE2, TILE) - PAD + 2");
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->text_with({{"TILE", 32}, {"PAD", -1}, {"min", 7}}),
            "min(i * TILE2, (32)) - (-1) + 2");
}

}  // namespace
}  // namespace tilescope
