// Several kinds of GPU in one window: variants for each of them, and what happens to workers.
#include <imgui_te_context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/worker_pool.h"
#include "scene/compare/compared.h"
#include "ui/state/view_context.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

class UiWithTwoKinds : public UiWithWorker {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    const auto source = [](const char* name, const char* start) {
      WorkerSource worker;
      worker.name = name;
      worker.settings.command = {fake_worker().string(), "--fake-worker", start};
      return worker;
    };
    return std::make_unique<WorkerPool>(
        std::vector{source("near", "measures"), source("far", "measures_h100")});
  }
  void wait_for_both() {
    draw_until([this] { return workbench_->gpu().gpus().size() == 2; });
  }
};

TEST_F(UiWithTwoKinds, AKernelIsMeasuredOnBothAndCompared) {
  wait_for_both();
  workbench_->choose_kernel(entry("transpose/tiled"));
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 256);
  state().raise = View::kCompare;
  wait_for_measurement();
  const std::string usual = workbench_->device_model().name;
  ASSERT_TRUE(says("compare with another GPU"));
  compare_gpus(*workbench_);
  ASSERT_EQ(workbench_->variants().size(), 2U);
  const auto both = [this] {
    return std::ranges::all_of(workbench_->variants(), [](const Variant& variant) {
      return variant.measured && !variant.study_pending;
    });
  };
  draw_until(both);
  EXPECT_EQ(variant().gpu, workbench_->gpu().gpus()[1].info.name);
  const auto& points = workbench_->runs().measured();
  const auto measured_on = [&](const std::string& gpu) {
    return std::ranges::any_of(points, [&](const auto& point) { return point.machine.gpu == gpu; });
  };
  EXPECT_TRUE(measured_on(usual));
  EXPECT_TRUE(measured_on(variant().gpu));
  draw_until([this] {
    const auto& set = state().facts.shown().compared;
    return set != nullptr && set->variants.size() == 2 && gpus_differ(set->variants) &&
           set->variants[0].known && set->variants[1].known;
  });
  const ComparedSet& set = *state().facts.shown().compared;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(set.variants[i].known->under.gpu,
              workbench_->device_model(workbench_->variants()[i]).name);
    EXPECT_EQ(set.variants[i].known->source, Source::kMeasured);
  }
  EXPECT_FALSE(set.comparison.modelled);
  draw_frames(2);
  EXPECT_TRUE(says("H100 80GB HBM3"));
}

TEST_F(UiWithTwoKinds, AVariantGoesToAnotherGpuByTheMenuAndBackByUndo) {
  wait_for_both();
  wait_for_measurement();
  const std::string usual = workbench_->device_model().name;
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//top bar/gpu"); });
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//$FOCUSED/NVIDIA A100 80GB"); });
  settle();
  EXPECT_EQ(variant().gpu, "NVIDIA A100 80GB");
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().study->device->name, "NVIDIA A100 80GB");
  EXPECT_FALSE(variant().measured) << "no worker has one";
  EXPECT_TRUE(workbench_->why_no_counters());
  draw_until([this] { return says("A100 80GB · time model"); });  // after the workers' news
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z); });
  wait_for_measurement();
  EXPECT_EQ(workbench_->device_model(variant()).name, usual);
}

TEST_F(UiWithTwoKinds, WhatHappensToAWorkerIsSaidForAWhile) {
  wait_for_both();
  draw_until([this] { return workbench_->worker_news().size() >= 2; });
  EXPECT_TRUE(says(" joined: ")) << workbench_->worker_news().back().words;
  const auto& news = workbench_->worker_news();
  EXPECT_TRUE(std::ranges::any_of(
      news, [](const auto& each) { return each.words == "near joined: Fake GPU"; }));
}

}  // namespace
}  // namespace tilescope
