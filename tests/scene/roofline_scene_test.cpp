#include "scene/roofline/roofline_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/roofline/roofline_chart.h"
#include "scene/roofline/roofline_figure.h"
#include "scene/synthetic_study.h"
#include "scene/view/view.h"
#include "scene/views.h"

namespace tilescope {
namespace {

struct Size {
  float width = 0;
  float height = 0;
  float text_scale = 1;
};
constexpr Size kSizes[] = {{1176, 560, 1}, {860, 420, 1}, {1176, 560, 1.6f}, {1900, 760, 1.6f},
                           {640, 420, 1},  {700, 380, 1}, {520, 400, 1}};

// As if five steps had been measured, close together and far apart.
std::shared_ptr<const RooflineData> some_times(const KernelInstance& instance) {
  RooflineData data;
  data.known = KnownTime{2e-4, Source::kRecorded, 1e-4, "device copy"};
  data.gpu = "NVIDIA H200";
  const ProblemCost cost = problem_cost(instance);
  double seconds = 1e-2;
  double moved = cost.bytes * 100;
  for (const char* name : {"naive", "shared tile", "rows per thread", "prefetch", "tensor core"}) {
    data.steps.push_back({std::string("gemm/") + name,
                          name,
                          {seconds, Source::kRecorded, 0, {}},
                          cost.flop,
                          cost.bytes,
                          moved});
    seconds *= 0.4;
    moved *= 0.7;
  }
  return std::make_shared<const RooflineData>(data);
}

std::shared_ptr<const KernelStudy> study_of(const std::string& id, const ParameterSet& extents) {
  std::string why;
  auto study = catalogue_study(id, {}, extents, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  return study;
}

RecordingCanvas drawn(const KernelStudy& study, const Size& size, bool with_times) {
  ViewContext context;
  context.study = &study;
  context.prepared = prepare(study);
  context.text_scale = size.text_scale;
  if (with_times) context.roofline = some_times(study.instance);
  RecordingCanvas canvas;
  draw_view(View::kRoofline, canvas, {0, 0, size.width, size.height}, context);
  return canvas;
}

const ParameterSet kGemm = {{"M", 256}, {"N", 256}, {"K", 128}};
const ParameterSet kSquare = {{"ROWS", 512}, {"COLS", 512}};

TEST(RooflineLayout, IsSoundAtEverySizeWithTimesAndWithout) {
  for (const auto& [id, extents] :
       {std::pair{"gemm/naive", kGemm}, std::pair{"gemm/tensor_core", kGemm},
        std::pair{"transpose/naive", kSquare}, std::pair{"divergence/switch", kSquare}}) {
    const auto study = study_of(id, extents);
    ASSERT_NE(study, nullptr);
    for (const Size& size : kSizes) {
      for (const bool with_times : {false, true}) {
        const RecordingCanvas canvas = drawn(*study, size, with_times);
        const Rect area{0, 0, size.width, size.height};
        EXPECT_EQ(canvas.complaint(area, 11 * size.text_scale), "")
            << id << " at " << size.width << " x " << size.height << " text " << size.text_scale
            << (with_times ? ", timed" : "");
      }
    }
  }
}

TEST(RooflineLayout, NamesItsRoofsAndTheStepsOfTheLadder) {
  const auto study = study_of("gemm/naive", kGemm);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas canvas = drawn(*study, {1176, 560, 1}, true);
  EXPECT_TRUE(canvas.says("DRAM bandwidth 4,800 GB/s")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("FP32 with FMA 66.9 TFLOP/s")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("prefetch")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("% of the roof")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("WHY IT IS NOT FASTER")) << canvas.all_text();
}

// Causes and modelled times that will be counted anew are written pale, what is recorded is not.
TEST(RooflineLayout, WhatMayStillChangeIsPale) {
  const auto study = study_of("gemm/naive", kGemm);
  ASSERT_NE(study, nullptr);
  ViewContext context;
  context.study = study.get();
  context.prepared = prepare(*study);
  context.roofline = some_times(study->instance);
  ASSERT_FALSE(context.prepared->diagnosis->verdicts.empty());
  const std::string fact = context.prepared->diagnosis->verdicts.front().fact;
  const auto paint_of = [&](const std::string& words) {
    RecordingCanvas canvas;
    draw_view(View::kRoofline, canvas, {0, 0, 1176, 560}, context);
    const auto found = std::ranges::find(canvas.texts, words, &RecordingCanvas::Text::words);
    return found != canvas.texts.end() ? found->paint.role : ColourRole::kBackground;
  };
  EXPECT_EQ(paint_of(fact), ColourRole::kStrong);
  context.final = false;
  EXPECT_EQ(paint_of(fact), ColourRole::kDim);
  EXPECT_EQ(paint_of("200.0 µs"), ColourRole::kStrong) << "recorded";
}

// The kernel stands once under each bandwidth, by the bytes that pass there.
TEST(RooflineLayout, EachBandwidthHasAPointOfItsOwn) {
  const auto study = study_of("gemm/naive", kGemm);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas canvas = drawn(*study, {1176, 560, 1}, true);
  EXPECT_TRUE(std::ranges::any_of(canvas.texts, [](const RecordingCanvas::Text& text) {
    return text.words == "L2" || text.words.starts_with("L2 bandwidth") ||
           text.words.starts_with("L2 8,364 GB/s");
  })) << canvas.all_text();
  EXPECT_TRUE(canvas.says("compulsory traffic")) << canvas.all_text();
  EXPECT_TRUE(std::ranges::any_of(canvas.texts, [](const RecordingCanvas::Text& text) {
    return text.words.starts_with("modelled");
  })) << canvas.all_text();
  for (const char* meaning :
       {"per byte of sectors moved", "between L1 and L2", "if each were moved only once"}) {
    EXPECT_TRUE(std::ranges::any_of(canvas.hits, [&](const auto& hit) {
      return hit.second.tooltip.find(meaning) != std::string::npos &&
             hit.second.tooltip.ends_with("under that roof.");
    })) << meaning;
  }
}

TEST(RooflineLayout, TicksAreWrittenAsAllNumbersAre) {
  EXPECT_EQ(tick_words(0.05), "0.05");
  EXPECT_EQ(tick_words(500), "500");
  EXPECT_EQ(tick_words(2000), "2,000");
}

TEST(RooflineLayout, APointAboveItsRoofSaysWhy) {
  const auto study = study_of("gemm/naive", kGemm);
  ASSERT_NE(study, nullptr);
  ViewContext context;
  context.study = study.get();
  context.prepared = prepare(*study);
  auto data = std::make_shared<RooflineData>(*some_times(study->instance));
  const RooflineFigure figure =
      roofline_figure(study->instance, *study->device, *context.prepared->diagnosis, data.get());
  const double dram = figure.allowed_by(RooflineFigure::Roof::kDram);
  const double l2 = figure.allowed_by(RooflineFigure::Roof::kL2);
  for (const auto& [rate, above] :
       {std::pair{0.5 * std::min(dram, l2), false}, {1.5 * std::max(dram, l2), true}}) {
    data->known->seconds = figure.flop / rate;
    context.roofline = data;
    RecordingCanvas canvas;
    draw_view(View::kRoofline, canvas, {0, 0, 1176, 560}, context);
    EXPECT_EQ(canvas.says("above its roof"), above) << canvas.all_text();
  }
}

TEST(RooflineLayout, ARoofWithoutALineHasNoName) {
  const auto study = study_of("gemm/naive", kGemm);
  ASSERT_NE(study, nullptr);
  for (const Size& size : kSizes) {
    const RecordingCanvas canvas = drawn(*study, size, true);
    for (const char* name : {"FP32 with FMA", "without FMA"}) {
      const auto text = std::ranges::find_if(canvas.texts, [&](const RecordingCanvas::Text& each) {
        return each.words.starts_with(name);
      });
      if (text == canvas.texts.end()) continue;
      // The level that it names begins before the name ends, a line's height away.
      const float near = 14 * size.text_scale;
      EXPECT_TRUE(std::ranges::any_of(
          canvas.marks,
          [&](const RecordingCanvas::Shape& line) {
            return line.box.h <= 3 && line.box.w > 12 && line.box.x < text->box.right() &&
                   std::abs(line.box.center().y - text->box.center().y) < near;
          }))
          << name << " at " << size.width << " x " << size.height;
    }
  }
}

TEST(RooflineLayout, AKernelThatOnlyMovesHasBars) {
  const auto study = study_of("transpose/naive", kSquare);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas canvas = drawn(*study, {1176, 560, 1}, true);
  EXPECT_TRUE(canvas.says("BANDWIDTH")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("this kernel")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("device copy")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("75 %")) << canvas.all_text();
}

// Each line over the bars says what it is: in words where there is room, to the pointer always.
TEST(RooflineLayout, TheLinesOverTheBarsAreExplained) {
  const auto study = study_of("transpose/naive", kSquare);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas roomy = drawn(*study, {1176, 560, 1}, true);
  for (const char* words : {"40 % okay", "60 % good", "75 % excellent", "datasheet"}) {
    EXPECT_TRUE(roomy.says(words)) << words << "\n" << roomy.all_text();
  }
  const RecordingCanvas narrow = drawn(*study, {992, 290, 1}, true);
  for (const char* words : {"40 % of", "60 % of", "75 % of", "no kernel moves more"}) {
    EXPECT_TRUE(std::ranges::any_of(narrow.hits, [&](const auto& hit) {
      return hit.second.tooltip.find(words) != std::string::npos;
    })) << words;
  }
}

// Every bandwidth's roof has its figure, however short its name has to be.
TEST(RooflineLayout, EachRoofSaysHowHighItIs) {
  for (const char* id : {"gemm/naive", "gemm/tensor_core", "gemm/register_tile"}) {
    const auto study = study_of(id, kGemm);
    ASSERT_NE(study, nullptr);
    for (const Size& size : {Size{1176, 560, 1}, Size{992, 290, 1}}) {
      const RecordingCanvas canvas = drawn(*study, size, true);
      std::size_t roofs = 0;
      for (const RecordingCanvas::Text& text : canvas.texts) {
        if (text.words.ends_with(" traffic")) continue;  // a point, not a roof
        for (const char* name : {"shared memory and L1", "shared, L1", "L1 ", "L2", "DRAM"}) {
          if (!text.words.starts_with(name) || text.box.x < 40 || text.size != 11) continue;
          EXPECT_NE(text.words.find("B/s"), std::string::npos) << text.words;
          ++roofs;
          break;
        }
      }
      EXPECT_EQ(roofs, 3u) << id << " at " << size.width << "\n" << canvas.all_text();
      EXPECT_TRUE(std::ranges::any_of(canvas.texts,
                                      [](const RecordingCanvas::Text& text) {
                                        return text.size == 13 && text.words.ends_with("FLOP/s");
                                      }))
          << "the kernel's own, " << id << " at " << size.width;
    }
  }
}

TEST(RooflineLayout, NoCauseIsCutInTheUsualWindows) {
  for (const char* id :
       {"gemm/naive", "gemm/tensor_core", "gemm/register_tile", "gemm/warpgroup"}) {
    const auto study = study_of(id, {{"M", 512}, {"N", 512}, {"K", 256}});
    ASSERT_NE(study, nullptr);
    const auto prepared = prepare(*study);
    for (const Size& size : {Size{1176, 560, 1}, Size{992, 366, 1}}) {
      const RecordingCanvas canvas = drawn(*study, size, true);
      const std::vector<Verdict>& verdicts = prepared->diagnosis->verdicts;
      for (std::size_t i = 0; i < std::min<std::size_t>(verdicts.size(), 3); ++i) {
        EXPECT_TRUE(canvas.says(verdicts[i].fact)) << id << " at " << size.width;
        EXPECT_TRUE(canvas.says(verdicts[i].detail)) << id << " at " << size.width;
      }
    }
  }
}

TEST(RooflineLayout, ABarAloneStandsBesideTheDatasheets) {
  const auto study = study_of("transpose/naive", kSquare);
  ASSERT_NE(study, nullptr);
  const auto has_bar = [&](bool with_times) {
    return std::ranges::any_of(
        drawn(*study, {1176, 560, 1}, with_times).texts,
        [](const RecordingCanvas::Text& text) { return text.words == "datasheet"; });
  };
  EXPECT_TRUE(has_bar(false));
  EXPECT_FALSE(has_bar(true));
}

TEST(RooflineLayout, AKernelOfIntegersHasBarsToo) {
  const auto study = study_of("divergence/switch", kSquare);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas canvas = drawn(*study, {1176, 560, 1}, true);
  EXPECT_TRUE(canvas.says("BANDWIDTH")) << canvas.all_text();
}

TEST(RooflineLayout, ACauseLeadsToItsLine) {
  const auto study = study_of("transpose/naive", kSquare);
  ASSERT_NE(study, nullptr);
  const RecordingCanvas canvas = drawn(*study, {1176, 560, 1}, true);
  int lines = 0;
  for (const auto& [rect, hit] : canvas.hits) {
    lines += hit.kind == HitKind::kLine;
    EXPECT_FALSE(hit.tooltip.empty());
  }
  EXPECT_GE(lines, 1);
}

TEST(RooflineLayout, ACauseIsLitWhileItsLineIsUnderThePointer) {
  const auto study = study_of("transpose/naive", kSquare);
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const auto lit = [&](std::uint32_t chosen, std::uint32_t hovered, ColourRole role) {
    context.selection.line = chosen;
    context.hovered_line = hovered;
    RecordingCanvas canvas;
    draw_view(View::kRoofline, canvas, {0, 0, 1176, 560}, context);
    return std::ranges::count_if(canvas.fills, [&](const RecordingCanvas::Shape& shape) {
      return shape.paint.role == role && shape.box.w > 200 && shape.box.h > 15;
    });
  };
  const auto& verdicts = context.prepared->diagnosis->verdicts;
  const auto cause = std::ranges::find_if(verdicts, [](const Verdict& v) { return v.line != 0; });
  ASSERT_NE(cause, verdicts.end());
  EXPECT_EQ(lit(0, 0, ColourRole::kHover), 0);
  EXPECT_EQ(lit(0, cause->line, ColourRole::kHover), 1);
  EXPECT_EQ(lit(cause->line, 0, ColourRole::kRaised), lit(0, 0, ColourRole::kRaised) + 1);
  EXPECT_EQ(lit(0, 100'000, ColourRole::kHover), 0) << "of no cause";
}

TEST(RooflineLayout, WithoutADeviceItSaysWhatIsMissing) {
  const auto study = synthetic_study({});
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kRoofline, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("registers")) << canvas.all_text();
  EXPECT_EQ(plain(sentence_of(View::kRoofline, context)), "Waiting for the kernel's registers ...");
}

}  // namespace
}  // namespace tilescope
