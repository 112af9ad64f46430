// A line of the source under the pointer is lit wherever it has a part.
#include <imgui.h>
#include <imgui_te_context.h>

#include <algorithm>

#include "ui/source/source_editor.h"
#include "ui/state/view_context.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

class HoveredLineTest : public UiTest {
 protected:
  // The first line of the kernel that loads from global memory.
  std::uint32_t show_loading_line() {
    workbench_->choose_kernel(entry("gemm/shared_tile"));
    for (const char* name : {"M", "N", "K"}) workbench_->set_extent(name, 128);
    settle();
    const auto found = std::ranges::find_if(state().digest.lines, [](const LineCounters& line) {
      return line.access == AccessKind::kLoad && line.space == MemorySpace::kGlobal;
    });
    if (found == state().digest.lines.end()) return 0;
    state().sought_line = found->line.line;
    draw_frames(4);
    return found->line.line;
  }
  void point_at(std::uint32_t line) {
    const Point place = state().editor.place_of(line);
    act([&](ImGuiTestContext& ctx) {
      ctx.MouseMoveToPos({place.x + 2, place.y - 8});
      ctx.Yield(3);
    });
  }
};

TEST_F(HoveredLineTest, InTheSourceLightsItsAccessesInTheView) {
  const std::uint32_t line = show_loading_line();
  ASSERT_NE(line, 0U);
  state().raise = View::kCoalescing;
  settle();
  const auto lit = [&] {
    return view_context(state(), variant().study.get(), variant()).hovered_line;
  };
  EXPECT_EQ(lit(), 0U);
  point_at(line);
  EXPECT_EQ(state().hovered_line, line);
  EXPECT_EQ(lit(), line);
  EXPECT_EQ(variant().selection.line, 0U) << "nothing is chosen";
  act([](ImGuiTestContext& ctx) {
    ctx.MouseMoveToPos({4, 4});
    ctx.Yield(3);
  });
  EXPECT_EQ(state().hovered_line, 0U);
  EXPECT_EQ(lit(), 0U);
}

TEST_F(HoveredLineTest, WhileOneWritesNothingIsLit) {
  const std::uint32_t line = show_loading_line();
  ASSERT_NE(line, 0U);
  state().editing = true;
  draw_frames(2);
  point_at(line);
  EXPECT_EQ(state().hovered_line, 0U);
}

}  // namespace
}  // namespace tilescope
