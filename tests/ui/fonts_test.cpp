#include "ui/drawing/fonts.h"

#include <imgui.h>
#include <imgui_internal.h>

#include "ui_fixture.h"

namespace tilescope {
namespace {

class FontsTest : public UiTest {};

// ImGui moves what it keeps of a font's sizes when one of them is thrown away.
TEST_F(FontsTest, GlyphsHaveTheirSizeHoweverManySizesCameAndWent) {
  draw_frame();
  for (ImFont* font : {state().fonts.text(Weight::kBold), state().fonts.mono(Weight::kBold),
                       state().fonts.figures(Weight::kBold)}) {
    ImFontBaked* gone = font->GetFontBaked(52);
    const float wide = font->GetFontBaked(104)->GetCharAdvance('w');
    (void)gone->GetCharAdvance('w');
    ImFontAtlasBakedDiscard(ImGui::GetIO().Fonts, font, gone);
    draw_frame();
    ImFontBaked* moved = font->GetFontBaked(104);
    ASSERT_EQ(moved, gone);
    EXPECT_GT(moved->GetCharAdvance('m'), 0.8F * wide);
  }
}

}  // namespace
}  // namespace tilescope
