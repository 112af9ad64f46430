#include "scene/rates/rate_figure.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "kernel/test_catalogue.h"
#include "scene/rates/rate_chart_data.h"
#include "scene/recording_canvas.h"

namespace tilescope {
namespace {

ChartPoint point(double x, double rate, double reference, bool chosen) {
  ChartPoint made =
      chart_point({.problem = testing::problem("gemm"),
                   .cost = {.flop = 1e9, .bytes = 1e8},
                   .median_seconds = 1e9 / rate,
                   .p5_seconds = 0.98e9 / rate,
                   .p95_seconds = 1.1e9 / rate,
                   .reference_seconds = reference > 0 ? 1e9 / reference : 0},
                  Source::kRecorded, {{"NVIDIA H200"}, "NVRTC 13.0", "2026-11-30", "cuBLAS"});
  made.x = x;
  made.chosen = chosen;
  return made;
}

RateFigure figure(std::vector<ChartPoint> points, RateUnit unit = RateUnit::kFlopPerSecond) {
  CatalogueEntry entry;
  entry.id = "gemm/naive";
  entry.problem = testing::problem("gemm");
  RateChart chart;
  chart.labels = {"8", "16", "32"};
  if (!points.empty()) chart.series.push_back({0, std::move(points)});
  return rate_figure({0, &entry, {{"TILE", 16}}, {{"M", 64}, {"N", 64}, {"K", 64}}}, "TILE", unit,
                     std::move(chart), {"cuBLAS", 6e13, "H200"});
}

TEST(RateSentence, TheChosenPlaceIsNotTheHighest) {
  EXPECT_EQ(plain(rate_sentence(figure({point(0, 2e13, 4e13, false), point(1, 1e13, 4e13, true)}))),
            "gemm/naive reaches 10.0 TFLOP/s, 25.0 % of cuBLAS at TILE 16. Its highest of 2 is "
            "20.0 TFLOP/s, 50.0 % of cuBLAS at TILE 8.");
}

TEST(RateSentence, TheChosenPlaceIsTheHighest) {
  EXPECT_EQ(plain(rate_sentence(figure({point(0, 1e13, 0, false), point(1, 2e13, 0, true)}))),
            "gemm/naive reaches 20.0 TFLOP/s at TILE 16, its highest of 2.");
}

TEST(RateSentence, InTime) {
  EXPECT_EQ(plain(rate_sentence(figure({point(0, 2e13, 4e13, false), point(1, 1e13, 4e13, true)},
                                       RateUnit::kTime))),
            "gemm/naive takes 0.100 ms, 25.0 % of cuBLAS's speed at TILE 16. Its shortest of 2 is "
            "50.00 µs, 50.0 % of cuBLAS's speed at TILE 8.");
}

TEST(RateSentence, InShares) {
  EXPECT_EQ(
      plain(rate_sentence(figure({point(0, 3e13, 4e13, true)}, RateUnit::kPeakShare))),
      "gemm/naive reaches 50.0 % of the peak, 75.0 % of cuBLAS at TILE 8, the only known point.");
  EXPECT_EQ(plain(rate_sentence(figure({point(0, 3e13, 4e13, true)}, RateUnit::kReferenceShare))),
            "gemm/naive reaches 75.0 % of cuBLAS at TILE 8, the only known point.");
}

TEST(RateSentence, OnePlaceAlone) {
  EXPECT_EQ(plain(rate_sentence(figure({point(1, 2e13, 0, true)}))),
            "gemm/naive reaches 20.0 TFLOP/s at TILE 16, the only known point.");
}

TEST(RateSentence, NothingIsKnown) {
  EXPECT_EQ(plain(rate_sentence(figure({}))),
            "No time of gemm/naive is known with these parameters.");
}

TEST(RateSentence, Live) {
  RateFigure live = figure({});
  live.over = RateFigure::Over::kTime;
  EXPECT_EQ(plain(rate_sentence(live)), "Nothing ran in the last minute.");
  live.live = {{0, {{-2, 1e13}, {-1, 2e13}}}};
  EXPECT_EQ(plain(rate_sentence(live)),
            "2 launches of the last minute, one point each. The most recent of gemm/naive reaches "
            "20.0 TFLOP/s.");
  live.live_reference = 4e13;
  EXPECT_EQ(plain(rate_sentence(live)),
            "2 launches of the last minute, one point each. The most recent of gemm/naive reaches "
            "20.0 TFLOP/s, 50.0 % of cuBLAS.");
}

TEST(RateSentence, LiveSaysWhichTimeItShows) {
  RateFigure live = figure({});
  live.over = RateFigure::Over::kTime;
  live.live_seconds = 15;
  EXPECT_EQ(plain(rate_sentence(live)), "Nothing ran in the last 15 s.");
  live.live_back = 120;
  live.live_seconds = 300;
  EXPECT_EQ(plain(rate_sentence(live)),
            "Nothing ran in 5.0 min that ended 2.0 min before the last launch.");
}

TEST(RateFigure, LiveShowsTheWindowsTimeAndSaysThatItIsMeasured) {
  RateFigure live = figure({});
  live.over = RateFigure::Over::kTime;
  live.live = {{0, {{-50, 1e13}, {-1, 2e13}}}};
  live.live_seconds = 100;
  live.live_back = 20;
  ViewContext context;
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 1128, 540}, context, live);
  for (const char* words : {"-2.0 min", "-70 s", "-20 s", "measured"}) {
    EXPECT_TRUE(canvas.says(words)) << words;
  }
}

