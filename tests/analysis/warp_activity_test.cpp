#include "analysis/time/warp_activity.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "analysis/studied.h"
#include "analysis/time/pipeline.h"

namespace tilescope {
namespace {

using Cycles = std::array<double, kStallCount>;

// An instruction after the other: it waits, is held, and issues.
std::vector<WarpMoment> one_after_another(std::uint32_t count, std::uint32_t waits,
                                          std::uint32_t held) {
  std::vector<WarpMoment> moments;
  std::uint32_t now = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    WarpMoment moment;
    moment.waits_from = now;
    moment.ready = now + waits;
    moment.issue = moment.ready + held;
    moment.done = moment.issue + 1;
    moment.event = i;
    moment.stall = Stall::kWait;
    moment.late = Stall::kLgThrottle;
    moments.push_back(moment);
    now = moment.issue + 1;
  }
  return moments;
}

Cycles shown(const std::vector<WarpSlice>& slices, double cycles_each) {
  Cycles cycles{};
  for (const WarpSlice& slice : slices) {
    if (slice.runs) cycles[static_cast<std::size_t>(slice.stall)] += cycles_each;
  }
  return cycles;
}

TEST(WarpSlices, EachReasonIsShownWhereItIs) {
  const auto slices = warp_slices(one_after_another(1, 4, 3), 0, 1, 10);
  const std::array<Stall, 8> expected = {Stall::kWait,       Stall::kWait,       Stall::kWait,
                                         Stall::kWait,       Stall::kLgThrottle, Stall::kLgThrottle,
                                         Stall::kLgThrottle, Stall::kNone};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(slices[i].runs);
    EXPECT_EQ(slices[i].stall, expected[i]) << i;
    EXPECT_EQ(slices[i].event, 0U);
  }
  EXPECT_FALSE(slices[8].runs);
  EXPECT_FALSE(slices[9].runs);
}

TEST(WarpSlices, WhatIsATenthOfEverySliceIsATenthOfWhatIsShown) {
  const auto moments = one_after_another(1000, 2, 7);  // of ten cycles one issues
  for (const double each : {10.0, 37.0, 100.0}) {
    const auto count = static_cast<std::size_t>(std::ceil(10000 / each));
    const Cycles cycles = shown(warp_slices(moments, 0, each, count), each);
    const double close = (kSliceRun + 1) * each;
    EXPECT_NEAR(cycles[static_cast<std::size_t>(Stall::kNone)], 1000, close) << each;
    EXPECT_NEAR(cycles[static_cast<std::size_t>(Stall::kWait)], 2000, close) << each;
    EXPECT_NEAR(cycles[static_cast<std::size_t>(Stall::kLgThrottle)], 7000, close) << each;
  }
}

// The levels of a raster are what slices of their length show, whatever part of them is asked for.
TEST(WarpRaster, EveryLevelIsThePictureOfItsSlices) {
  auto moments = one_after_another(3000, 2, 7);
  for (std::size_t i = 0; i < moments.size(); i += 7) {
    moments[i].loads_global = true;
    moments[i].done += 40;
  }
  constexpr std::uint32_t kCycles = 30000;
  const WarpRaster raster(moments, kCycles);
  ASSERT_GE(raster.levels.size(), 4U);
  const int last = WarpRaster::kFinest + static_cast<int>(raster.levels.size());
  for (int level = WarpRaster::kFinest; level < last; ++level) {
    const double each = std::exp2(level);
    const auto count = static_cast<std::size_t>(std::ceil(kCycles / each));
    const auto expected = warp_slices(moments, 0, each, count);
    const std::size_t first = count / 3;
    const auto part = raster.slices(moments, level, first, count);  // beyond the end too
    ASSERT_EQ(part.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const WarpSlice none;
      const WarpSlice& wanted = first + i < count ? expected[first + i] : none;
      ASSERT_EQ(part[i].runs, wanted.runs) << level << ' ' << i;
      ASSERT_EQ(part[i].stall, wanted.stall) << level << ' ' << i;
      if (first + i >= count) continue;  // a load may end after the last instruction
      ASSERT_EQ(part[i].loads_global, wanted.loads_global) << level << ' ' << i;
    }
  }
}

class StallsOf : public ::testing::TestWithParam<std::string> {};

// Why a warp that is ready does not issue, which may be another reason each cycle.
constexpr bool is_late(std::size_t stall) {
  const auto why = static_cast<Stall>(stall);
  return why == Stall::kNotSelected || why == Stall::kMathPipeThrottle ||
         why == Stall::kMioThrottle || why == Stall::kLgThrottle;
}

// What the rows of the pipeline view show over the whole time is what the bar below them says; of a
// warp that is ready a row shows the reason that took most of the wait, the bar all of them.
TEST_P(StallsOf, AreWhatTheSlicesShow) {
  const CatalogueEntry& entry = testing::entry(GetParam());
  ParameterSet extents = entry.default_extents;
  for (auto& [name, extent] : extents) extent = name == "K" ? 128 : 256;
  const auto study = testing::studied(GetParam(), {}, extents);
  const auto pipeline = pipeline_of(*study, std::nullopt, {});
  ASSERT_TRUE(pipeline.ok()) << to_string(pipeline.error());
  const WarpTiming& timing = (*pipeline)->timing;
  constexpr std::size_t kSlices = 294;  // of a row of the window at 1920 x 1080
  const double each = timing.cycles / static_cast<double>(kSlices);
  Cycles cycles{};
  for (const auto& moments : (*pipeline)->moments) {
    const Cycles of_warp = shown(warp_slices(moments, 0, each, kSlices), each);
    for (std::size_t i = 0; i < kStallCount; ++i) cycles[i] += of_warp[i];
  }
  const double close = (kSliceRun + 2) * each * static_cast<double>(timing.warps.size());
  double late_of_rows = 0;
  double late_of_bar = 0;
  for (std::size_t i = 0; i < kStallCount; ++i) {
    const double issued = i == 0 ? static_cast<double>(timing.issued) : 0;
    const double of_bar = static_cast<double>(timing.stalled[i]) + issued;
    if (is_late(i)) {
      late_of_rows += cycles[i];
      late_of_bar += of_bar;
    } else {
      EXPECT_NEAR(cycles[i], of_bar, close) << name_of(static_cast<Stall>(i));
    }
  }
  EXPECT_NEAR(late_of_rows, late_of_bar, close);
}

INSTANTIATE_TEST_SUITE_P(Kernels, StallsOf,
                         ::testing::Values("gemm/naive", "gemm/register_tile", "gemm/prefetch",
                                           "gemm/tensor_core", "divergence/trip_counts",
                                           "transpose/naive"));

}  // namespace
}  // namespace tilescope
