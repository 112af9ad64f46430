#include "session/model_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/paths.h"

namespace tilescope {
namespace {

CheckedPoint point(const char* kernel, double measured, double modelled) {
  CheckedPoint made;
  made.instance.id = kernel;
  made.measured = measured;
  made.modelled = modelled;
  return made;
}

TEST(ModelErrors, AreOfEachKernelEachFamilyAndOfAll) {
  const std::vector<ModelErrors> rows = model_errors(
      {point("a/x", 1, 1.1), point("a/x", 2, 1), point("a/y", 4, 4), point("b/x", 1, 1.2)});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0].name, "a/x");
  EXPECT_EQ(rows[0].points, 2U);
  EXPECT_NEAR(rows[0].mean, 0.3, 1e-12);
  EXPECT_NEAR(rows[0].within_fifth, 0.5, 1e-12);
  EXPECT_NEAR(rows[0].least, 0.5, 1e-12);
  EXPECT_NEAR(rows[0].most, 1.1, 1e-12);
  EXPECT_EQ(rows[1].mean, 0);
  EXPECT_EQ(rows[3].name, "a");
  EXPECT_EQ(rows[3].points, 3U);
  EXPECT_NEAR(rows[3].mean, 0.2, 1e-12);
  EXPECT_EQ(rows[4].name, "b");
  EXPECT_EQ(rows[5].name, "all");
  EXPECT_NEAR(rows[5].mean, 0.2, 1e-12);
}

TEST(ModelErrors, LeaveOutWhatHasNoTime) {
  const std::vector<ModelErrors> rows = model_errors({point("a/x", 1, 0), point("a/x", 1, 1)});
  EXPECT_EQ(rows.back().points, 1U);
  EXPECT_EQ(rows.back().mean, 0);
}

// Of twenty points the model's first one counts.
TEST(ModelErrors, SayWhatTheFirstOfTheModelsOrderReaches) {
  std::vector<CheckedPoint> points;
  for (int i = 0; i < 20; ++i) points.push_back(point("a/x", 10 + i, 30 - i));
  EXPECT_NEAR(model_errors(points).back().best_found.value_or(0), 10.0 / 29, 1e-12);
  for (CheckedPoint& each : points) each.modelled = 2 * each.measured;
  EXPECT_EQ(model_errors(points).back().best_found, 1.0);
  points.resize(kRankedPoints - 1);
  EXPECT_EQ(model_errors(points).back().best_found, std::nullopt);
}

class ShippedPoints : public ::testing::Test {
 protected:
  std::vector<CheckedPoint> chosen(const PointChoice& choice) const {
    auto points = choose_points(runs_, catalogue_, devices_, choice);
    EXPECT_TRUE(points.ok()) << to_string(points.error());
    return points ? *std::move(points) : std::vector<CheckedPoint>{};
  }
  RecordedRuns runs_ = load_shipped_runs()->front();
  Catalogue catalogue_ = *load_catalogue({resource_directory() / "kernels"});
  std::vector<DeviceModel> devices_ =
      *load_device_table(resource_directory() / "assets" / "devices.json");
};

TEST_F(ShippedPoints, AreFittedToOrHeldOut) {
  const auto all = chosen({.each = 0});
  const auto fitted = chosen({.each = 0, .used = PointsUsed::kFitted});
  const auto held_out = chosen({.each = 0, .used = PointsUsed::kHeldOut});
  EXPECT_EQ(fitted.size() + held_out.size(), all.size());
  EXPECT_GT(all.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(held_out.size()) / static_cast<double>(all.size()), 0.25, 0.05);
  // Whole kernels are held out too.
  const auto of_it = [](const CheckedPoint& each) {
    return each.instance.id == "transpose/pitched";
  };
  EXPECT_TRUE(std::ranges::none_of(fitted, of_it));
  EXPECT_TRUE(std::ranges::any_of(held_out, of_it));
}

TEST_F(ShippedPoints, AreTheSameSampleEveryTime) {
  const auto three = chosen({.kernels = {"copy"}, .each = 3});
  const auto two = chosen({.kernels = {"copy"}, .each = 2});
  ASSERT_EQ(three.size(), 18U);
  ASSERT_EQ(two.size(), 12U);
  for (std::size_t kernel = 0; kernel < 6; ++kernel) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(same_instance(three[3 * kernel + i].instance, two[2 * kernel + i].instance));
    }
  }
  EXPECT_EQ(three.front().device.name, "NVIDIA H200");
  EXPECT_GT(three.front().measured, 1e-6);
}

TEST_F(ShippedPoints, NeedAKernelAndAGpuThatAreKnown) {
  const auto kernel = choose_points(runs_, catalogue_, devices_, {.kernels = {"gemm/fast"}});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().message, "there is no kernel or family 'gemm/fast'");
  runs_.machine.gpu = "Voodoo 2";
  const auto gpu = choose_points(runs_, catalogue_, devices_, {});
  ASSERT_FALSE(gpu.ok());
  EXPECT_EQ(gpu.error().message, "nothing is known about the rates of a 'Voodoo 2'");
  runs_.machine.gpu = "NVIDIA H100 80GB HBM3";  // a row has fewer words
  EXPECT_EQ(choose_points(runs_, catalogue_, devices_, {.each = 1})->front().device.name,
            "NVIDIA H100 SXM5");
}

}  // namespace
}  // namespace tilescope
