#include "analysis/study/parameter_occupancy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/paths.h"
#include "kernel/catalogue/catalogue.h"

namespace tilescope {
namespace {

DeviceModel h200() {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  return *find_device(*table, 90);
}

class ParameterOccupancyTest : public testing::Test {
 protected:
  // A study as the views have it, without a trace: of a kernel that uses this shared array, if any.
  std::vector<ParameterOccupancy> strips_of(const std::string& id, const std::string& array,
                                            OccupancyRequest present) {
    const auto catalogue = load_catalogue({resource_directory() / "kernels"});
    EXPECT_TRUE(catalogue.ok());
    const CatalogueEntry& entry = *catalogue->find(id);
    const auto parameters = complete_parameters(entry, {});
    KernelStudy study;
    study.instance = *instantiate(entry, *parameters, entry.default_extents, h200());
    const std::string declared =
        array.empty() ? "" : fmt::format(".shared .align 4 .b8 {}[4224];\n", array);
    const std::string used =
        array.empty() ? "" : fmt::format("mov.u32 %r1, {};\nst.shared.u32 [%r1], %r1;\n", array);
    const auto program =
        decode_ptx(fmt::format(".version 8.0\n.target sm_90\n.address_size 64\n{}"
                               ".visible .entry probe() {{\n.reg .b32 %r<2>;\n{}ret;\n}}\n",
                               declared, used),
                   "probe", "");
    EXPECT_TRUE(program.ok());
    study.program = *program;
    return parameter_occupancies({entry, study.instance, StaticShared(study), h200(), present});
  }
  static const ValueOccupancy& at(const std::vector<ParameterOccupancy>& strips,
                                  const std::string& name, std::int64_t value) {
    const auto strip = std::ranges::find(strips, name, &ParameterOccupancy::name);
    return *std::ranges::find(strip->values, value, &ValueOccupancy::value);
  }
};

TEST_F(ParameterOccupancyTest, DynamicSharedMemoryFollowsTheCatalogue) {
  const int present = 3 * 16 * (128 + 4 + 128) * 4;
  const auto strips = strips_of("gemm/register_tile", "", {256, 96, 0, present});
  ASSERT_EQ(strips.size(), 8U);
  const ValueOccupancy& now = at(strips, "STAGES", 3);
  EXPECT_TRUE(now.present);
  EXPECT_EQ(now.request.dynamic_shared_bytes, present);
  const ValueOccupancy& five = at(strips, "STAGES", 5);
  EXPECT_EQ(five.request.dynamic_shared_bytes, present / 3 * 5);
  EXPECT_EQ(five.request.registers_per_thread, 96);
  EXPECT_EQ(five.occupancy->blocks_per_multiprocessor,
            occupancy(h200(), five.request)->blocks_per_multiprocessor);
  EXPECT_EQ(at(strips, "TILE_M", 64).request.threads_per_block, 128);
}

TEST_F(ParameterOccupancyTest, StaticSharedMemoryFollowsTheDeclarations) {
  const auto strips =
      strips_of("transpose/tiled", "_ZZ15transpose_tiledE4tile", {256, 16, 4224, 0});
  EXPECT_EQ(at(strips, "PAD", 0).request.static_shared_bytes, 32 * 32 * 4);
  EXPECT_EQ(at(strips, "PAD", 8).request.static_shared_bytes, 32 * 40 * 4);
  EXPECT_EQ(at(strips, "TILE", 16).request.static_shared_bytes, 16 * 17 * 4);
}

TEST_F(ParameterOccupancyTest, IllegalValuesHaveNone) {
  const auto strips = strips_of("gemm/register_tile", "", {256, 96, 0, 49'920});
  const ValueOccupancy& small = at(strips, "TILE_M", 16);  // 2 x 16 threads are a warp: legal
  EXPECT_TRUE(small.legal);
  const ValueOccupancy& uneven = at(strips, "THREAD_M", 16);
  EXPECT_EQ(uneven.legal, uneven.occupancy.has_value());
  const auto some_illegal = std::ranges::any_of(strips, [](const ParameterOccupancy& strip) {
    return std::ranges::any_of(strip.values,
                               [](const ValueOccupancy& value) { return !value.legal; });
  });
  EXPECT_TRUE(some_illegal);
}

TEST_F(ParameterOccupancyTest, AnArrayOfUnknownExtentLeavesItOpen) {
  const auto strips = strips_of("transpose/tiled", "other", {256, 16, 4224, 0});
  EXPECT_FALSE(at(strips, "PAD", 0).occupancy.has_value());
}

TEST(RuleAgainst, AnotherDeviceMayBreakARuleOfTheKernel) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  const CatalogueEntry& entry = *catalogue->find("gemm/warpgroup");
  const auto instance =
      instantiate(entry, *complete_parameters(entry, {}), entry.default_extents, h200());
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(rule_against(h200(), entry, *instance), "");
  EXPECT_EQ(rule_against(*find_device(*table, 100), entry, *instance),
            "wgmma (warp groups) needs sm_90; the device is sm_100");
}

}  // namespace
}  // namespace tilescope
