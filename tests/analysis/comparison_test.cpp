#include "analysis/compare/comparison.h"

#include <algorithm>

#include "analysis/compared.h"
#include "analysis/study/moment.h"

namespace tilescope {
namespace {

using testing::compared;
using testing::Compared;

const ParameterSet kSquare = {{"ROWS", 2048}, {"COLS", 2048}};

Quantity recorded(double seconds) { return {seconds, Unit::kSeconds, Source::kRecorded}; }

class Transposes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    naive_ = new Compared(compared("transpose/naive", {}, kSquare));
    plain_ = new Compared(compared("transpose/tiled", {{"PAD", 0}}, kSquare));
    padded_ = new Compared(compared("transpose/tiled", {{"PAD", 1}}, kSquare));
  }
  static void TearDownTestSuite() {
    delete naive_;
    delete plain_;
    delete padded_;
  }
  [[nodiscard]] static Comparison all() {
    return compare(std::vector{naive_->kernel(), plain_->kernel(), padded_->kernel()});
  }
  [[nodiscard]] static const MetricRow* row(const Comparison& comparison, const std::string& name) {
    for (const MetricRow& each : comparison.rows) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
  static Compared* naive_;
  static Compared* plain_;
  static Compared* padded_;
};
Compared* Transposes::naive_ = nullptr;
Compared* Transposes::plain_ = nullptr;
Compared* Transposes::padded_ = nullptr;

TEST_F(Transposes, TheTableHoldsWhatTheyAskOfMemory) {
  const Comparison comparison = all();
  const auto expect = [&](const char* name, std::vector<std::optional<double>> values) {
    const MetricRow* found = row(comparison, name);
    ASSERT_NE(found, nullptr) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(found->values[i].has_value(), values[i].has_value()) << name << i;
      if (values[i]) {
        EXPECT_NEAR(found->values[i]->value, *values[i], 1e-9) << name << i;
      }
    }
  };
  expect("store sectors per request", {32, 4, 4});
  expect("load sectors per request", {4, 4, 4});
  expect("shared load wavefronts", {std::nullopt, 32, 1});
  expect("shared store wavefronts", {std::nullopt, 1, 1});
  expect("PAD", {std::nullopt, 0, 1});
  EXPECT_NE(row(comparison, "global load wavefronts"), nullptr);
  expect("shared memory per block", {0, 4096, 4224});
  EXPECT_EQ(row(comparison, "TILE"), nullptr) << "those that have it have the same";
  EXPECT_EQ(comparison.rows.back().name, "LANES_DOWN") << "of one alone: at the end";
  EXPECT_EQ(row(comparison, "time"), nullptr) << "nothing is measured or recorded";
  EXPECT_EQ(row(comparison, "modelled time")->values[0]->source, Source::kModelled);
  EXPECT_EQ(row(comparison, "throughput")->values[0]->unit, Unit::kBytesPerSecond);
}

TEST_F(Transposes, AWiderAccessIsNotAWorseOne) {
  const Compared wide = compared("transpose/swizzled", {}, kSquare);
  const Comparison comparison = compare(std::vector{plain_->kernel(), wide.kernel()});
  const MetricRow& loads = *row(comparison, "load sectors per request");
  EXPECT_GT(loads.values[1]->value, loads.values[0]->value);
  EXPECT_EQ(loads.better, Better::kNeither);
  EXPECT_EQ(row(all(), "store sectors per request")->better, Better::kLess);
}

TEST_F(Transposes, ParametersThatAreEqualHaveNoRow) {
  const Comparison comparison = compare(std::vector{plain_->kernel(), padded_->kernel()});
  EXPECT_NE(row(comparison, "PAD"), nullptr);
  EXPECT_EQ(row(comparison, "TILE"), nullptr);
}

TEST_F(Transposes, TheConflictIsTheFirstReasonAndNamesItsLine) {
  const PairComparison pair = all().pairs[1][2];
  ASSERT_EQ(pair.comparable, Comparable::kYes);
  EXPECT_GT(pair.speedup, 1.1);
  ASSERT_FALSE(pair.differences.empty());
  const Difference& first = pair.differences.front();
  EXPECT_EQ(first.part, Part::kShared);
  EXPECT_TRUE(first.fact.ends_with("of the shared load wavefronts")) << first.fact;
  EXPECT_TRUE(first.detail.starts_with("a 32-way conflict at line ")) << first.detail;
  EXPECT_TRUE(first.in_base);
  EXPECT_GT(first.factor, 1.1);
  EXPECT_NE(std::ranges::find(pair.equal, Part::kStores), pair.equal.end());
}

