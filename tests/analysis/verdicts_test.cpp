#include "analysis/time/verdicts.h"

#include <gtest/gtest.h>

#include "analysis/diagnosed.h"

namespace tilescope {
namespace {

using testing::diagnosed;

std::string words(const Diagnosis& diagnosis) {
  std::string text = diagnosis.limited_by + "\n";
  for (const Verdict& verdict : diagnosis.verdicts) {
    text += std::to_string(verdict.worth) + " " + verdict.fact + " | " + verdict.detail + "\n";
  }
  return text;
}

// The first cause of a kernel, what it says, and that it is worth something.
struct Expected {
  const char* kernel;
  ParameterSet changes;
  Cause cause;
  const char* fact;
  double least_worth;
};

class FirstVerdict : public ::testing::TestWithParam<Expected> {};

TEST_P(FirstVerdict, NamesWhatCostsMost) {
  const Expected& expected = GetParam();
  const Diagnosis diagnosis = diagnosed(expected.kernel, expected.changes);
  ASSERT_FALSE(diagnosis.verdicts.empty()) << diagnosis.limited_by;
  const Verdict& first = diagnosis.verdicts.front();
  EXPECT_EQ(first.cause, expected.cause) << words(diagnosis);
  EXPECT_EQ(first.fact, expected.fact) << words(diagnosis);
  EXPECT_GE(first.worth, expected.least_worth) << words(diagnosis);
  EXPECT_FALSE(first.detail.empty());
  for (std::size_t i = 1; i < diagnosis.verdicts.size(); ++i) {
    EXPECT_LE(diagnosis.verdicts[i].worth, diagnosis.verdicts[i - 1].worth);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, FirstVerdict,
    ::testing::Values(
        Expected{"gemm/naive", {}, Cause::kDataStage, "Each FMA needs 2 wavefronts of loads", 0.15},
        Expected{"gemm/shared_tile",
                 {},
                 Cause::kDataStage,
                 "Each FMA needs 1.6 wavefronts of loads",
                 0.3},
        Expected{"gemm/register_tile",
                 {},
                 Cause::kDataStage,
                 "Only 6.7 FMAs per wavefront of loads",
                 0.1},
        Expected{"transpose/serial", {}, Cause::kTail, "1 block for 132 SMs", 0.9},
        Expected{"transpose/naive",
                 {},
                 Cause::kStorePattern,
                 "32 sectors per request instead of 4",
                 0.7},
        Expected{"transpose/tiled",
                 {{"PAD", 0}},
                 Cause::kBankConflicts,
                 "32 wavefronts per access instead of 1",
                 0.4},
        Expected{"copy/plain", {}, Cause::kShortBlocks, "Each SM starts 496 short blocks", 0.2},
        Expected{"divergence/switch", {}, Cause::kDivergence, "4.7 of 32 lanes are active", 0.8},
        Expected{
            "divergence/trip_counts", {}, Cause::kDivergence, "17.1 of 32 lanes are active", 0.4},
        Expected{
            "histogram/global_atomics", {}, Cause::kAtomics, "65,536 atomics to each address", 0.9},
        Expected{"gemm/tensor_core",
                 {},
                 Cause::kDataStage,
                 "Each MMA needs 1.5 wavefronts of loads",
                 0.15}));

TEST(Verdicts, NothingBigIsLeftNearTheRoof) {
  for (const char* kernel : {"copy/wide", "transpose/tiled", "transpose/swizzled"}) {
    const Diagnosis diagnosis = diagnosed(kernel);
    EXPECT_TRUE(diagnosis.nothing_big()) << kernel << "\n" << words(diagnosis);
    EXPECT_TRUE(diagnosis.limited_by.starts_with("Limited by DRAM bandwidth: 3,"))
        << diagnosis.limited_by;
  }
}

TEST(Verdicts, AModuloThatBecomesFloatsIsNoFlopOfTheKernel) {
  EXPECT_EQ(diagnosed("divergence/switch").work.flop, 0);
}

TEST(Verdicts, ABankConflictHasItsLine) {
  const Diagnosis diagnosis = diagnosed("transpose/tiled", {{"PAD", 0}});
  ASSERT_FALSE(diagnosis.verdicts.empty());
  EXPECT_EQ(diagnosis.verdicts.front().line, 47u);
  EXPECT_EQ(diagnosis.verdicts.front().detail, "line 47 reads shared memory with bank conflicts");
}

TEST(Verdicts, LanesThatLeaveALoopEarlyGoNoWaysOfTheirOwn) {
  const Diagnosis loop = diagnosed("divergence/trip_counts");
  ASSERT_FALSE(loop.verdicts.empty());
  EXPECT_TRUE(loop.verdicts.front().detail.ends_with(
      "runs more iterations for some lanes; finished lanes wait"))
      << loop.verdicts.front().detail;
  const Diagnosis ways = diagnosed("divergence/switch");
  ASSERT_FALSE(ways.verdicts.empty());
  EXPECT_TRUE(ways.verdicts.front().detail.ends_with("its paths run one after another"))
      << ways.verdicts.front().detail;
}

TEST(Verdicts, SayHowMuchOfAKnownTimeTheyExplain) {
  Diagnosis diagnosis;
  diagnosis.bounds.launch = 1e-3;
  diagnosis.rates.own = true;
  EXPECT_EQ(explained(diagnosis, 1.25e-3, Source::kRecorded),
            "The model predicts 1.000 ms (recorded 1.250 ms).");
  EXPECT_EQ(explained(diagnosis, 0.8e-3, Source::kMeasured),
            "The model predicts 1.000 ms (measured 0.800 ms).");
  diagnosis.calibrated = "2026-11-27";
  EXPECT_EQ(explained(diagnosis, 0.8e-3, Source::kMeasured),
            "The model, calibrated 2026-11-27, predicts 1.000 ms (measured 0.800 ms).");
}

// It waits for another block, which the trace of one block does not hold.
TEST(Verdicts, SayNothingOfABlockThatDoesNotEnd) {
  auto study = std::make_shared<KernelStudy>(
      *testing::studied("copy/wide", {}, {{"ROWS", 64}, {"COLS", 64}}));
  ASSERT_TRUE(diagnose(*study).has_value());
  EXPECT_EQ(not_modelled(*study), "");
  auto trace = std::make_shared<BlockTrace>(*study->trace);
  trace->complete = false;
  study->trace = trace;
  EXPECT_FALSE(diagnose(*study).has_value());
  EXPECT_TRUE(not_modelled(*study).starts_with("No time can be modelled: the traced block"));
}

TEST(Verdicts, SayWhatLimitsTheKernel) {
  const Diagnosis diagnosis = diagnosed("copy/wide");
  EXPECT_TRUE(diagnosis.limited_by.starts_with("Limited by DRAM bandwidth: 3,"));
}

TEST(Verdicts, NeedADevice) {
  StudyRequest request;
  const CatalogueEntry& kernel = testing::entry("copy/wide");
  request.instance = *instantiate(kernel, *complete_parameters(kernel, {}),
                                  {{"ROWS", 64}, {"COLS", 64}}, testing::device(90));
  EXPECT_FALSE(diagnose(**study_block(request, {})).has_value());
}

}  // namespace
}  // namespace tilescope