TEST(RateFigure, SaysWhereItsPointsComeFrom) {
  const RateFigure known = figure({point(0, 1e13, 0, false)});
  EXPECT_EQ(known.gpus(), "NVIDIA H200");
  EXPECT_EQ(known.toolkits(), "NVRTC 13.0");
  EXPECT_EQ(known.newest_date(), "2026-11-30");
  EXPECT_EQ(known.reference, "cuBLAS");
  EXPECT_FALSE(known.is_of_this_run());
}

TEST(RateFigure, APeakThatIsFarAboveIsNamedAtTheEdge) {
  const RateFigure near = figure({point(0, 4e13, 0, false)});
  EXPECT_DOUBLE_EQ(near.largest(), 6e13);
  const RateFigure far = figure({point(0, 1e13, 0, false)});
  EXPECT_LT(far.largest(), 2e13);
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 1128, 540}, {}, far);
  EXPECT_TRUE(canvas.says("peak 60.0 ↑")) << canvas.all_text();
}

TEST(RateFigure, AUnitThatCannotBeHadIsNamed) {
  EXPECT_EQ(plain(rate_sentence(figure({point(0, 1e13, 0, true)}, RateUnit::kReferenceShare))),
            "Times of gemm/naive are known, but no reference was measured with them.");
  EXPECT_EQ(plain(rate_sentence(figure({}))),
            "No time of gemm/naive is known with these parameters.");
}

TEST(RateFigure, AReferenceFarAboveIsNamedAtTheEdgeAndLeavesThePointsTheirHeight) {
  const RateFigure near = figure({point(0, 1e13, 4e13, true), point(1, 1e13, 4e13, false)});
  EXPECT_GE(near.largest(), 4e13);
  const RateFigure far = figure({point(0, 1e12, 4e13, true), point(1, 1e12, 4e13, false)});
  EXPECT_LT(far.largest(), 2e12);
  ViewContext context;
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 1128, 540}, context, far);
  EXPECT_TRUE(canvas.says("cuBLAS 40.0 ↑")) << canvas.all_text();
}

RateChart over_sides(std::vector<double> sides) {
  RateChart chart;
  for (const double side : sides) chart.labels.push_back(std::to_string(side));
  chart.sides = std::move(sides);
  return chart;
}

std::string ticks_of(const RateChart& chart) {
  std::string words;
  for (const PlaceAxis::Tick& tick : place_axis(chart).ticks) words += tick.words + " ";
  return words;
}

TEST(PlaceAxis, SizesStandAtTheirLogarithmAndTicksAtPowersOfTwo) {
  const RateChart chart = over_sides({1000, 2048, 2049, 8192});
  EXPECT_EQ(ticks_of(chart), "1,024 2,048 4,096 8,192 ");
  EXPECT_LT(chart.place(2) - chart.place(1), 0.001);
  EXPECT_DOUBLE_EQ(chart.place(3) - chart.place(1), 2);
}

TEST(PlaceAxis, AFewSizesHaveTwoTicksAroundThem) {
  EXPECT_EQ(ticks_of(over_sides({3000})), "2,048 4,096 ");
  EXPECT_EQ(ticks_of(over_sides({2048})), "1,024 2,048 4,096 ");
  EXPECT_EQ(ticks_of(over_sides({3000, 3500})), "2,048 4,096 ");
}

