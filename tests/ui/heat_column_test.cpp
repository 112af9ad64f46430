// The column of bars beside the source.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "ui_fixture.h"

namespace tilescope {
namespace {

class HeatColumnTest : public UiTest {
 protected:
  void show(const char* kernel) {
    workbench_->choose_kernel(entry(kernel));
    for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 256);
    settle();
  }
  // The line whose bar is longest, from 1; 0: there are none.
  [[nodiscard]] std::size_t dearest() {
    const std::vector<LineHeat>& heat = state().digest.source_heat;
    const auto most = std::ranges::max_element(heat, {}, &LineHeat::part);
    if (most == heat.end() || most->part == 0) return 0;
    return static_cast<std::size_t>(most - heat.begin()) + 1;
  }
  // The line's text.
  [[nodiscard]] std::string text_of(std::size_t line) {
    const std::string& source = variant().source();
    std::size_t begin = 0;
    for (std::size_t i = 1; i < line; ++i) begin = source.find('\n', begin) + 1;
    return source.substr(begin, source.find('\n', begin) - begin);
  }
};

TEST_F(HeatColumnTest, CountsOneThingAtATimeOnItsOwnScale) {
  show("gemm/naive");
  EXPECT_EQ(state().heat_column, HeatColumn::kSectors);
  ASSERT_NE(dearest(), 0U);
  const LineHeat sectors = state().digest.source_heat[dearest() - 1];
  EXPECT_EQ(sectors.part, 1);
  EXPECT_GT(sectors.least, 0);
  EXPECT_LE(sectors.least, sectors.part);
  EXPECT_NE(sectors.words.find("sectors, ideal"), std::string::npos) << sectors.words;

  state().heat_column = HeatColumn::kWavefronts;
  draw_frame();
  EXPECT_EQ(dearest(), 0U);  // nothing is shared

  state().heat_column = HeatColumn::kExecuted;
  draw_frame();
  ASSERT_NE(dearest(), 0U);
  const LineHeat executed = state().digest.source_heat[dearest() - 1];
  EXPECT_EQ(executed.least, 0);
  EXPECT_NE(executed.words.find("warp instructions"), std::string::npos) << executed.words;
}

TEST_F(HeatColumnTest, ExecutedShowsTheLineThatComputes) {
  show("gemm/register_tile");
  state().heat_column = HeatColumn::kExecuted;
  draw_frame();
  ASSERT_NE(dearest(), 0U);
  EXPECT_NE(text_of(dearest()).find("multiply_tile"), std::string::npos) << text_of(dearest());
}

TEST_F(HeatColumnTest, TheTitleAndAKeyShowTheNext) {
  show("gemm/naive");
  act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Source/heat column"); });
  EXPECT_EQ(state().heat_column, HeatColumn::kWavefronts);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_H); });
  EXPECT_EQ(state().heat_column, HeatColumn::kExecuted);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiKey_H); });
  EXPECT_EQ(state().heat_column, HeatColumn::kSectors);
}

}  // namespace
}  // namespace tilescope
