// Expressions of a lesson's text: what they may hold, what units and marks come out.
#include "session/lesson_expression.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tilescope {
namespace {

Result<LessonValue> look_up(const LessonQuantity& quantity) {
  static const std::map<std::string, LessonValue> kKnown{
      {"sectors", {.number = 32, .source = Source::kEmulated}},
      {"ideal", {.number = 4, .source = Source::kEmulated}},
      {"PAD", {.number = 1}},
      {"bytes", {.number = 8e6, .unit = Unit::kBytes}},
      {"time",
       {.number = 2e-3, .unit = Unit::kSeconds, .source = Source::kRecorded, .gpu = "NVIDIA H200"}},
      {"old_time",
       {.number = 6e-3, .unit = Unit::kSeconds, .source = Source::kRecorded, .gpu = "GTX 280"}},
      {"modelled",
       {.number = 1e-3, .unit = Unit::kSeconds, .source = Source::kModelled, .gpu = "NVIDIA H200"}},
      {"limit", {.source = Source::kEmulated, .word = "registers"}},
  };
  const auto found = kKnown.find(quantity.name);
  if (found == kKnown.end()) return Error{ErrorCode::kUsage, "no " + quantity.name, "", {}};
  return found->second;
}

std::string error_of(std::string_view text) {
  const auto parsed = LessonExpression::parse(text);
  if (!parsed) return to_string(parsed.error());
  const auto value = parsed->evaluate(look_up);
  return value ? "" : to_string(value.error());
}

std::string written(std::string_view text) {
  const auto parsed = LessonExpression::parse(text);
  if (!parsed) return to_string(parsed.error());
  const auto value = parsed->evaluate(look_up);
  return value ? parsed->written(*value) : to_string(value.error());
}

LessonValue value_of(std::string_view text) {
  const auto parsed = LessonExpression::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  const auto value = parsed->evaluate(look_up);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : LessonValue{};
}

bool holds(std::string_view text) {
  const auto parsed = LessonExpression::parse(text);
  EXPECT_TRUE(parsed && parsed->compares()) << text;
  const auto compared = parsed->compare(look_up);
  EXPECT_TRUE(compared.ok()) << text << ": " << to_string(compared.error());
  return compared && compared->holds;
}

TEST(LessonExpression, ComputesAsInCAndWritesCountsWhole) {
  EXPECT_EQ(written("sectors"), "32");
  EXPECT_EQ(written("2 + 3 * 4 - 10 / 5"), "12");
  EXPECT_EQ(written("(2 + 3) * -4 + 21"), "1");
  EXPECT_EQ(written("1024 * 1024"), "1,048,576");
  EXPECT_EQ(written("min(sectors, 7) + max(PAD, 0.5)"), "8");
  EXPECT_EQ(written("floor(sectors / 5)"), "6");
  EXPECT_EQ(written("mod(sectors, 5) + mod(0 - 1, 8)"), "9");
  EXPECT_NE(error_of("mod(bytes, 8)"), "") << "it has a unit";
  EXPECT_NE(error_of("mod(sectors, 0)"), "");
  EXPECT_EQ(written("sectors / ideal as times"), "8 ×");
  EXPECT_EQ(written("ideal / sectors as percent"), "12 %");
  EXPECT_NE(error_of("time as percent").find("'as percent' is for a ratio"), std::string::npos);
  EXPECT_NE(error_of("limit as times").find("this is 'registers'"), std::string::npos);
  EXPECT_EQ(written("1234567 as about"), "1,200,000");
  EXPECT_EQ(written("limit"), "registers");
}

TEST(LessonExpression, UnitsComeOutOfProductsAndQuotients) {
  EXPECT_EQ(value_of("bytes / time").unit, Unit::kBytesPerSecond);
  EXPECT_EQ(written("bytes / time"), "4.00 GB/s");
  EXPECT_EQ(value_of("time / modelled").unit, Unit::kNone);
  EXPECT_EQ(value_of("(bytes / time) * time").unit, Unit::kBytes);
  EXPECT_EQ(written("time"), "2.00 ms");
  EXPECT_NE(error_of("bytes + time").find("adds B and s"), std::string::npos);
  EXPECT_NE(error_of("bytes * bytes").find("multiplies B and B"), std::string::npos);
  EXPECT_NE(error_of("limit * 2").find("no number"), std::string::npos);
  EXPECT_NE(error_of("sectors / (PAD - 1)").find("divides by zero"), std::string::npos);
}

TEST(LessonExpression, AResultHasTheMarkOfItsLeastCertainPart) {
  EXPECT_EQ(value_of("PAD + 1").source, std::nullopt);
  EXPECT_EQ(value_of("sectors * PAD").source, Source::kEmulated);
  EXPECT_EQ(value_of("time / sectors").source, Source::kRecorded);
  EXPECT_EQ(value_of("time / modelled").source, Source::kModelled);
  EXPECT_EQ(value_of("bytes / time").gpu, "NVIDIA H200");
  EXPECT_NE(error_of("old_time / time").find("against one of NVIDIA H200"), std::string::npos);
}

TEST(LessonExpression, NamesALaunchAndALineOfSource) {
  const auto parsed = LessonExpression::parse(R"(padded.loads("tile[tx][ty]") / loads)");
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->quantities().size(), 2U);
  EXPECT_EQ(parsed->quantities()[0], (LessonQuantity{"padded", "loads", "tile[tx][ty]"}));
  EXPECT_EQ(parsed->quantities()[1], (LessonQuantity{"", "loads", ""}));
}

TEST(LessonExpression, ClaimsCompareNumbersAndWords) {
  EXPECT_TRUE(holds("sectors / ideal >= 8"));
  EXPECT_TRUE(holds("sectors / 3 * 3 == 32")) << "rounding is no difference";
  EXPECT_FALSE(holds("sectors < 32"));
  EXPECT_TRUE(holds("time <= 0.002"));
  EXPECT_TRUE(holds("limit == \"registers\""));
  EXPECT_TRUE(holds("limit != \"threads\""));
  EXPECT_FALSE(LessonExpression::parse("limit >= \"x\"")->compare(look_up).ok());
  EXPECT_FALSE(LessonExpression::parse("bytes > time")->compare(look_up).ok());
}

TEST(LessonExpression, MistakesNameTheirColumn) {
  const auto column = [](std::string_view text) {
    const auto parsed = LessonExpression::parse(text);
    EXPECT_FALSE(parsed.ok()) << text;
    return parsed ? 0 : parsed.error().place.column;
  };
  EXPECT_EQ(column("1 + "), 5);
  EXPECT_EQ(column("(1"), 3);
  EXPECT_EQ(column("1 2"), 3);
  EXPECT_EQ(column("a as loud"), 10);
  EXPECT_EQ(column("f(\"\")"), 5);
  EXPECT_EQ(column("f(\"x"), 4);
  EXPECT_EQ(column("launch."), 8);
  EXPECT_EQ(column(""), 1);
}

TEST(LessonExpression, DeepAndLongOnesAreRefused) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  EXPECT_TRUE(LessonExpression::parse(nested(60)).ok());
  EXPECT_FALSE(LessonExpression::parse(nested(70)).ok());
  EXPECT_FALSE(LessonExpression::parse(std::string(2000, '-') + "1").ok());
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_FALSE(LessonExpression::parse(sum).ok());
}

}  // namespace
}  // namespace tilescope