TEST(PlaceAxis, AParametersValuesStandAtEqualSteps) {
  RateChart chart;
  chart.labels = {"8", "64"};
  EXPECT_EQ(ticks_of(chart), "8 64 ");
  EXPECT_EQ(chart.place(1) - chart.place(0), 1);
}

TEST(RateFigure, NamesThePointsOfItsSentenceAndKeepsOffTheGrid) {
  std::vector<ChartPoint> crowd;
  for (int i = 0; i < 40; ++i) crowd.push_back(point(i, 3.7e13 + 2e11 * i, 0, i == 7));
  RateFigure many = figure(crowd);
  many.chart.labels.assign(40, "8");
  ViewContext context;
  RecordingCanvas crowded;
  draw_rate_figure(crowded, {0, 0, 660, 330}, context, many);
  EXPECT_TRUE(crowded.says("38.4")) << "where the parameters stand";
  EXPECT_TRUE(crowded.says("44.8")) << "the highest";
  // Below its point lies the grid's line of 20, above it the line to the next one.
  RecordingCanvas canvas;
  draw_rate_figure(
      canvas, {0, 0, 1128, 540}, context,
      figure({point(0, 4.6e13, 0, false), point(1, 2.35e13, 0, true), point(2, 4.6e13, 0, false)}));
  const auto box_of = [&](std::string_view words) {
    const auto found = std::ranges::find(canvas.texts, words, &RecordingCanvas::Text::words);
    EXPECT_NE(found, canvas.texts.end()) << words;
    return found == canvas.texts.end() ? Rect{} : found->box;
  };
  const Rect value = box_of("23.5");
  const Rect tick = box_of("20");
  EXPECT_TRUE(value.bottom() < tick.center().y || value.y > tick.center().y);
}

// In a small chart a value without room stays away: beside another point it would be read as that
// one's. The least, the highest and the present one are always there.
TEST(RateFigure, AValueIsNearerToItsPointThanToTheNext) {
  std::vector<ChartPoint> points;
  for (int i = 0; i < 9; ++i) points.push_back(point(i, 3.01e13 + 1e11 * (i * 5 % 9), 0, i == 4));
  RateFigure nine = figure(points);
  nine.chart.labels = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"};
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 336, 240}, {}, nine);
  const auto centre_of = [&](const std::string& words) -> std::optional<float> {
    const auto found = std::ranges::find(canvas.texts, words, &RecordingCanvas::Text::words);
    return found == canvas.texts.end() ? std::nullopt : std::optional(found->box.center().x);
  };
  ASSERT_TRUE(centre_of("t0") && centre_of("t8")) << canvas.all_text();
  const float pitch = (*centre_of("t8") - *centre_of("t0")) / 8;
  std::size_t named = 0;
  for (int i = 0; i < 9; ++i) {
    const int rank = i * 5 % 9;
    const auto centre = centre_of(fmt::format("{:.1f}", 30.1 + 0.1 * rank));
    const bool needed = rank == 0 || rank == 8 || i == 4;
    EXPECT_TRUE(centre || !needed) << i << ": " << canvas.all_text();
    if (!centre) continue;
    ++named;
    const float place = *centre_of("t0") + pitch * static_cast<float>(i);
    EXPECT_TRUE(needed || std::abs(*centre - place) <= pitch / 2 + 0.5f) << i;
  }
  EXPECT_GE(named, 4U) << canvas.all_text();
}

TEST(RateFigure, ItsReferenceIsThatOfThePresentValues) {
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 1128, 540}, {},
                   figure({point(0, 3e13, 4.84e13, false), point(1, 3e13, 4.88e13, true)}));
  EXPECT_TRUE(canvas.says("cuBLAS 48.8")) << canvas.all_text();
}

