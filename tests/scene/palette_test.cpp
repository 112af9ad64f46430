#include "scene/drawing/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/time/pipeline.h"
#include "colour_vision.h"
#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/view/phase_paint.h"
#include "scene/view/view.h"
#include "scene/views.h"

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

constexpr std::array kThemes{Theme::kDark, Theme::kLight, Theme::kPaper};
constexpr std::array kCategories{ColourRole::kFirst, ColourRole::kSecond, ColourRole::kThird,
                                 ColourRole::kFourth};

double seen_difference(ColourRole a, ColourRole b, Theme theme, Vision vision) {
  return difference(as_seen(colour(a, theme), vision), as_seen(colour(b, theme), vision));
}

// CAM02-UCS of colours whose place is published or known.
TEST(ColourVision, DistancesHaveTheirKnownEnds) {
  EXPECT_NEAR(difference({1, 1, 1, 1}, {0, 0, 0, 1}), 100, 0.1);
  EXPECT_NEAR(difference({0.5f, 0.5f, 0.5f, 1}, {0.5f, 0.5f, 0.5f, 1}), 0, 1e-9);
  EXPECT_NEAR(lightness({0.5f, 0.5f, 0.5f, 1}), 53.4, 0.1);  // mid grey
  // Greys stay what they are, for everyone.
  for (const Vision vision : kVisions) {
    EXPECT_LT(difference(as_seen({0.4f, 0.4f, 0.4f, 1}, vision), {0.4f, 0.4f, 0.4f, 1}), 0.1);
  }
}

TEST(Palette, CategoriesStayApartForEveryVision) {
  for (const Theme theme : kThemes) {
    const double least = theme == Theme::kDark ? 12.5 : 14;
    for (const Vision vision : kVisions) {
      for (std::size_t i = 0; i < kCategories.size(); ++i) {
        for (std::size_t j = i + 1; j < kCategories.size(); ++j) {
          EXPECT_GE(seen_difference(kCategories[i], kCategories[j], theme, vision), least)
              << name_of(theme) << ", " << name_of(vision) << ": categories " << i + 1 << " and "
              << j + 1;
        }
      }
    }
  }
}

TEST(Palette, IdealAndExcessStayApartForEveryVision) {
  for (const Theme theme : kThemes) {
    for (const Vision vision : kVisions) {
      EXPECT_GE(seen_difference(ColourRole::kIdeal, ColourRole::kExcess, theme, vision), 25)
          << name_of(theme) << ", " << name_of(vision);
    }
  }
}

// Greyscale keeps lightness alone, which these pairs share; a letter, a hatch or a figure tells
// them apart where they meet: the tests below.
TEST(Palette, GreyscaleLeavesThesePairsToLettersAndHatches) {
  constexpr double kLeast = 10;  // of L*
  using Pairs = std::vector<std::pair<int, int>>;
  for (const Theme theme : kThemes) {
    const auto gap = [&](ColourRole a, ColourRole b) {
      return std::abs(lightness(colour(a, theme)) - lightness(colour(b, theme)));
    };
    Pairs close;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) {
        if (gap(kCategories[static_cast<std::size_t>(i)],
                kCategories[static_cast<std::size_t>(j)]) < kLeast) {
          close.emplace_back(i + 1, j + 1);
        }
      }
    }
    const bool dark = theme == Theme::kDark;
    EXPECT_EQ(close, dark ? Pairs({{1, 4}}) : Pairs({{1, 3}, {1, 4}, {3, 4}})) << name_of(theme);
    EXPECT_EQ(gap(ColourRole::kIdeal, ColourRole::kExcess) >= kLeast, dark) << name_of(theme);
  }
}

