// Every figure at every size: it is laid out right, or says what it needs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "export/export_view.h"
#include "kernel/test_catalogue.h"
#include "scene/catalogue_study.h"
#include "scene/compared_study.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr std::array<float, 8> kSides{100, 180, 240, 320, 400, 640, 1176, 2000};
struct Extent {
  float width;
  float height;
};

std::vector<Extent> sizes() {
  std::vector<Extent> all{{8000, 200}, {200, 4000}, {336, 240}, {1040, 330}};
  for (const float width : kSides) {
    for (const float height : kSides) all.push_back({width, height});
  }
  return all;
}

struct Kernel {
  std::string id;
  ParameterSet parameters;
  ParameterSet extents;
  bool at_both_scales = false;
};
std::vector<Kernel> kernels() {
  return {{"gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 64}}},
          {"gemm/register_tile", {}, {{"M", 512}, {"N", 512}, {"K", 64}}, true},
          {"gemm/tensor_core", {}, {{"M", 256}, {"N", 256}, {"K", 64}}},
          {"transpose/naive", {}, {{"ROWS", 256}, {"COLS", 128}}},
          {"transpose/tiled", {{"PAD", 0}}, {{"ROWS", 256}, {"COLS", 256}}, true},
          {"copy/plain", {}, {{"ROWS", 256}, {"COLS", 256}}},
          {"divergence/switch", {{"WAYS", 32}}, {{"ROWS", 64}, {"COLS", 64}}}};
}

// Whether the canvas shows what is needed in the figure's place, and nothing else.
bool is_refused(const RecordingCanvas& canvas) {
  return canvas.texts.size() <= 1 && canvas.grids.empty() && canvas.marks.empty() &&
         (canvas.texts.empty() || canvas.says("at least") || canvas.says("≥"));
}

// Draws at every size, and at the least one of each width and height.
template <typename Draw>
void sweep(const std::string& what, FigureSize least, float text_scale, const Draw& draw) {
  RecordingCanvas fonts;
  const float least_width = std::ceil(least.width * text_scale);
  const float least_height = std::ceil(least.height * text_scale);
  std::vector<Extent> all = sizes();
  for (const float side : kSides) {
    all.push_back({least_width, side});
    all.push_back({side, least_height});
  }
  all.push_back({least_width, least_height});
  all.push_back({8000, least_height});
  all.push_back({least_width, 4000});
  for (const Extent& size : all) {
    RecordingCanvas canvas;
    canvas.share_fonts(fonts);
    const Rect area{0, 0, size.width, size.height};
    draw(canvas, area);
    EXPECT_EQ(canvas.complaint(area, 11 * text_scale), "")
        << what << " at " << size.width << " x " << size.height << " text " << text_scale;
    const bool fits = size.width >= least_width && size.height >= least_height;
    EXPECT_NE(is_refused(canvas), fits)
        << what << " at " << size.width << " x " << size.height << " text " << text_scale;
  }
}

TEST(EverySize, AViewIsLaidOutRightOrSaysWhatItNeeds) {
  for (const Kernel& kernel : kernels()) {
    std::string why;
    const auto study = catalogue_study(kernel.id, kernel.parameters, kernel.extents, &why);
    ASSERT_NE(study, nullptr) << why;
    ViewContext context = catalogue_context(*study);
    for (const View view : all_views()) {
      context.selection = default_selection(view, *study, *context.prepared);
      for (const float text_scale : {1.0f, 1.6f}) {
        if (text_scale > 1 && !kernel.at_both_scales) continue;
        context.text_scale = text_scale;
        sweep(fmt::format("{}, {}", kernel.id, name_of(view)), least_size(view), text_scale,
              [&](Canvas& canvas, const Rect& area) { draw_view(view, canvas, area, context); });
      }
    }
  }
}

// As on a GPU that has measured this kernel and two of its ladder, beside what another one
// recorded.
std::shared_ptr<const RooflineData> times_of_two_gpus(const KernelStudy& study, bool measured) {
  const Conditions here{study.device->name, "580.159.04"};
  const Conditions there{"NVIDIA A100-SXM4-80GB", "550.54"};
  const auto time = [](double seconds, const Conditions& under, Source source) {
    return KnownTime{seconds, source, 0.9 * seconds, "device copy", "2026-11-30", under};
  };
  RooflineData data;
  data.under = here;
  data.elsewhere = {time(90e-6, there, Source::kRecorded)};
  for (const char* name : {"One thread per element", "Tiled", "Tiled, padded", "Swizzled"}) {
    data.steps_elsewhere.push_back(
        {name, name, time(80e-6, there, Source::kRecorded), 1e9, 1e8, 2e8});
  }
  if (!measured) return std::make_shared<const RooflineData>(data);
  data.gpu = here.gpu;
  data.known = time(60e-6, here, Source::kMeasured);
  for (const char* name : {"One row per warp", "Vectors of four"}) {
    data.steps.push_back({name, name, time(70e-6, here, Source::kMeasured), 1e9, 1e8, 2e8});
  }
  return std::make_shared<const RooflineData>(data);
}

TEST(EverySize, ARooflineWithTimesOfTwoGpus) {
  for (const Kernel& kernel : kernels()) {
    if (!kernel.at_both_scales) continue;
    std::string why;
    const auto study = catalogue_study(kernel.id, kernel.parameters, kernel.extents, &why);
    ASSERT_NE(study, nullptr) << why;
    ViewContext context = catalogue_context(*study);
    for (const bool measured : {false, true}) {
      context.roofline = times_of_two_gpus(*study, measured);
      for (const float text_scale : {1.0f, 1.6f}) {
        context.text_scale = text_scale;
        sweep(kernel.id + ", two GPUs", least_size(View::kRoofline), text_scale,
              [&](Canvas& canvas, const Rect& area) {
                draw_view(View::kRoofline, canvas, area, context);
              });
      }
      context.text_scale = 1;
      RecordingCanvas canvas;
      draw_view(View::kRoofline, canvas, {0, 0, 1176, 560}, context);
      EXPECT_TRUE(canvas.says("A100")) << kernel.id << ": " << canvas.all_text();
    }
  }
}

TEST(EverySize, TwoToFourVariantsBesideOneAnother) {
  const ParameterSet square{{"ROWS", 256}, {"COLS", 256}};
  const std::vector<ComparedCase> cases{{"copy/plain", {}, square, 90e-6},
                                        {"transpose/naive", {}, square, 3e-4},
                                        {"transpose/tiled", {{"PAD", 0}}, square, 2e-4},
                                        {"transpose/tiled", {{"PAD", 1}}, square, 1e-4}};
  for (const std::size_t count : {2U, 3U, 4U}) {
    const auto set =
        compared_cases({cases.end() - static_cast<std::ptrdiff_t>(count), cases.end()});
    ASSERT_FALSE(set->variants.empty());
    ViewContext context = compared_context(set);
    for (const int pane : {-1, static_cast<int>(View::kBanks), static_cast<int>(View::kTiling)}) {
      context.settings.compare_view = pane;
      for (const float text_scale : {1.0f, 1.6f}) {
        context.text_scale = text_scale;
        sweep(fmt::format("{} variants, pane {}", count, pane), least_size(View::kCompare),
              text_scale, [&](Canvas& canvas, const Rect& area) {
                draw_view(View::kCompare, canvas, area, context);
              });
      }
    }
  }
}

// Of four values of a parameter, with a reference, a peak and a published figure.
RateFigure chart(bool two_gpus) {
  static const CatalogueEntry kEntry = [] {
    CatalogueEntry entry;
    entry.id = "gemm/naive";
    entry.problem = testing::problem("gemm");
    return entry;
  }();
  const auto point = [](double x, double rate, const Conditions& under) {
    ChartPoint made = chart_point({.problem = testing::problem("gemm"),
                                   .cost = {.flop = 1e9, .bytes = 1e8},
                                   .median_seconds = 1e9 / rate,
                                   .p5_seconds = 0.98e9 / rate,
                                   .p95_seconds = 1.1e9 / rate,
                                   .reference_seconds = 1e9 / 4e13},
                                  Source::kRecorded, {under, "NVRTC 13.0", "2026-11-30", "cuBLAS"});
    made.x = x;
    made.chosen = x == 1;
    return made;
  };
  RateChart rates;
  rates.labels = {"8", "16", "32", "64"};
  rates.series.push_back({0, {}, {"NVIDIA H100"}});
  for (int i = 0; i < 4; ++i) {
    rates.series[0].points.push_back(point(i, 1e13 * (1 + i % 3), {"NVIDIA H100"}));
  }
  if (two_gpus) {
    rates.series.push_back({0, {}, {"NVIDIA H200"}, "H200", 7e13});
    for (int i = 0; i < 4; ++i) {
      rates.series[1].points.push_back(point(i, 1.3e13 * (1 + i % 3), {"NVIDIA H200"}));
    }
  }
  rates.marks = {{2, 5e12, "RTX 3080"}};
  return rate_figure({0, &kEntry, {{"TILE", 16}}, {{"M", 64}, {"N", 64}, {"K", 64}}}, "TILE",
                     RateUnit::kFlopPerSecond, std::move(rates), {"cuBLAS", 6e13, "H100"});
}

// Where the points' marks are: a chart's values grow upwards, and all of them lie in one picture.
TEST(EverySize, AChartGrowsUpwardsAndItsPlotHasMostOfTheHeight) {
  for (const bool two_gpus : {false, true}) {
    const RateFigure figure = chart(two_gpus);
    ViewContext context;
    for (const float text_scale : {1.0f, 1.6f}) {
      context.text_scale = text_scale;
      sweep(two_gpus ? "chart of two GPUs" : "chart", kLeastRateFigure, text_scale,
            [&](RecordingCanvas& canvas, const Rect& area) {
              draw_rate_figure(canvas, area, context, figure);
              if (is_refused(canvas)) return;
              const auto zero = std::ranges::find(canvas.texts, "0", &RecordingCanvas::Text::words);
              ASSERT_NE(zero, canvas.texts.end());
              const auto top = std::ranges::min_element(canvas.texts, {}, [&](const auto& text) {
                return std::abs(text.box.right() - zero->box.right()) < 1 ? text.box.y : 1e9F;
              });
              EXPECT_GE(zero->box.y - top->box.y, kLeastPlotShare * area.h - 1)
                  << area.w << " x " << area.h;
            });
    }
  }
}

TEST(EverySize, TheTunersTable) {
  const CatalogueEntry& entry = testing::entry("transpose/tiled");
  std::vector<TunedRow> rows;
  for (int pad = 0; pad < 8; ++pad) {
    rows.push_back({.parameters = {{"TILE", 32}, {"BLOCK_ROWS", 8}, {"PAD", pad}},
                    .seconds = 1e-4 + 1e-6 * pad,
                    .reference_seconds = 8e-5,
                    .gpu = pad < 6 ? "NVIDIA H100" : "NVIDIA H200"});
  }
  const ParameterSet present = rows[0].parameters;
  const TunedFigure figure = tuned_figure({0, &entry, present, {{"ROWS", 64}, {"COLS", 64}}},
                                          "device copy", std::move(rows));
  ASSERT_EQ(figure.rows.size(), 6U) << "those of one GPU are ranked";
  ASSERT_EQ(figure.apart.size(), 2U);
  ViewContext context;
  sweep("tuner", least_size(figure), 1, [&](Canvas& canvas, const Rect& area) {
    draw_tuned_figure(canvas, area, context, figure);
  });
}

TEST(EverySize, TheSourceAndTheCounters) {
  std::string why;
  const auto study = catalogue_study("transpose/naive", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  ViewContext context = catalogue_context(*study);
  for (const Page page : all_pages()) {
    for (const bool side_by_side : {false, true}) {
      if (side_by_side && page != Page::kSource) continue;
      for (const float text_scale : {1.0f, 1.6f}) {
        context.text_scale = text_scale;
        sweep(std::string(name_of(page)), least_size(page), text_scale,
              [&](Canvas& canvas, const Rect& area) {
                draw_page(canvas, area, {page, context, true, side_by_side});
              });
      }
    }
  }
}

// A whole picture: the least size that it names serves, whatever its width is.
TEST(EverySize, APictureNamesTheLeastSizeThatServes) {
  std::string why;
  const auto study = catalogue_study("transpose/tiled", {}, {{"ROWS", 256}, {"COLS", 256}}, &why);
  ASSERT_NE(study, nullptr) << why;
  PictureRequest request;
  request.context = catalogue_context(*study);
  request.context.selection = default_selection(View::kBanks, *study, *request.context.prepared);
  const auto check = [&](const std::string& what) {
    for (const Extent& size : sizes()) {
      request.width = size.width;
      request.height = size.height;
      const FigureSize least = least_size(request);
      EXPECT_GE(least.width, size.width) << "a wider one serves as well";
      const bool fits = size.width >= least.width && size.height >= least.height;
      EXPECT_EQ(check_size(request).ok(), fits) << what;
      request.width = least.width;
      for (const float height : {least.height, std::max(least.height, size.height)}) {
        request.height = height;
        ASSERT_TRUE(check_size(request).ok()) << what << " " << least.width << " x " << height;
        RecordingCanvas canvas;
        const Rect area{0, 0, request.width, request.height};
        draw_picture(canvas, request);
        EXPECT_EQ(canvas.complaint(area, 11), "") << what << " " << area.w << " x " << area.h;
        EXPECT_FALSE(canvas.says("at least")) << what << " " << area.w << " x " << area.h;
      }
    }
  };
  for (const View view : {View::kTiling, View::kCoalescing, View::kBanks, View::kRoofline}) {
    request.view = view;
    check(std::string(name_of(view)));
  }
  request.chart = std::make_shared<const RateFigure>(chart(true));
  check("chart");
  for (const auto& [width, height] :
       {std::pair{336.0f, 240.0f}, {320.0f, 240.0f}, {480.0f, 300.0f}}) {
    request.width = width;
    request.height = height;
    EXPECT_TRUE(check_size(request).ok()) << "a column of a paper";
  }
}

}  // namespace
}  // namespace tilescope