TEST(RateFigure, LaysOutSoundly) {
  std::vector<RateFigure> figures = {
      figure({}), figure({point(1, 2e13, 0, true)}),
      figure({point(0, 3.9e13, 4e13, false), point(1, 4e13, 4.1e13, true),
              point(2, 3.95e13, 2e13, false)})};
  figures.back().chart.marks = {{0, 5e12, "RTX 3080"}, {1, 5e12, "GTX 1080 Ti"}};
  RateFigure live = figures.back();
  live.over = RateFigure::Over::kTime;
  live.chart = {};
  live.live = {{0, {{-50, 1e13}, {-49.5, 2e13}, {-1, 2e13}}}};
  live.changes = {{-30, "TILE 16"}, {-29, "TILE 32"}};
  live.live_reference = 4e13;
  figures.push_back(live);
  for (const RateFigure& each : figures) {
    for (const Rect& area : {Rect{0, 0, 1128, 540}, Rect{0, 0, 660, 330}}) {
      for (const float scale : {1.0F, 1.6F}) {
        ViewContext context;
        context.text_scale = scale;
        RecordingCanvas canvas;
        draw_rate_figure(canvas, area, context, each);
        EXPECT_EQ(canvas.complaint(area, 11), "")
            << title_of(each) << " " << area.w << " " << scale;
      }
    }
  }
}

TEST(RateFigure, ItsNumbersAreWritten) {
  RateFigure known = figure({point(0, 3.9e13, 4e13, false), point(1, 4e13, 4e13, true)});
  known.chart.marks = {{0, 5e12, "RTX 3080"}};
  RecordingCanvas canvas;
  draw_rate_figure(canvas, {0, 0, 1128, 540}, {}, known);
  NumberList list;
  add_rate_numbers(list, known);
  const std::vector<DrawnNumber> numbers = list.take();
  std::size_t rates = 0;
  for (const DrawnNumber& number : numbers) {
    if (number.name != "rate") continue;
    ++rates;
    EXPECT_TRUE(canvas.says(format(number.value / 1e12, Unit::kNone))) << number.item;
  }
  EXPECT_EQ(rates, 4U);  // two points, a published figure, the peak
  EXPECT_TRUE(canvas.says("peak 60.0"));
  EXPECT_TRUE(canvas.says("RTX 3080 5.00"));
}

TEST(RateFigure, ItsNumbersAreThoseOfItsUnit) {
  RateFigure known = figure({point(0, 2e13, 4e13, false)}, RateUnit::kTime);
  NumberList list;
  add_rate_numbers(list, known);
  std::map<std::string, double> values;
  for (const DrawnNumber& number : list.take()) {
    if (number.item == "H200") continue;
    EXPECT_EQ(number.unit, "s");
    values[number.name] = number.value;
  }
  EXPECT_DOUBLE_EQ(values.at("time"), 5e-5);
  EXPECT_DOUBLE_EQ(values.at("time of cuBLAS"), 2.5e-5);
  EXPECT_LT(values.at("time of the 5th percentile"), values.at("time of the 95th percentile"));
}

TEST(RateFigure, LeavesOutWhatItsUnitHasNoValueFor) {
  const RateFigure shares =
      figure({point(0, 2e13, 4e13, false), point(1, 1e13, 0, true)}, RateUnit::kReferenceShare);
  ASSERT_EQ(shares.chart.series.size(), 1U);
  ASSERT_EQ(shares.chart.series[0].points.size(), 1U);
  EXPECT_DOUBLE_EQ(shares.chart.series[0].points[0].rate, 50);
  EXPECT_TRUE(figure({point(1, 1e13, 0, true)}, RateUnit::kReferenceShare).empty());
}

TEST(RateFigure, APeakIsALineWhereTheWorkDiffers) {
  ChartPoint larger = point(1, 3e13, 0, true);
  larger.cost.flop *= 8;
  const RateLine times = figure({point(0, 3e13, 0, false), larger}, RateUnit::kTime).peak;
  ASSERT_EQ(times.size(), 2U);
  EXPECT_DOUBLE_EQ(times[1].value, 8 * times[0].value);
  const RateLine shares = figure({point(0, 3e13, 0, false), larger}, RateUnit::kPeakShare).peak;
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_DOUBLE_EQ(shares[0].value, 100);
  EXPECT_DOUBLE_EQ(shares[1].value, 100);
}

TEST(RateFigure, TellsWhereItsPointsLieAndWhatTheySay) {
  const RateFigure known = figure({point(0, 2e13, 4e13, false), point(1, 3e13, 4e13, true)});
  for (const RateFrame frame : {RateFrame::kWhole, RateFrame::kPlotAlone}) {
    RecordingCanvas canvas;
    const DrawnRates drawn = draw_rate_figure(canvas, {0, 0, 660, 200}, {}, known, frame);
    ASSERT_EQ(drawn.spots.size(), 2U);
    const RateSpot* second = drawn.nearest({drawn.spots[1].at.x + 5, drawn.spots[1].at.y - 5}, 14);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->index, 1U);
    EXPECT_EQ(words_of(known, *second),
              "30.0 TFLOP/s (27.3 TFLOP/s to 30.6 TFLOP/s), recorded on NVIDIA H200, 2026-11-30; "
              "cuBLAS 40.0 TFLOP/s");
    EXPECT_EQ(drawn.nearest({drawn.plot.x, drawn.plot.y}, 14), nullptr);
    EXPECT_TRUE(drawn.plot.contains(second->at));
    EXPECT_EQ(canvas.says("TFLOP/s"), frame == RateFrame::kWhole);
  }
}

