#include "core/quantity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tilescope {
namespace {

TEST(Format, SeparatesThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(67108864), "67,108,864");
}

TEST(Format, KeepsThreeDigitsAndTheUnit) {
  EXPECT_EQ(format(46.84e12, Unit::kFlopPerSecond), "46.8 TFLOP/s");
  EXPECT_EQ(format(970e9, Unit::kFlopPerSecond), "970 GFLOP/s");
  EXPECT_EQ(format(4140e9, Unit::kBytesPerSecond), "4,140 GB/s");
  EXPECT_EQ(format(0.918e-3, Unit::kSeconds), "0.918 ms");
  EXPECT_EQ(format(12.5, Unit::kPercent), "12.5 %");
  EXPECT_EQ(format(100, Unit::kPercent), "100 %");
  EXPECT_EQ(format(1.98e9, Unit::kHertz), "1,980 MHz");
}

TEST(Format, WritesWholeBytesAndBinaryPrefixes) {
  EXPECT_EQ(format(32, Unit::kBytes), "32 B");
  EXPECT_EQ(format(49152, Unit::kBytes), "48.0 KiB");
}

TEST(Format, TimesOfAColumnShareAUnit) {
  const auto column = [](std::vector<double> times) { return format_times(times); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(column({152e-6, 56.84e-6, 7.94e-6}), (Words{"152.0 µs", "56.8 µs", "7.9 µs"}));
  EXPECT_EQ(column({81.9e-6, 40.96e-6}), (Words{"81.90 µs", "40.96 µs"}));
  EXPECT_EQ(column({0.3e-3, 0.2e-3}), (Words{"0.300 ms", "0.200 ms"}));
  EXPECT_EQ(column({4.2e-3, 50e-6}), (Words{"4,200 µs", "50 µs"}));
  EXPECT_EQ(column({42e-3, 50e-6}), (Words{"42.000 ms", "0.050 ms"}));
  EXPECT_EQ(column({0, std::nan("")}), (Words{"0.00 µs", "–"}));
}

TEST(Format, ATimeThatTheUnitOfItsColumnLeavesNothingHasItsOwn) {
  const auto column = [](std::vector<double> times) { return format_times(times); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(column({783e-3, 40.96e-6}), (Words{"783.0 ms", "40.96 µs"}));
  EXPECT_EQ(column({1.5, 2e-6}), (Words{"1.50 s", "2.00 µs"}));
  EXPECT_EQ(column({0.0000003, 100e-6}), (Words{"300 ns", "100.0 µs"}));
}

TEST(Format, ATimeByItselfHasThreeDigitsAndTheUnitThatFits) {
  EXPECT_EQ(format_time(1.234), "1.23 s");
  EXPECT_EQ(format_time(0.783), "783 ms");
  EXPECT_EQ(format_time(4.2e-3), "4.20 ms");
  EXPECT_EQ(format_time(40.96e-6), "41.0 µs");
  EXPECT_EQ(format_time(0.9999e-3), "1.00 ms");
  EXPECT_EQ(format_time(12e-9), "12.0 ns");
  EXPECT_EQ(format_time(0), "0.00 s");
  EXPECT_EQ(format_time(std::nan("")), "–");
}

TEST(Format, NothingThatIsNotZeroIsWrittenAsZero) {
  EXPECT_EQ(format(12e-9, Unit::kSeconds), "12.0 ns");
  EXPECT_EQ(format(0.0012, Unit::kNone), "0.0012");
  EXPECT_EQ(format(0.0012, Unit::kPercent), "0.0012 %");
  EXPECT_EQ(format(1.5e6, Unit::kBytesPerSecond), "1.50 MB/s");
  EXPECT_EQ(ratio_words(0.0004), "0.0004");
  EXPECT_EQ(about_percent_words(0.00002), "0.002 %");
  EXPECT_EQ(about_percent_words(1e-9), "< 0.001 %");
  EXPECT_EQ(format(0, Unit::kNone), "0.00");
}

TEST(Format, TeraflopsStayTeraflops) {
  EXPECT_EQ(format(1.0712e15, Unit::kFlopPerSecond), "1,071 TFLOP/s");
}

TEST(Ratio, IsWrittenTheSameEverywhere) {
  EXPECT_EQ(times_words(2048), "2,048 ×");
  EXPECT_EQ(times_words(16), "16 ×");
  EXPECT_EQ(times_words(1.98), "2 ×");
  EXPECT_EQ(times_words(6.3), "6.3 ×");
  EXPECT_EQ(times_words(1.66), "1.7 ×");
  EXPECT_EQ(times_words(1.03), "1.03 ×");
  EXPECT_EQ(times_words(1.1), "1.1 ×");
  EXPECT_EQ(times_words(1), "1 ×");
  EXPECT_EQ(ratio_words(0.06), "0.06");
}

TEST(Percent, IsExactWhereItIsCountedAndRoundedWhereItIsNot) {
  EXPECT_EQ(percent_words(0.125), "12.5 %");
  EXPECT_EQ(percent_words(1), "100 %");
  EXPECT_EQ(about_percent_words(0.818), "82 %");
  EXPECT_EQ(about_percent_words(0.0414), "4.1 %");
  EXPECT_EQ(about_percent_words(0.04), "4 %");
  EXPECT_EQ(about_percent_words(0.00216), "0.22 %");
  EXPECT_EQ(about_percent_words(0), "0 %");
}

TEST(Format, NotANumberIsAbsentNotZero) { EXPECT_EQ(format(std::nan(""), Unit::kSeconds), "–"); }

TEST(Source, HasFourMarksOfItsOwn) {
  EXPECT_EQ(marker_of(Source::kMeasured), "●");
  EXPECT_EQ(marker_of(Source::kRecorded), "○");
  EXPECT_EQ(marker_of(Source::kEmulated), "◆");
  EXPECT_EQ(marker_of(Source::kModelled), "◇");
}

TEST(Counted, TakesThePluralUnlessThereIsOne) {
  EXPECT_EQ(counted(std::uint64_t{0}, "sector"), "0 sectors");
  EXPECT_EQ(counted(1, "sector"), "1 sector");
  EXPECT_EQ(counted(1024U, "sector"), "1,024 sectors");
}

}  // namespace
}  // namespace tilescope
