// Every control that a kernel brings with it, used as a person uses it.
#include <imgui.h>
#include <imgui_te_context.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "analysis/study/timeline.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "ui/state/layout.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

// Of the kernels of one family, in a window of which software draws many frames a second.
class AllControls : public UiTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    open(1280, 720, Theme::kDark);
    if (IsSkipped()) return;
    for (const CatalogueEntry& kernel : workbench_->catalogue().entries) {
      if (kernel.id.starts_with(GetParam())) kernels_.push_back(&kernel);
    }
    ASSERT_FALSE(kernels_.empty());
    settle();
  }
  // At a size whose pictures are soon there.
  void open_small(const CatalogueEntry& kernel) {
    workbench_->choose_kernel(kernel);
    for (const auto& [name, usual] : kernel.default_extents) {
      workbench_->set_extent(name, std::min<std::int64_t>(usual, 256));
    }
    wait();
  }
  // Until there is a picture of the sliders as they stand.
  void wait() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    do {
      draw_frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    } while (variant().study_pending);
    draw_frames(2);
  }
  // The first and the last legal value of a slider.
  [[nodiscard]] std::vector<std::size_t> sampled(const ParameterSpec& spec) {
    std::vector<std::size_t> legal;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
      if (state().legal.legal.at(spec.name)[i]) legal.push_back(i);
    }
    if (legal.size() <= 2) return legal;
    return {legal.front(), legal.back()};
  }
  // Presses the slider at the place of a value.
  void press_slider(const ParameterSpec& spec, std::size_t index) {
    const std::string item = "//Parameters/" + spec.name + "/track";
    act([&](ImGuiTestContext& ctx) {
      ctx.ScrollToItemY(item.c_str());
      const ImGuiTestItemInfo info = ctx.ItemInfo(item.c_str());
      const float margin = 6 * state().scale;
      const float width = info.RectFull.GetWidth() - 2 * margin;
      const auto last = static_cast<float>(spec.values.size() - 1);
      const float along = last == 0 ? 0 : static_cast<float>(index) / last;
      ctx.MouseMoveToPos(
          {info.RectFull.Min.x + margin + along * width, info.RectFull.GetCenter().y});
      ctx.MouseClick();
    });
  }
  void click(const char* item) {
    act([item](ImGuiTestContext& ctx) { ctx.ItemClick(item); });
  }
  void press(ImGuiKeyChord chord) {
    act([chord](ImGuiTestContext& ctx) { ctx.KeyPress(chord); });
  }

  std::vector<const CatalogueEntry*> kernels_;
};

TEST_P(AllControls, EverySliderOfEveryKernelTakesItsLegalValues) {
  for (const CatalogueEntry* kernel : kernels_) {
    SCOPED_TRACE(kernel->id);
    open_small(*kernel);
    for (const ParameterSpec& spec : kernel->parameters) {
      SCOPED_TRACE(spec.name);
      if (spec.values.size() < 2) continue;
      for (const std::size_t index : sampled(spec)) {
        press_slider(spec, index);
        EXPECT_EQ(variant().parameters.at(spec.name), spec.values[index]);
        EXPECT_TRUE(variant().violations.empty());
        draw_frame();
      }
      workbench_->reset_parameters();
      draw_frame();
    }
    wait();
    EXPECT_FALSE(variant().error.has_value()) << to_string(*variant().error);
    ASSERT_NE(variant().study, nullptr);
    EXPECT_EQ(variant().study->instance.parameters, variant().parameters);
  }
}

TEST_P(AllControls, EveryViewAndEveryStepOfEveryKernel) {
  for (const CatalogueEntry* kernel : kernels_) {
    SCOPED_TRACE(kernel->id);
    open_small(*kernel);
    for (const View view : all_views()) {
      state().raise = view;
      draw_frames(3);
      EXPECT_EQ(state().view, view);
      EXPECT_GT(audit().texts.size(), 40U) << name_of(view);
    }
    // Held: another one, with what is computed later, may take their place at any frame.
    const auto study = variant().study;
    const auto prepared = variant().prepared;
    ASSERT_FALSE(study->trace->events.empty());
    const auto last = static_cast<std::uint32_t>(study->trace->events.size()) - 1;
    const WarpTime way = time_of(*study, *prepared, variant().selection.warp);
    variant().selection.event = way.own_event(last / 2);
    std::uint32_t before = variant().selection.event;
    for (const char* step : {"tile back", "phase back", "back"}) {
      click((std::string("//Transport/") + step).c_str());
      EXPECT_LE(variant().selection.event, before) << step;
      before = variant().selection.event;
    }
    for (const char* step : {"on", "phase on", "tile on"}) {
      click((std::string("//Transport/") + step).c_str());
      EXPECT_GE(variant().selection.event, before) << step;
      EXPECT_LE(variant().selection.event, last) << step;
      before = variant().selection.event;
    }
    variant().selection.event = way.own_event(last / 2);
    click("//Transport/on");
    EXPECT_EQ(variant().selection.event, way.instructions_on(way.own_event(last / 2), 1));
    click("//Transport/back");
    EXPECT_EQ(variant().selection.event, way.own_event(last / 2));
  }
}

TEST_P(AllControls, EveryBookmark) {
  open_small(*kernels_.front());
  const auto last = static_cast<std::uint32_t>(variant().study->trace->events.size()) - 1;
  for (int i = 0; i < 10; ++i) {
    variant().selection.event = last * static_cast<std::uint32_t>(i) / 10;
    press(ImGuiMod_Shift | static_cast<ImGuiKey>(ImGuiKey_0 + i));
  }
  for (int i = 9; i >= 0; --i) {
    press(static_cast<ImGuiKey>(ImGuiKey_0 + i));
    EXPECT_EQ(variant().selection.event, last * static_cast<std::uint32_t>(i) / 10) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, AllControls,
                         testing::Values("gemm/", "transpose/", "copy/", "divergence/"),
                         [](const auto& family) {
                           const std::string name = family.param;
                           return name.substr(0, name.size() - 1);
                         });

}  // namespace
}  // namespace tilescope