TEST(RateFigure, WhatIsBeingMeasuredSaysSoAndHasTheReferenceBesideIt) {
  ChartPoint unfinished = point(0, 2e13, 0, true);
  unfinished.launches_so_far = 12;
  CatalogueEntry entry;
  entry.problem = testing::problem("gemm");
  RateChart chart;
  chart.labels = {"8"};
  chart.series = {{0, {unfinished}}, {1, {point(0, 1e13, 4e13, false)}}};
  const RateFigure shares = rate_figure({0, &entry, {}, {}}, "TILE", RateUnit::kReferenceShare,
                                        std::move(chart), {"cuBLAS", 6e13, "H200"});
  ASSERT_EQ(shares.chart.series.size(), 2U);
  EXPECT_DOUBLE_EQ(shares.chart.series[0].points[0].rate, 50);
  EXPECT_EQ(words_of(shares, {}), "50.0 % of cuBLAS after 12 launches, being measured");
}

TEST(RateFigure, ARoofThatIsNotThePeakIsALevelOfItsOwn) {
  CatalogueEntry entry;
  entry.problem = testing::problem("gemm");
  for (const double roof : {2e13, 6e13}) {
    RateChart chart;
    chart.labels = {"8"};
    chart.series = {{0, {point(0, 1.8e13, 0, true)}}};
    RecordingCanvas canvas;
    draw_rate_figure(canvas, {0, 0, 1128, 540}, {},
                     rate_figure({0, &entry, {}, {}}, "TILE", RateUnit::kFlopPerSecond,
                                 std::move(chart), {"cuBLAS", 6e13, "H200", roof}));
    EXPECT_EQ(canvas.says("roofline limit 20.0"), roof < 6e13) << canvas.all_text();
  }
}

TEST(RateChart, WhatIsRecordedStaysBehindWhatIsMeasuredOfTheSame) {
  CatalogueEntry entry;
  entry.problem = testing::problem("gemm");
  const ParameterSpec spec{"TILE", "", "", 16, {8, 16}};
  const ChartVariant variant{0, &entry, {{"TILE", 8}}, {{"M", 64}}};
  ChartQuestions questions;
  questions.points_of = [](const ChartVariant& at) {
    std::vector points = {point(0, 2e13, 0, false)};
    if (at.parameters.at("TILE") == 8) {
      points.insert(points.begin(), point(0, 3e13, 0, false));
      points.front().source = Source::kMeasured;
    }
    return points;
  };
  questions.published_of = [](const ChartVariant&) {
    return std::optional<ChartQuestions::Published>();
  };
  const RateChart chart = chart_over_parameter({&variant, 1}, &variant, spec, questions);
  ASSERT_EQ(chart.series.size(), 1U);
  ASSERT_EQ(chart.series[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].rate, 3e13);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].recorded, 2e13);
  EXPECT_EQ(chart.series[0].points[1].recorded, 0) << "it is itself what was recorded";
}

TEST(RateUnit, IsReadByNameAndByOption) {
  for (const RateUnit unit : all_rate_units()) {
    EXPECT_EQ(parse_rate_unit(name_of(unit)), unit);
    EXPECT_EQ(parse_rate_unit(option_of(unit)), unit);
  }
  EXPECT_EQ(parse_rate_unit("parsecs"), std::nullopt);
}

