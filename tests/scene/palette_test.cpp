#include "scene/palette.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tilescope {
namespace {

void expect_hex(const Rgba& c, int r, int g, int b, float tolerance) {
  EXPECT_NEAR(c.r * 255, r, tolerance);
  EXPECT_NEAR(c.g * 255, g, tolerance);
  EXPECT_NEAR(c.b * 255, b, tolerance);
}

Paint viridis(float t) {
  Paint paint = Paint::lane(0);
  paint.value = t;
  return paint;
}

// matplotlib's own table entries.
TEST(Palette, ViridisFollowsThePublishedTable) {
  constexpr float kOff = 5.5f;  // of 255; the fit's error
  expect_hex(colour(viridis(0.0f), Theme::kDark), 0x44, 0x01, 0x54, kOff);
  expect_hex(colour(viridis(0.25f), Theme::kDark), 0x3b, 0x52, 0x8b, kOff);
  expect_hex(colour(viridis(0.5f), Theme::kDark), 0x21, 0x91, 0x8c, kOff);
  expect_hex(colour(viridis(0.75f), Theme::kDark), 0x5e, 0xc9, 0x62, kOff);
  expect_hex(colour(viridis(1.0f), Theme::kDark), 0xfd, 0xe7, 0x25, kOff);
}

TEST(Palette, InfernoFollowsThePublishedTable) {
  constexpr float kOff = 7.0f;
  expect_hex(colour(Paint::heat(0.25f), Theme::kDark), 0x57, 0x10, 0x6e, kOff);
  expect_hex(colour(Paint::heat(0.5f), Theme::kDark), 0xbc, 0x37, 0x54, kOff);
  expect_hex(colour(Paint::heat(0.75f), Theme::kDark), 0xf9, 0x8e, 0x09, kOff);
}

TEST(Palette, RolesHaveTheColoursOfTheTable) {
  expect_hex(colour(ColourRole::kBackground, Theme::kDark), 0x0E, 0x11, 0x16, 0.5f);
  expect_hex(colour(ColourRole::kExcess, Theme::kLight), 0xC8, 0x34, 0x0A, 0.5f);
  expect_hex(colour(ColourRole::kSelection, Theme::kDark), 255, 255, 255, 0.5f);
  expect_hex(colour(ColourRole::kBackground, Theme::kPaper), 255, 255, 255, 0.5f);
}

TEST(Palette, LanesRunFromDarkToBright) {
  const auto brightness = [](int lane) {
    const Rgba c = colour(Paint::lane(lane), Theme::kDark);
    return 0.2126f * c.r + 0.7152f * c.g + 0.0722f * c.b;
  };
  for (int lane = 1; lane < 32; ++lane) EXPECT_GT(brightness(lane), brightness(lane - 1)) << lane;
}

float luminance(const Rgba& c) {
  const auto linear = [](float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
  };
  return 0.2126f * linear(c.r) + 0.7152f * linear(c.g) + 0.0722f * linear(c.b);
}

float contrast(const Rgba& a, const Rgba& b) {
  const float x = luminance(a);
  const float y = luminance(b);
  return (std::max(x, y) + 0.05f) / (std::min(x, y) + 0.05f);
}

TEST(Palette, TextStandsOutOnEveryLane) {
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    for (int lane = 0; lane < 32; ++lane) {
      const Paint under = Paint::lane(lane);
      EXPECT_GE(contrast(colour(under, theme), colour(text_on(under, theme), theme)), 4.0f)
          << name_of(theme) << " lane " << lane;
    }
  }
}

TEST(Palette, TextAndDimAreLegibleOnPanels) {
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    const Rgba panel = colour(ColourRole::kPanel, theme);
    EXPECT_GE(contrast(colour(ColourRole::kText, theme), panel), 9.9f) << name_of(theme);
    EXPECT_GE(contrast(colour(ColourRole::kDim, theme), panel), 4.9f) << name_of(theme);
  }
}

TEST(Palette, UntouchedCellsAreFaintAndHotOnesAreNot) {
  for (const Theme theme : {Theme::kDark, Theme::kLight}) {
    EXPECT_LT(cell_colour(0, ColourRole::kFirst, theme).a, 0.2f);
    EXPECT_EQ(cell_colour(1, ColourRole::kFirst, theme).a, 1.0f);
    EXPECT_GT(luminance(cell_colour(255, ColourRole::kFirst, theme)),
              luminance(cell_colour(1, ColourRole::kFirst, theme)));
  }
}

TEST(Palette, ThemesAreReadByName) {
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    EXPECT_EQ(parse_theme(name_of(theme)), theme);
  }
  EXPECT_FALSE(parse_theme("sepia").has_value());
}

}  // namespace
}  // namespace tilescope
