#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>
#include <memory>
#include <vector>

#include "ui/drawing/cell_renderer.h"
#include "ui/platform/platform.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

TEST(FramePixels, ABlackPictureIsNotDrawn) {
  Screenshot picture{2, 2, std::vector<std::uint8_t>(16)};
  EXPECT_FALSE(is_drawn(picture));
  picture.rgba[15] = 255;  // alpha alone shows nothing
  EXPECT_FALSE(is_drawn(picture));
  picture.rgba[14] = 1;
  EXPECT_TRUE(is_drawn(picture));
}

// OpenGL draws each cell where it lies and in the colour that the palette gives its heat.
TEST_F(UiTest, CellsHaveTheColoursOfTheirHeat) {
  constexpr std::uint32_t kRows = 2;
  constexpr std::uint32_t kColumns = 4;
  constexpr float kSide = 40;
  const auto heat = std::make_shared<const std::vector<std::uint8_t>>(
      std::vector<std::uint8_t>{0, 40, 120, 255, 255, 200, 80, 1});
  const CellGrid grid{.rows = kRows, .cols = kColumns, .heat = heat, .tint = ColourRole::kFirst};
  const Rect place{200, 300, kColumns * kSide, kRows * kSide};
  for (const Theme theme : {Theme::kDark, Theme::kLight}) {
    Result<CellRenderer> renderer = CellRenderer::create();
    ASSERT_TRUE(renderer.ok()) << to_string(renderer.error());
    platform_->begin_frame();
    ImGui::NewFrame();
    renderer->begin_frame(1920, 1080, 1);
    ImDrawList* list = ImGui::GetForegroundDrawList();
    list->AddRectFilled({place.x, place.y}, {place.right(), place.bottom()}, IM_COL32_BLACK);
    renderer->draw(list, place, grid, {0, 0, kRows, kColumns}, theme, 1);
    ImGui::Render();
    platform_->end_frame();
    const Screenshot picture = platform_->read_pixels();
    for (std::uint32_t cell = 0; cell < kRows * kColumns; ++cell) {
      const auto x =
          static_cast<std::size_t>(place.x + (static_cast<float>(cell % kColumns) + 0.5F) * kSide);
      const auto y =
          static_cast<std::size_t>(place.y + (static_cast<float>(cell / kColumns) + 0.5F) * kSide);
      const std::uint8_t* pixel =
          picture.rgba.data() + (y * static_cast<std::size_t>(picture.width) + x) * 4;
      const Rgba want = cell_colour(heat->at(cell), grid.tint, theme);
      EXPECT_NEAR(pixel[0], want.r * want.a * 255, 2) << "heat " << int{heat->at(cell)};
      EXPECT_NEAR(pixel[1], want.g * want.a * 255, 2) << "heat " << int{heat->at(cell)};
      EXPECT_NEAR(pixel[2], want.b * want.a * 255, 2) << "heat " << int{heat->at(cell)};
    }
  }
}

}  // namespace
}  // namespace tilescope
