#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "ui_fixture.h"

namespace tilescope {
namespace {

bool contains(const TextAudit& audit, const std::string& words) {
  return std::ranges::any_of(
      audit.texts, [&](const auto& text) { return text.words.find(words) != std::string::npos; });
}

TEST_F(UiTest, ARecordedRunSaysThatItWasThrottled) {
  workbench_->choose_kernel(entry("gemm/rank_one"));
  for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 8192);
  draw_frames(4);
  const TextAudit throttled = audit();
  EXPECT_TRUE(contains(throttled, "throttled: power cap"));
  EXPECT_FALSE(contains(throttled, "not throttled"));
  EXPECT_TRUE(contains(throttled, "median ±"));
  for (const auto& [name, value] : entry("gemm/rank_one").default_extents) {
    workbench_->set_extent(name, value);
  }
  draw_frames(4);
  EXPECT_TRUE(contains(audit(), "not throttled"));
}

TEST_F(UiTest, AClickOnWhatToWatchOpensItsViewWithItsValues) {
  for (const auto& [width, height] : {std::pair{1920, 1080}, std::pair{1280, 720}}) {
    open(width, height, Theme::kDark);
    workbench_->choose_kernel(entry("transpose/tiled"));
    settle();
    ASSERT_NE(state().view, View::kBanks);
    EXPECT_TRUE(contains(audit(), "Try it: banks with PAD = 0")) << width;
    act([](ImGuiTestContext& ctx) {
      ctx.SetRef("Parameters");
      ctx.ItemClick("**/watch");
    });
    settle();
    EXPECT_EQ(state().view, View::kBanks);
    EXPECT_EQ(variant().parameters.at("PAD"), 0);
    EXPECT_EQ(variant().parameters.at("TILE"), 32);
  }
}

}  // namespace
}  // namespace tilescope