TEST_F(Transposes, TheOtherWayRoundTheSameLineIsTheOthers) {
  const PairComparison pair = all().pairs[2][1];
  const Difference& first = pair.differences.front();
  EXPECT_LT(pair.speedup, 0.9);
  EXPECT_EQ(first.part, Part::kShared);
  EXPECT_FALSE(first.in_base);
  EXPECT_LT(first.factor, 0.9);
  EXPECT_TRUE(first.fact.ends_with("× the shared load wavefronts")) << first.fact;
}

TEST_F(Transposes, SharesMultiplyToTheModelsRatio) {
  for (const auto& [base, other] :
       {std::pair{naive_, padded_}, std::pair{plain_, padded_}, std::pair{padded_, naive_}}) {
    const auto factors =
        time_shares(base->diagnosis->work, other->diagnosis->work, base->diagnosis->rates);
    double product = 1;
    for (const double factor : factors) product *= factor;
    EXPECT_NEAR(product, base->diagnosis->bounds.total() / other->diagnosis->bounds.total(), 1e-9);
  }
}

TEST_F(Transposes, KnownTimesTakeThePlaceOfTheModelWhereAllHaveThem) {
  Compared naive = *naive_;
  Compared padded = *padded_;
  naive.known = recorded(3e-3);
  const Comparison one = compare(std::vector{naive.kernel(), padded.kernel()});
  EXPECT_TRUE(one.modelled);
  EXPECT_EQ(one.pairs[0][1].source, Source::kModelled);
  padded.known = recorded(1e-3);
  const Comparison both = compare(std::vector{naive.kernel(), padded.kernel()});
  EXPECT_FALSE(both.modelled);
  EXPECT_EQ(both.pairs[0][1].source, Source::kRecorded);
  EXPECT_DOUBLE_EQ(both.pairs[0][1].speedup, 3);
  EXPECT_DOUBLE_EQ(row(both, "time")->values[1]->value, 1e-3);
}

// What was measured on one GPU says nothing of what was measured on another, or with another
// driver, or of a product with other factors.
TEST_F(Transposes, KnownTimesOfUnlikeConditionsFormNoRatio) {
  Compared naive = *naive_;
  Compared padded = *padded_;
  naive.known = recorded(3e-3);
  padded.known = recorded(1e-3);
  naive.under = {"NVIDIA H200", "580.159.04"};
  for (const Conditions& other :
       {Conditions{"NVIDIA H100 80GB HBM3", "580.159.04"}, Conditions{"NVIDIA H200", "590.1"},
        Conditions{"NVIDIA H200", "580.159.04", true, {{"beta", 1}}}}) {
    padded.under = other;
    const Comparison both = compare(std::vector{naive.kernel(), padded.kernel()});
    EXPECT_TRUE(both.modelled);
    EXPECT_EQ(both.pairs[0][1].source, Source::kModelled);
    EXPECT_DOUBLE_EQ(both.pairs[0][1].speedup, both.pairs[0][1].modelled_speedup);
    EXPECT_EQ(row(both, "throughput")->values[0]->source, Source::kModelled);
    const MetricRow& times = *row(both, "time");
    EXPECT_DOUBLE_EQ(times.values[1]->value, 1e-3) << "it is shown";
    EXPECT_FALSE(times.are_alike(0, 1)) << "and held against nothing";
  }
  padded.under = naive.under;
  EXPECT_FALSE(compare(std::vector{naive.kernel(), padded.kernel()}).modelled);
}

// On a GPU of its own row they are set against one another, and nothing else is.
TEST_F(Transposes, TimesOfAnotherGpuAreARowOfTheirOwn) {
  const Conditions h200{"NVIDIA H200", "580.159.04"};
  Compared naive = *naive_;
  Compared padded = *padded_;
  padded.known = recorded(1e-3);
  padded.under = {"NVIDIA H100", "580.159.04"};
  naive.elsewhere = {{h200, recorded(4e-3)}};
  padded.elsewhere = {{h200, recorded(2e-3)}};
  const Comparison both = compare(std::vector{naive.kernel(), padded.kernel()});
  EXPECT_TRUE(both.modelled);
  const MetricRow* there = row(both, "time, H200");
  ASSERT_NE(there, nullptr);
  EXPECT_DOUBLE_EQ(there->values[0]->value, 4e-3);
  EXPECT_DOUBLE_EQ(there->values[1]->value, 2e-3);
  EXPECT_TRUE(there->are_alike(0, 1));
  EXPECT_FALSE(row(both, "time")->values[0]);
  padded.elsewhere = {{{"NVIDIA H200", "590.1"}, recorded(2e-3)}};
  EXPECT_FALSE(row(compare(std::vector{naive.kernel(), padded.kernel()}), "time, H200")->values[1]);
}