TEST(RateChart, AsksForEachValueAndMarksThePresentOne) {
  CatalogueEntry entry;
  entry.id = "gemm/naive";
  entry.problem = testing::problem("gemm");
  const ParameterSpec spec{"TILE", "", "", 16, {8, 16, 32}};
  const ChartVariant variant{0, &entry, {{"TILE", 16}, {"PAD", 1}}, {{"M", 64}}, {{"beta", 1}}};
  const ChartQuestions questions = {
      [](const ChartVariant& at) {
        EXPECT_EQ(at.parameters.at("PAD"), 1);
        EXPECT_EQ(at.factors, (GemmFactors{{"beta", 1}})) << "the variant's own";
        if (at.parameters.at("TILE") == 8) return std::vector<ChartPoint>{};
        return std::vector{
            point(0, 1e12 * static_cast<double>(at.parameters.at("TILE")), 0, false)};
      },
      [](const ChartVariant&) { return std::vector<ParameterSet>{}; },
      [](const ChartVariant&) -> std::optional<ChartQuestions::Published> {
        ChartQuestions::Published published;
        published.mark.rate = 1e12;
        return published;  // about no parameter: it stands where the variant does
      }};
  const RateChart chart = chart_over_parameter({&variant, 1}, &variant, spec, questions);
  ASSERT_EQ(chart.series.size(), 1U);
  ASSERT_EQ(chart.series[0].points.size(), 2U);
  EXPECT_EQ(chart.series[0].points[0].x, 1);
  EXPECT_TRUE(chart.series[0].points[0].chosen);
  EXPECT_FALSE(chart.series[0].points[1].chosen);
  ASSERT_EQ(chart.marks.size(), 1U);
  EXPECT_EQ(chart.marks[0].x, 1);
}

// transpose/tiled over PAD, as it stands on an H100 that has measured two of its values, beside
// what was recorded of all on an H200.
class TwoGpus : public ::testing::Test {
 protected:
  TwoGpus() {
    entry_.id = "transpose/tiled";
    entry_.problem = testing::problem("transpose");
  }
  [[nodiscard]] static ChartPoint timed(double rate, Source source, const Conditions& under) {
    return chart_point({.problem = testing::problem("transpose"),
                        .cost = {.flop = 0, .bytes = 1e8},
                        .median_seconds = 1e8 / rate,
                        .p5_seconds = 0.98e8 / rate,
                        .p95_seconds = 1.1e8 / rate,
                        .reference_seconds = 0.9e8 / rate},
                       source, {under, "NVRTC 13.0", "2026-11-30", "device copy"});
  }
  [[nodiscard]] RateChart chart(bool own_first = true) const {
    const ChartVariant variant{0, &entry_, {{"PAD", 1}}, {{"ROWS", 4096}, {"COLS", 4096}}};
    ChartQuestions questions;
    questions.points_of = [this](const ChartVariant& at) {
      const auto pad = static_cast<double>(at.parameters.at("PAD"));
      std::vector<ChartPoint> points;
      if (pad < 2) points.push_back(timed(2e12 + 1e11 * pad, Source::kMeasured, h100_));
      points.push_back(timed(3e12 + 1e10 * pad, Source::kRecorded, h200_));
      return points;
    };
    questions.sizes_of = [](const ChartVariant&) { return std::vector<ParameterSet>{}; };
    questions.published_of = [](const ChartVariant&) -> std::optional<ChartQuestions::Published> {
      ChartQuestions::Published published;
      published.mark = {0, 2e11, "RTX 3080"};
      return published;
    };
    questions.peak_of = [](const ChartVariant&, const std::string& gpu) {
      return gpu == "NVIDIA H200" ? 4.8e12 : 0.0;
    };
    if (own_first) questions.own = h100_;
    return chart_over_parameter({&variant, 1}, &variant, {"PAD", "", "", 1, {0, 1, 2, 4}},
                                questions);
  }
  [[nodiscard]] RateFigure figure(RateUnit unit = RateUnit::kBytesPerSecond) const {
    return rate_figure({0, &entry_, {{"PAD", 1}}, {{"ROWS", 4096}, {"COLS", 4096}}}, "PAD", unit,
                       chart(), {"device copy", 3.35e12, "H100"});
  }

  CatalogueEntry entry_;
  const Conditions h100_{"NVIDIA H100 80GB HBM3", "580.159.04"};
  const Conditions h200_{"NVIDIA H200", "580.159.04"};
};

TEST_F(TwoGpus, AreTwoSeriesAndTheOtherOneIsNamed) {
  const RateChart both = chart();
  ASSERT_EQ(both.series.size(), 2U);
  EXPECT_EQ(both.series[0].points.size(), 2U);
  EXPECT_EQ(both.series[0].under, h100_);
  EXPECT_EQ(both.series[0].apart, "");
  EXPECT_EQ(both.series[1].points.size(), 4U);
  EXPECT_EQ(both.series[1].apart, "H200");
  for (const ChartSeries& series : both.series) {
    for (const ChartPoint& point : series.points) EXPECT_EQ(point.origin.under, series.under);
  }
}

