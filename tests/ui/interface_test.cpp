#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_context.h>

#include "scene/view/default_selection.h"
#include "scene/views.h"
#include "ui/state/layout.h"
#include "ui/state/measurements.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

const Rect kPicture{320, 140, 1100, 520};  // inside the centre at 1920 x 1080

TEST_F(UiTest, ChoosingAKernelShowsItsStudyAndSource) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Kernels");
    ctx.ItemClick("gemm\\/naive");
  });
  ASSERT_NE(variant().entry, nullptr);
  EXPECT_EQ(variant().entry->id, "gemm/naive");
  settle();
  ASSERT_NE(variant().study, nullptr);
  EXPECT_EQ(variant().study->instance.id, "gemm/naive");
  bool file_named = false;
  for (const TextAudit::Text& text : audit().texts) {
    file_named = file_named || text.words.find("naive.cu") != std::string::npos;
  }
  EXPECT_TRUE(file_named);
}

TEST_F(UiTest, AKernelOpensWhereItsExportDoes) {
  settle();
  workbench_->choose_kernel(entry("transpose/naive"));
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 256);
  for (const View view : {View::kTiling, View::kCoalescing, View::kBanks}) {
    state().raise = view;
    settle();
    workbench_->choose_kernel(entry("transpose/tiled"));  // keeps the size
    settle();
    Selection told = default_selection(view, *variant().study, *variant().prepared);
    told.line = 0;
    EXPECT_EQ(variant().selection, told) << name_of(view);
    EXPECT_EQ(variant().selection.block, default_block(variant().study->launch.grid));
  }
  // Another grid has its own block, as long as nobody has chosen one.
  workbench_->set_extent("COLS", 64);
  settle();
  EXPECT_EQ(variant().selection.block, default_block(variant().study->launch.grid));
  workbench_->select_block(0);
  workbench_->set_extent("COLS", 256);
  settle();
  EXPECT_EQ(variant().selection.block, 0U);
}

TEST_F(UiTest, DraggingASliderComputesThePictureAnew) {
  settle();
  const auto before = variant().study;
  ASSERT_NE(before, nullptr);
  const Screenshot picture = platform_->read_pixels();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Parameters");
    ctx.ItemDragWithDelta("TILE_K/track", ImVec2(-200, 0));
  });
  EXPECT_LT(variant().parameters.at("TILE_K"), before->instance.parameters.at("TILE_K"));
  settle();
  ASSERT_NE(variant().study, before);
  EXPECT_EQ(variant().study->instance.parameters, variant().parameters);
  EXPECT_GT(difference(picture, platform_->read_pixels(), kPicture).pixels, 2000U);
}

TEST_F(UiTest, WhileAPictureIsComputedTheOldOneStaysAndSaysWhatItBelongsTo) {
  settle();
  workbench_->set_parameter("TILE_K", 8);
  ASSERT_TRUE(variant().study_pending);
  bool said = false;
  for (const TextAudit::Text& text : audit().texts) {
    said = said || text.words.find("the picture shows TILE_K 16") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST_F(UiTest, ABrokenRuleOffersTheNearestLegalSet) {
  settle();
  // A tile of 256 x 256 with one element a thread would need 65,536 threads.
  ParameterSet parameters = variant().parameters;
  parameters["THREAD_M"] = 1;
  parameters["THREAD_N"] = 1;
  workbench_->apply(parameters);
  ASSERT_FALSE(variant().violations.empty());
  const ParameterSet nearest = variant().violations.front().nearest_legal;
  ASSERT_FALSE(nearest.empty());
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Tiling");
    ctx.ItemClick("Parameters", 0, ImGuiTestOpFlags_NoError);
    ctx.SetRef("Parameters");
    ctx.ItemClick("**/nearest legal");
  });
  EXPECT_EQ(variant().parameters, nearest);
  EXPECT_TRUE(variant().violations.empty());
}

