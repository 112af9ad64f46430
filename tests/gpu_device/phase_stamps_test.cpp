// An instrumented build stamps the clock of one block.
#include "kernel/launch/phase_stamps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "device_fixture.h"

namespace tilescope {
namespace {

class Stamping : public OnDevice {};

TEST_F(Stamping, EveryWarpOfTheBlockComesToItsMarksInOrder) {
  RunRequest request = catalogue_request("gemm/register_tile", {}, "512x512x256");
  const auto stamped = with_phase_stamps(request.instance, {1, 1, 0});
  ASSERT_TRUE(stamped);
  const auto compiled = compile({*stamped, device().compute_capability, true}, {});
  ASSERT_TRUE(compiled) << to_string(compiled.error());
  request.compiled = std::make_shared<const CompiledKernel>(*compiled);
  request.has_phase_stamps = true;
  for (int launch = 0; launch < 3; ++launch) {
    const auto result = run(request);
    ASSERT_TRUE(result.ok()) << to_string(result.error());
    EXPECT_TRUE(result->correct);
    const std::vector<PhaseStamp>& stamps = result->phase_stamps;
    ASSERT_FALSE(stamps.empty());
    std::set<std::uint32_t> warps;
    for (std::size_t i = 0; i < stamps.size(); ++i) {
      warps.insert(stamps[i].warp);
      EXPECT_LE(stamps[i].begin_cycle, stamps[i].end_cycle);
      EXPECT_LT(stamps[i].end_cycle, 10'000'000u);
      if (i > 0 && stamps[i].warp == stamps[i - 1].warp) {
        EXPECT_LE(stamps[i - 1].end_cycle, stamps[i].begin_cycle);
      }
    }
    EXPECT_EQ(warps.size(), (request.instance.block.count() + 31) / 32);
    // Each warp executes the same code.
    EXPECT_EQ(stamps.size() % warps.size(), 0u);
  }
}

TEST_F(Stamping, ABuildWithoutTheLogIsAnErrorThatNamesIt) {
  RunRequest request = catalogue_request("gemm/register_tile", {}, "256");
  request.has_phase_stamps = true;
  const auto result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find(kStampLog), std::string::npos);
}

}  // namespace
}  // namespace tilescope