TEST_F(TwoGpus, AnotherDriverIsAnotherSeries) {
  const ChartVariant variant{0, &entry_, {{"PAD", 1}}, {{"ROWS", 4096}, {"COLS", 4096}}};
  ChartQuestions questions;
  Conditions older = h100_;
  older.driver = "550.54";
  questions.points_of = [&](const ChartVariant& at) {
    const bool first = at.parameters.at("PAD") == 0;
    return std::vector{timed(2e12, Source::kRecorded, first ? older : h100_)};
  };
  questions.published_of = [](const ChartVariant&) {
    return std::optional<ChartQuestions::Published>();
  };
  const RateChart both =
      chart_over_parameter({&variant, 1}, &variant, {"PAD", "", "", 1, {0, 1, 2}}, questions);
  ASSERT_EQ(both.series.size(), 2U);
  EXPECT_EQ(both.series[0].points.size(), 2U) << "where the variant stands";
  EXPECT_EQ(both.series[1].apart, "driver 550.54");
}

TEST_F(TwoGpus, WithoutAGpuTheSeriesWhereTheVariantStandsIsTheChartsOwn) {
  const RateChart both = chart(false);
  ASSERT_EQ(both.series.size(), 2U);
  EXPECT_EQ(both.series[0].under, h100_) << "shown first at PAD 1";
}

TEST_F(TwoGpus, RankWithinTheirOwnAlone) {
  EXPECT_EQ(
      plain(rate_sentence(figure())),
      "transpose/tiled reaches 2,100 GB/s, 90.0 % of the device copy at PAD 1, its highest of "
      "2.");
  EXPECT_EQ(figure().gpus(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(figure().apart(), "H200");
}

TEST_F(TwoGpus, AreSharesOfTheirOwnPeaks) {
  const RateFigure shares = figure(RateUnit::kPeakShare);
  ASSERT_EQ(shares.chart.series.size(), 2U);
  EXPECT_NEAR(shares.chart.series[0].points[0].rate, 100 * 2 / 3.35, 0.01);
  EXPECT_NEAR(shares.chart.series[1].points[0].rate, 100 * 3 / 4.8, 0.01);
  EXPECT_TRUE(shares.chart.marks.empty()) << "a third GPU's has no share of these peaks";
  EXPECT_TRUE(figure(RateUnit::kReferenceShare).chart.marks.empty());
  EXPECT_FALSE(figure().chart.marks.empty());
}

TEST_F(TwoGpus, StandApartInThePictureAndInTheNumbers) {
  for (const auto& [width, height] : {std::pair{1128, 540}, std::pair{420, 240}}) {
    RecordingCanvas canvas;
    const Rect area{0, 0, static_cast<float>(width), static_cast<float>(height)};
    draw_rate_figure(canvas, area, ViewContext(), figure());
    EXPECT_EQ(canvas.complaint(area, 11), "") << width;
    EXPECT_TRUE(canvas.says("A H200")) << canvas.all_text();
    const auto pale = std::ranges::count_if(canvas.marks, [](const RecordingCanvas::Shape& shape) {
      return shape.paint.role == ColourRole::kFirst && shape.paint.opacity < 1 && shape.box.w > 50;
    });
    EXPECT_EQ(pale, 1) << "one line of the H200's";
    const auto whole =
        std::ranges::count_if(canvas.marks, [&](const RecordingCanvas::Shape& shape) {
          return shape.paint.role == ColourRole::kFirst && shape.paint.opacity == 1 &&
                 shape.box.w > area.w * 0.4F;
        });
    EXPECT_EQ(whole, 0) << "the H100's line ends with its own two points";
  }
  NumberList list;
  add_rate_numbers(list, figure());
  const auto numbers = list.take();
  EXPECT_TRUE(std::ranges::any_of(
      numbers, [](const DrawnNumber& number) { return number.item == "A PAD 2, H200"; }));
}

TEST(RoundAxis, EndsAboveTheLargest) {
  EXPECT_EQ(round_axis(45).top, 60);
  EXPECT_EQ(round_axis(60).top, 60);
  EXPECT_EQ(round_axis(0).top, 1);
  EXPECT_EQ(round_axis(0.2).top, 0.2);
}

}  // namespace
}  // namespace tilescope