TEST_F(UiTest, ArrowKeysStepTheSliderThatWasTouchedLast) {
  settle();
  state().focused_parameter = "STAGES";
  const std::int64_t before = variant().parameters.at("STAGES");
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_RightArrow); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before + 1);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_LeftArrow); });
  EXPECT_EQ(variant().parameters.at("STAGES"), before);
}

TEST_F(UiTest, EachViewOpensAndDrawsSomethingOfItsOwn) {
  settle();
  std::vector<Screenshot> pictures;
  for (const View view : all_views()) {
    state().raise = view;
    settle();
    EXPECT_EQ(state().view, view);
    pictures.push_back(platform_->read_pixels());
  }
  for (std::size_t a = 0; a < pictures.size(); ++a) {
    for (std::size_t b = a + 1; b < pictures.size(); ++b) {
      EXPECT_GT(difference(pictures[a], pictures[b], kPicture).pixels, 20000U) << a << " " << b;
    }
  }
}

TEST_F(UiTest, TheThemeButtonTurnsTheGroundLight) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("top bar");
    ctx.ItemClick("theme");
  });
  EXPECT_EQ(state().theme(), Theme::kLight);
  settle();
  const Screenshot light = platform_->read_pixels();
  EXPECT_GT(light.rgba[static_cast<std::size_t>(4 * (1920 * 1060 + 100))],
            240);  // a panel's ground
}

TEST_F(UiTest, TransportStepsAndPlays) {
  settle();
  variant().selection.event = 0;
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Transport");
    ctx.ItemClick("on");
  });
  const EventList& events = variant().study->trace->events;
  std::uint32_t next = 1;  // of the selected warp
  while (events[next].warp != variant().selection.warp) ++next;
  EXPECT_EQ(variant().selection.event, next);
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Transport/tile on"); });
  ASSERT_GT(variant().study->timeline->step_begin.size(), 1U);
  EXPECT_EQ(variant().selection.event, variant().study->timeline->step_begin[1]);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_Space); });
  EXPECT_TRUE(state().playback.playing);
  const std::uint32_t from = variant().selection.event;
  // From access to access, at a pace that a person follows.
  for (int i = 0; i < 5000 && variant().selection.event == from; ++i) draw_frame();
  EXPECT_GT(variant().selection.event, from);
}

TEST_F(UiTest, NothingIsDrawnWhenNothingChanges) {
  settle();
  draw_frame();
  EXPECT_FALSE(interface_->animating());
  EXPECT_FALSE(workbench_->tick());
}

TEST_F(UiTest, AClosedPanelComesBackFromTheViewMenu) {
  settle();
  state().panel_open["Counters"] = false;
  draw_frames(3);
  EXPECT_FALSE(ImGui::FindWindowByName("Counters")->WasActive);
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("top bar");
    ctx.ItemClick("view menu");
    ctx.SetRef("//$FOCUSED");
    ctx.ItemClick("Counters");
  });
  draw_frames(3);
  EXPECT_TRUE(state().panel_open["Counters"]);
  EXPECT_TRUE(ImGui::FindWindowByName("Counters")->WasActive);
}

TEST(SharedScale, SmallFiguresKeepTwoDigits) {
  const RateScale milliseconds{1e-3, "ms"};
  EXPECT_EQ(figure_on(milliseconds, 0.0000128), "0.013");
  EXPECT_EQ(figure_on(milliseconds, 0.0000994), "0.099");
  EXPECT_EQ(figure_on(milliseconds, 0.0000996), "0.10");
  EXPECT_EQ(figure_on(milliseconds, 0.000134), "0.13");
  EXPECT_EQ(figure_on(milliseconds, 0.0687), "68.7");
  EXPECT_EQ(figure_on(milliseconds, 0.00000052), "0.00052");
  EXPECT_EQ(figure_on(milliseconds, 0), "0.00");
  EXPECT_EQ(figure_on(milliseconds, 1e-12), "0.000000");
}

}  // namespace
}  // namespace tilescope
