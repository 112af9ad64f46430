#include "export/svg_canvas.h"

#include <gtest/gtest.h>

#include <array>

#include "export/drawn_shapes.h"

namespace tilescope {
namespace {

TEST(SvgCanvas, TextStaysTextAndIsEscaped) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts);
  TextStyle style;
  style.font = Font::kMono;
  style.weight = Weight::kSemibold;
  style.align = Align::kRight;
  canvas.text({90, 20}, "a<b> & c", style);
  const std::string svg = canvas.document("title");
  EXPECT_NE(svg.find("a&lt;b&gt; &amp; c</text>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("text-anchor=\"end\""), std::string::npos);
  EXPECT_NE(svg.find("font-weight=\"600\""), std::string::npos);
  EXPECT_NE(svg.find("class=\"m\""), std::string::npos);
}

TEST(SvgCanvas, RunsOfASentenceKeepTheirWidthInAnyFont) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts);
  TextStyle style;
  canvas.text({10, 20}, "alone", style);
  EXPECT_EQ(canvas.document("t").find("textLength"), std::string::npos);
  style.keeps_width = true;
  canvas.text({10, 40}, "Step 34 of 66 ", style);
  EXPECT_NE(canvas.document("t").find("textLength=\""), std::string::npos);
}

TEST(SvgCanvas, TooltipsBecomeTitles) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts);
  canvas.hit({1, 2, 3, 4}, {.kind = HitKind::kLane, .value = 3, .tooltip = "Lane 3 loads 4 B."});
  canvas.hit({1, 2, 3, 4}, {.kind = HitKind::kLane, .value = 3});
  const std::string svg = canvas.document("t");
  EXPECT_NE(svg.find("<title>Lane 3 loads 4 B.</title>"), std::string::npos);
  EXPECT_EQ(svg.find("<title></title>"), std::string::npos);
}

TEST(SvgCanvas, ClipsAreClosed) {
  const FontLibrary fonts;
  SvgCanvas canvas(100, 50, Theme::kLight, fonts);
  canvas.push_clip({0, 0, 10, 10});
  canvas.fill_rect({0, 0, 20, 20}, ColourRole::kIdeal, 0);
  canvas.pop_clip();
  const std::string svg = canvas.document("t");
  EXPECT_NE(svg.find("clip-path=\"url(#c1)\""), std::string::npos);
  EXPECT_LT(svg.find("<rect x=\"0\" y=\"0\" width=\"20\""), svg.find("</g>"));
}

CellGrid checkers(std::uint32_t rows, std::uint32_t cols) {
  auto heat = std::make_shared<std::vector<std::uint8_t>>(std::size_t{rows} * cols);
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < cols; ++c)
      (*heat)[std::size_t{r} * cols + c] = (r + c) % 2 ? 255 : 0;
  }
  CellGrid grid;
  grid.rows = rows;
  grid.cols = cols;
  grid.heat = heat;
  return grid;
}

TEST(HeatRects, CoverTheGridOnce) {
  const CellGrid grid = checkers(8, 6);
  float area = 0;
  for (const HeatRect& cell : heat_rects({0, 0, 60, 80}, grid, {0, 0, 8, 6}))
    area += cell.rect.w * cell.rect.h;
  EXPECT_NEAR(area, 60 * 80, 0.5);
}

TEST(HeatRects, ABandIsOneRectangle) {
  CellGrid grid;
  grid.rows = grid.cols = 512;
  auto heat = std::make_shared<std::vector<std::uint8_t>>(512u * 512);
  for (std::size_t i = 128u * 512; i < 160u * 512; ++i) (*heat)[i] = 200;
  grid.heat = heat;
  EXPECT_EQ(heat_rects({0, 0, 512, 512}, grid, {0, 0, 512, 512}).size(), 3u);
}

TEST(HeatRects, FromAfarTheHottestCellShows) {
  CellGrid grid;
  grid.rows = grid.cols = 1024;
  auto heat = std::make_shared<std::vector<std::uint8_t>>(1024u * 1024);
  (*heat)[500u * 1024 + 700] = 255;
  grid.heat = heat;
  bool found = false;
  for (const HeatRect& cell : heat_rects({0, 0, 64, 64}, grid, {0, 0, 1024, 1024})) {
    if (cell.heat != 255) continue;
    found = true;
    EXPECT_TRUE(cell.rect.contains({700.0f / 16, 500.0f / 16}));
  }
  EXPECT_TRUE(found);
}

TEST(HatchLines, StayInsideTheirRectangle) {
  const Rect rect{13, 7, 40, 22};
  const auto lines = hatch_lines(rect, 6);
  EXPECT_GT(lines.size(), 5u);
  for (const auto& [from, to] : lines) {
    for (const Point& p : {from, to}) {
      EXPECT_GE(p.x, rect.x - 0.01f);
      EXPECT_LE(p.x, rect.right() + 0.01f);
      EXPECT_GE(p.y, rect.y - 0.01f);
      EXPECT_LE(p.y, rect.bottom() + 0.01f);
    }
  }
}

}  // namespace
}  // namespace tilescope