TEST_F(Transposes, AnotherSizeComparesRatesAlone) {
  const Compared small = compared("transpose/tiled", {}, {{"ROWS", 1024}, {"COLS", 1024}});
  const PairComparison pair = compare(std::vector{padded_->kernel(), small.kernel()}).pairs[0][1];
  EXPECT_EQ(pair.comparable, Comparable::kOtherSize);
  EXPECT_TRUE(pair.differences.empty());
  EXPECT_NEAR(pair.speedup,
              padded_->diagnosis->bounds.total() / small.diagnosis->bounds.total() / 4, 1e-9);
}

TEST_F(Transposes, AnotherProblemDoesNotCompare) {
  const Compared gemm = compared("gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 64}});
  const PairComparison pair = compare(std::vector{padded_->kernel(), gemm.kernel()}).pairs[0][1];
  EXPECT_EQ(pair.comparable, Comparable::kOtherProblem);
  EXPECT_EQ(pair.speedup, 0);
}

TEST_F(Transposes, AKernelThatIsNotThereIsUnknown) {
  const Comparison comparison = compare(std::vector{padded_->kernel(), ComparedKernel{}});
  EXPECT_EQ(comparison.pairs[0][1].comparable, Comparable::kUnknown);
  EXPECT_FALSE(row(comparison, "throughput")->values[1].has_value());
}

TEST(SameShare, StandsAtTheSameTileOfAnotherKernel) {
  const ParameterSet size = {{"M", 256}, {"N", 256}, {"K", 256}};
  const Compared wide = compared("gemm/register_tile", {{"TILE_K", 16}}, size);
  const Compared narrow = compared("gemm/shared_tile", {}, size);
  const auto& from = wide.study->timeline->step_begin;
  const auto& to = narrow.study->timeline->step_begin;
  ASSERT_GT(from.size(), 4U);
  ASSERT_GT(to.size(), 4U);
  for (const std::size_t step : {std::size_t{0}, from.size() / 2}) {
    const std::uint32_t there = same_share(*wide.study, from[step], *narrow.study, 0);
    EXPECT_EQ(narrow.study->timeline->step_at(there), step * to.size() / from.size()) << step;
  }
  const auto last = static_cast<std::uint32_t>(wide.study->trace->events.size()) - 1;
  EXPECT_EQ(narrow.study->timeline->step_at(same_share(*wide.study, last, *narrow.study, 0)),
            to.size() - 1);
}

TEST(SameShare, WithoutALoopItIsTheShareOfTheTrace) {
  const Compared naive = compared("transpose/naive", {}, kSquare);
  const Compared tiled = compared("transpose/tiled", {}, kSquare);
  const auto events = static_cast<std::uint32_t>(naive.study->trace->events.size());
  const auto others = static_cast<std::uint32_t>(tiled.study->trace->events.size());
  EXPECT_EQ(same_share(*naive.study, 0, *tiled.study, 0), 0U);
  EXPECT_NEAR(same_share(*naive.study, events / 2, *tiled.study, 0), others / 2, 2);
}

TEST(AmountWords, SayLessMoreSameAndNone) {
  EXPECT_EQ(amount_words(32, 1, "shared wavefronts"), "1/32 of the shared wavefronts");
  EXPECT_EQ(amount_words(1, 4, "shared wavefronts"), "4 × the shared wavefronts");
  EXPECT_EQ(amount_words(33, 2, "shared wavefronts"), "1/16 of the shared wavefronts");
  EXPECT_EQ(amount_words(100, 37, "DRAM bytes"), "37 % of the DRAM bytes");
  EXPECT_EQ(amount_words(100, 107, "instructions"), "7 % more instructions");
  EXPECT_EQ(amount_words(100, 140, "instructions"), "1.4 × the instructions");
  EXPECT_EQ(amount_words(100, 101, "instructions"), "the same instructions");
  EXPECT_EQ(amount_words(5, 0, "shared wavefronts"), "none of the shared wavefronts");
  EXPECT_EQ(amount_words(0, 2048, "shared wavefronts"), "2,048 shared wavefronts");
  EXPECT_EQ(amount_words(0, 0, "shared wavefronts"), "no shared wavefronts");
}

TEST(RatioWords, AreAsShortAsTheyAreTrue) {
  EXPECT_EQ(ratio_words(32), "32");
  EXPECT_EQ(ratio_words(1.49), "1.5");
  EXPECT_EQ(ratio_words(3.98), "4");
  EXPECT_EQ(ratio_words(1234.4), "1,234");
}

TEST(LeadWords, ArePerCentWhereAFactorWouldRoundToOne) {
  EXPECT_EQ(lead_words(1.5), "1.5 ×");
  EXPECT_EQ(lead_words(1.1), "1.1 ×");
  EXPECT_EQ(lead_words(1.09), "9 %");
  EXPECT_EQ(lead_words(1.021), "2.1 %");
}

}  // namespace
}  // namespace tilescope