TEST(Palette, WaitingForABarrierIsHatchedInThePipeline) {
  std::string why;
  const auto study =
      catalogue_study("gemm/shared_tile", {}, {{"M", 64}, {"N", 64}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  RecordingCanvas canvas;
  draw_view(View::kPipeline, canvas, {0, 0, 1176, 560}, catalogue_context(*study));
  int seen = 0;
  for (const RecordingCanvas::Shape& fill : canvas.fills) {
    if (fill.paint.role != ColourRole::kFourth || fill.box.w < 4) continue;
    ++seen;
    EXPECT_TRUE(std::ranges::any_of(canvas.marks,
                                    [&](const auto& mark) {
                                      return mark.box.x == fill.box.x && mark.box.y == fill.box.y &&
                                             mark.box.w == fill.box.w &&
                                             mark.paint.role == ColourRole::kBackground;
                                    }))
        << "at " << fill.box.x << ", " << fill.box.y;
  }
  EXPECT_GT(seen, 1);  // the legend's and a warp's
}

// Reasons to wait that are drawn alike in pattern must differ in colour, for everyone.
TEST(Palette, ReasonsToWaitStayApartForEveryVision) {
  for (std::size_t i = 0; i < kStallCount; ++i) {
    for (std::size_t j = i + 1; j < kStallCount; ++j) {
      const StallMark a = mark_of(static_cast<Stall>(i));
      const StallMark b = mark_of(static_cast<Stall>(j));
      // The barrier's solid mark is hatched over.
      const bool barrier =
          a.paint.role == ColourRole::kFourth || b.paint.role == ColourRole::kFourth;
      if (a.pattern != b.pattern || barrier) continue;
      for (const Theme theme : kThemes) {
        for (const Vision vision : kVisions) {
          EXPECT_GE(seen_difference(a.paint.role, b.paint.role, theme, vision), 12)
              << name_of(static_cast<Stall>(i)) << " and " << name_of(static_cast<Stall>(j)) << ", "
              << name_of(theme) << ", " << name_of(vision);
        }
      }
    }
  }
}

TEST(Palette, EveryPartOfTheWarpsTimeHasItsMarkInALegend) {
  std::string why;
  const auto study =
      catalogue_study("gemm/shared_tile", {}, {{"M", 64}, {"N", 64}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  const WarpTiming& timing = study->pipeline->timing;
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  RecordingCanvas canvas;
  draw_view(View::kPipeline, canvas, {0, 0, 1176, 560}, catalogue_context(*study));
  for (std::size_t i = 1; i < kStallCount; ++i) {
    if (timing.stalled[i] * 100 < all) continue;  // less than 1 %
    const std::string name = name_of(static_cast<Stall>(i));
    const auto words = std::ranges::find_if(
        canvas.texts, [&](const auto& text) { return text.words.starts_with(name + " "); });
    ASSERT_NE(words, canvas.texts.end()) << name << "\n" << canvas.all_text();
    const auto left_of_it = [&](const auto& shape) {
      return shape.box.right() <= words->box.x && shape.box.right() > words->box.x - 8 &&
             std::abs(shape.box.center().y - words->box.center().y) < 4 &&
             shape.paint.role == mark_of(static_cast<Stall>(i)).paint.role;
    };
    EXPECT_TRUE(std::ranges::any_of(canvas.fills, left_of_it) ||
                std::ranges::any_of(canvas.marks, left_of_it))
        << name;
  }
}

TEST(Palette, PathsOfAWarpCarryLetters) {
  std::string why;
  const auto study = catalogue_study("divergence/switch", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  RecordingCanvas canvas;
  draw_view(View::kDivergence, canvas, {0, 0, 1176, 560}, catalogue_context(*study));
  for (std::size_t path = 0; path < kCategories.size(); ++path) {
    const std::string letter(1, static_cast<char>('A' + path));
    const bool lettered = std::ranges::any_of(canvas.texts, [&](const auto& text) {
      return text.words == letter && std::ranges::any_of(canvas.fills, [&](const auto& fill) {
               return fill.paint.role == kCategories[path] && fill.box.x <= text.box.x &&
                      text.box.right() <= fill.box.right() && fill.box.y <= text.box.center().y &&
                      text.box.center().y <= fill.box.bottom();
             });
    });
    EXPECT_TRUE(lettered) << letter << "\n" << canvas.all_text();
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
