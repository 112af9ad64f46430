#include "analysis/time/measured_phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernel/compile/compile.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

TEST(MeasuredPhases, SpansLieBetweenTheStampsOfAWarp) {
  const CatalogueEntry& kernel = testing::entry("gemm/register_tile");
  const auto instance = instantiate(kernel, *complete_parameters(kernel, {}),
                                    kernel.default_extents, testing::device(90));
  ASSERT_TRUE(instance.ok());
  const auto compiled = compile({*instance, 90, false}, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, instance->source);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto& names = (*program)->phases();
  const auto line_of = [&](const std::string& mark) {
    const std::size_t at = instance->source.find("TILESCOPE_PHASE(" + mark + ")");
    return 1 + static_cast<std::uint32_t>(
                   std::count(instance->source.begin(),
                              instance->source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  const std::uint32_t load = line_of("load");
  const std::uint32_t compute = line_of("compute");
  const MeasuredPhases measured = measured_phases(
      **program, *instance,
      std::vector<PhaseStamp>{
          {0, load, 0, 10}, {0, compute, 100, 110}, {0, load, 310, 320}, {1, compute, 40, 50}});
  ASSERT_EQ(measured.warps.size(), 1u);  // of warp 1 no end is known
  ASSERT_EQ(measured.warps[0].size(), 2u);
  EXPECT_EQ(measured.warps[0][0].begin, 10u);
  EXPECT_EQ(measured.warps[0][0].end, 100u);
  EXPECT_EQ(names[static_cast<std::size_t>(measured.warps[0][0].phase)], "load");
  EXPECT_EQ(names[static_cast<std::size_t>(measured.warps[0][1].phase)], "compute");
  EXPECT_EQ(measured.cycles, 310u);
  EXPECT_DOUBLE_EQ(measured.stamp_share, 20.0 / 310.0);
  const auto cycles = phase_cycles(names.size(), measured);
  EXPECT_EQ(cycles[static_cast<std::size_t>(measured.warps[0][1].phase)], 200u);

  // A line that no mark stands on, and a clock that goes back, say nothing.
  EXPECT_TRUE(measured_phases(**program, *instance,
                              std::vector<PhaseStamp>{{0, 1, 0, 10}, {0, load, 50, 60}})
                  .warps.empty());
  EXPECT_TRUE(measured_phases(**program, *instance,
                              std::vector<PhaseStamp>{{0, load, 30, 40}, {0, load, 20, 60}})
                  .warps.empty());
}

}  // namespace
}  // namespace tilescope
