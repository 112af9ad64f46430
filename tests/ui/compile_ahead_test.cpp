#include "ui/workbench/compile_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "kernel/compile/compile.h"
#include "session/document.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

using std::chrono::milliseconds;

TEST(OrderAhead, NeighboursComeFirstAndThePresentLast) {
  EXPECT_EQ(order_ahead(5, 2), (std::vector<std::size_t>{3, 1, 4, 0, 2}));
  EXPECT_EQ(order_ahead(4, 0), (std::vector<std::size_t>{1, 2, 3, 0}));
  EXPECT_EQ(order_ahead(4, 3), (std::vector<std::size_t>{2, 1, 0, 3}));
  EXPECT_EQ(order_ahead(1, 0), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(order_ahead(0, 0).empty());
}

TEST(OrderAhead, HoldsEachPlaceOnceWhereverTheSliderStands) {
  for (std::size_t present = 0; present < 9; ++present) {
    std::vector<std::size_t> order = order_ahead(9, present);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(order.at(i), i);
  }
}

CompileAhead::Plan plan_of(const std::string& parameter, std::int64_t present, const char* text) {
  CompileAhead::Plan plan{.parameter = parameter, .variants = {}, .present = present};
  for (const std::int64_t value : {1, 2, 3, 4}) {
    KernelInstance instance;
    instance.id = instance.file_name = "ahead.cu";
    instance.source = std::string("extern \"C\" __global__ void k(int* p) { p[0] = ") + text +
                      " + " + parameter + "; }";
    instance.kernel = "k";
    instance.problem = Problem();
    instance.parameters = {{parameter, value}};
    plan.variants.push_back({value, std::move(instance)});
  }
  return plan;
}

void wait(const CompileAhead& ahead) {
  for (int i = 0; i < 12'000 && ahead.working(); ++i) std::this_thread::sleep_for(milliseconds(5));
  ASSERT_FALSE(ahead.working());
}

TEST(CompileAhead, MakesEachValueOfTheSliderReady) {
  if (!compiler_info().ok()) GTEST_SKIP() << "no NVRTC on this machine";
  CompileAhead ahead(2);
  ahead.follow(plan_of("N", 2, "1"));
  wait(ahead);
  for (const std::int64_t value : {1, 2, 3, 4}) EXPECT_TRUE(ahead.ready("N", value)) << value;
  EXPECT_FALSE(ahead.ready("N", 5));
  EXPECT_FALSE(ahead.ready("M", 1));
  EXPECT_TRUE(ahead.take_news());
  EXPECT_FALSE(ahead.take_news());
}

TEST(CompileAhead, AnotherSliderOrTextTakesItsPlace) {
  if (!compiler_info().ok()) GTEST_SKIP() << "no NVRTC on this machine";
  CompileAhead ahead(1);
  ahead.follow(plan_of("N", 2, "1"));
  wait(ahead);
  ahead.follow(plan_of("N", 3, "1"));  // only the slider moved: nothing is forgotten
  EXPECT_TRUE(ahead.ready("N", 1));
  ahead.follow(plan_of("M", 2, "1"));
  EXPECT_FALSE(ahead.ready("N", 1));
  wait(ahead);
  EXPECT_TRUE(ahead.ready("M", 4));
  ahead.follow(plan_of("M", 2, "2"));
  EXPECT_FALSE(ahead.ready("M", 4) && !ahead.working());
  ahead.drop();
  EXPECT_FALSE(ahead.ready("M", 4));
}

TEST(CompileAhead, WhatDoesNotCompileIsNotReady) {
  if (!compiler_info().ok()) GTEST_SKIP() << "no NVRTC on this machine";
  CompileAhead ahead(1);
  ahead.follow(plan_of("N", 2, "nonsense"));
  wait(ahead);
  EXPECT_FALSE(ahead.ready("N", 1));
}

class CompilingAhead : public UiTest {
 protected:
  [[nodiscard]] Workbench::Settings settings() const override { return {}; }
};

TEST_F(CompilingAhead, ASliderThatIsTouchedIsCompiledAhead) {
  settle();
  EXPECT_FALSE(workbench_->ahead().working());  // nobody touched one
  workbench_->set_parameter("STAGES", 2);
  settle();
  for (int i = 0; i < 12'000 && workbench_->ahead().working(); ++i) {
    draw_frame();
    std::this_thread::sleep_for(milliseconds(5));
  }
  for (const std::int64_t stages : {1, 3, 4, 5}) {
    EXPECT_TRUE(workbench_->compiled_ahead("STAGES", stages)) << stages;
  }
  EXPECT_FALSE(workbench_->compiled_ahead("TILE_K", 8));
  ParameterSet other = variant().parameters;
  other["TILE_K"] = 8;
  workbench_->apply(other);  // from elsewhere: what is ready is of another TILE_K
  EXPECT_FALSE(workbench_->compiled_ahead("STAGES", 1));
  other["TILE_K"] = 16;
  workbench_->apply(other);
  EXPECT_TRUE(workbench_->compiled_ahead("STAGES", 1));
  workbench_->choose_kernel(entry("gemm/naive"));
  EXPECT_FALSE(workbench_->compiled_ahead("STAGES", 1));
}

class LookingAround : public UiWithWorker {
 protected:
  [[nodiscard]] Workbench::Settings settings() const override {
    Workbench::Settings settings;
    settings.around_threads = 1;
    return settings;
  }
  [[nodiscard]] bool has_looked(std::int64_t variants) const {
    if (workbench_->around().working()) return false;
    for (std::int64_t i = 0; i < variants; ++i) {
      if (!workbench_->around().ready("", i)) return false;
    }
    return !workbench_->around().ready("", variants);
  }
};

TEST_F(LookingAround, CompilesTheNextValuesOfAllSlidersOnceNothingElseIsToBeDone) {
  settle();
  workbench_->choose_kernel(entry("transpose/tiled"));
  // TILE 16 and 64, BLOCK_ROWS 4 and 16, PAD 0 and 2.
  draw_until([this] { return has_looked(6); });
  workbench_->set_parameter("PAD", 0);
  EXPECT_FALSE(workbench_->around().ready("", 0)) << "what was next of another place";
  draw_until([this] { return has_looked(5); });
  // The first step of a slider is in the cache.
  VariantDocument next = document_of(variant());
  next.parameters["BLOCK_ROWS"] = 16;
  const DeviceModel& device = workbench_->device_model();
  const auto instance = instance_of(next, workbench_->catalogue(), device);
  ASSERT_TRUE(instance.ok());
  const auto compiled = compile({*instance, device.compute_capability, true}, {});
  ASSERT_TRUE(compiled.ok());
  EXPECT_TRUE(compiled->from_cache);
}

}  // namespace
}  // namespace tilescope
