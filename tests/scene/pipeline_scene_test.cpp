#include "scene/pipeline/pipeline_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/time/pipeline.h"
#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

struct Size {
  float width;
  float height;
  float text_scale;
};
// The window at 1920 x 1080 and at 1280 x 720, and lecture mode.
constexpr std::array<Size, 3> kSizes{{{1176, 560, 1}, {992, 290, 1}, {1100, 480, 1.6f}}};

RecordingCanvas drawn(const KernelStudy& study, const Size& size) {
  ViewContext context = catalogue_context(study);
  context.text_scale = size.text_scale;
  RecordingCanvas canvas;
  const Rect area{0, 0, size.width, size.height};
  draw_view(View::kPipeline, canvas, area, context);
  EXPECT_EQ(canvas.complaint(area, 11 * size.text_scale), "");
  return canvas;
}

TEST(PipelineLegend, ListsWhatIsDrawnAndNothingElse) {
  std::string why;
  const auto study = catalogue_study("transpose/naive", {}, {{"ROWS", 256}, {"COLS", 256}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  for (const Size& size : kSizes) {
    const RecordingCanvas canvas = drawn(*study, size);
    const auto lists = [&](std::string_view words) {
      return std::ranges::any_of(canvas.texts,
                                 [&](const auto& text) { return text.words == words; });
    };
    for (const char* words : {"load", "store", "waits for global memory"}) {
      EXPECT_TRUE(lists(words)) << words << " at " << size.width << "\n" << canvas.all_text();
    }
    for (const char* words : {"compute", "barrier", "for shared memory"}) {
      EXPECT_FALSE(lists(words)) << words << " at " << size.width;
    }
  }
}

// What multiplies is named: the tensor cores are no floating-point unit of the SM's quarters.
TEST(PipelineUnits, ARowForWhatMultiplies) {
  std::string why;
  const ParameterSet product{{"M", 256}, {"N", 256}, {"K", 128}};
  for (const auto& [id, extents, unit] :
       {std::tuple{"gemm/register_tile", product, "FP"},
        std::tuple{"gemm/tensor_core", product, "tensor"},
        std::tuple{"gemm/warpgroup", product, "tensor"},
        std::tuple{"histogram/shared_atomics", ParameterSet{{"N", 65536}}, "integer"}}) {
    const auto study = catalogue_study(id, {}, extents, &why);
    if (study == nullptr) GTEST_SKIP() << why;
    const RecordingCanvas canvas = drawn(*study, kSizes[0]);
    const auto has = [&](std::string_view words) {
      return std::ranges::any_of(canvas.texts,
                                 [&](const auto& text) { return text.words == words; });
    };
    for (const std::string_view each : {"FP", "integer", "tensor"}) {
      EXPECT_EQ(has(each), each == unit) << id;
    }
    const bool tensor = std::string_view(unit) == "tensor";
    const auto computes = [](const auto& warp) {
      return std::ranges::any_of(warp, &WarpMoment::computes);
    };
    EXPECT_TRUE(tensor || std::ranges::any_of(study->pipeline->moments, computes)) << id;
    // Under way for as long as the tensor cores take, of which a wgmma says nothing else.
    std::size_t products = 0;
    for (const auto& warp : study->pipeline->moments) {
      for (const WarpMoment& moment : warp) {
        EXPECT_FALSE(moment.computes && moment.multiplies);
        if (!moment.multiplies) continue;
        ++products;
        EXPECT_GT(moment.done, moment.issue + 8) << id;
      }
    }
    EXPECT_EQ(products > 0, tensor) << id;
  }
}

// A tile that is loaded while the one before is multiplied takes no buffer until it is stored.
TEST(PipelineRing, WhatWaitsInRegistersHasARowOfItsOwn) {
  std::string why;
  const auto study =
      catalogue_study("gemm/prefetch", {}, {{"M", 256}, {"N", 256}, {"K", 128}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  for (const Size& size : kSizes) {
    const RecordingCanvas canvas = drawn(*study, size);
    std::vector<Rect> waiting;
    std::vector<Rect> in_buffers;
    for (const auto& [rect, hit] : canvas.hits) {
      const auto tells = [&](std::string_view words) {
        return hit.tooltip.find(words) != std::string::npos;
      };
      if (tells("waits in registers")) waiting.push_back(rect);
      if (tells("is used for") || tells("is written to")) in_buffers.push_back(rect);
    }
    ASSERT_FALSE(waiting.empty()) << size.width;
    ASSERT_FALSE(in_buffers.empty()) << size.width;
    for (const Rect& rect : waiting) {
      for (const Rect& other : in_buffers) EXPECT_LE(rect.bottom(), other.y);
    }
    if (size.height > 400) {
      EXPECT_TRUE(canvas.says("registers")) << canvas.all_text();
    }
  }
}

// A click on a row follows its warp at that time, one on a bar of the ring sets the time.
TEST(PipelineHits, EveryMarkOfTheRowsAndTheRingGoesToItsMoment) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  const Pipeline& pipeline = *study->pipeline;
  const RecordingCanvas canvas = drawn(*study, kSizes[0]);
  int rows = 0;
  int bars = 0;
  for (const auto& [rect, hit] : canvas.hits) {
    const bool is_row = hit.kind == HitKind::kWarp && hit.value2 > 0;
    if (is_row) {
      const auto event = static_cast<std::size_t>(hit.value2 - 1);
      ASSERT_LT(event, study->trace->events.size());
      EXPECT_EQ(study->trace->events[event].warp, hit.value);
      if (!hit.tooltip.empty()) {
        EXPECT_NE(hit.tooltip.find("Warp " + std::to_string(hit.value)), std::string::npos);
      }
    }
    rows += is_row ? 1 : 0;
    const bool is_bar = hit.kind == HitKind::kEvent && hit.tooltip.starts_with("Tile ");
    if (is_bar) {
      EXPECT_LT(hit.value, static_cast<std::int64_t>(study->trace->events.size()));
    }
    bars += is_bar ? 1 : 0;
    // Nothing that lies over the view's time swallows a click.
    if (hit.kind == HitKind::kNone) {
      EXPECT_FALSE(hit.tooltip.starts_with("Tile ")) << hit.tooltip;
    }
  }
  EXPECT_GE(rows, static_cast<int>(pipeline.timing.warps.size()) * 20);
  EXPECT_GE(bars, 8);
}

// While time moves the rows of a long block move; what they show does not change with it.
TEST(PipelineRows, KeepTheirMarksWhileTimeMoves) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 512}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  const Size& size = kSizes[0];
  ViewContext context = catalogue_context(*study);
  const auto events = static_cast<std::uint32_t>(study->trace->events.size());
  // Each row's marks by their middle, in cycles.
  const auto marks_at = [&](std::uint32_t event, CycleAxis* axis) {
    context.selection.event = event;
    RecordingCanvas canvas;
    draw_view(View::kPipeline, canvas, {0, 0, size.width, size.height}, context);
    const auto name = std::ranges::find_if(canvas.hits, [](const auto& hit) {
      return hit.second.kind == HitKind::kWarp && hit.second.value2 == 0;
    });
    const Rect& label = name->first;  // the axis goes from its end to the view's margin
    const Rect box{label.right(), 0, size.width - label.x - label.right(), 1};
    *axis = cycle_axis(context, *study->pipeline, box);
    std::vector<std::pair<std::int64_t, long>> marks;
    for (const auto& [rect, hit] : canvas.hits) {
      if (hit.kind != HitKind::kWarp || hit.value2 == 0) continue;
      const auto share = static_cast<double>((rect.center().x - box.x) / box.w);
      marks.emplace_back(hit.value, std::lround(axis->first + axis->cycles * share));
    }
    return marks;
  };
  CycleAxis before;
  CycleAxis after;
  const auto first = marks_at(events / 2, &before);
  const auto second = marks_at(events / 2 + events / 50, &after);
  ASSERT_GT(after.first, before.first + 100);
  int compared = 0;
  for (const auto& [warp, cycle] : first) {
    // A mark at an edge is cut there.
    const double margin = 0.15 * before.cycles;
    const auto at = static_cast<double>(cycle);
    if (at < after.first + margin || at > before.last() - margin) continue;
    ++compared;
    const auto same = [&, w = warp, c = cycle](const auto& mark) {
      return mark.first == w && std::abs(mark.second - c) <= 1;
    };
    EXPECT_TRUE(std::ranges::any_of(second, same)) << "warp " << warp << " at " << cycle;
  }
  EXPECT_GE(compared, 100);
}

// Time at a full queue is no solid work.
TEST(PipelineStalls, AThrottledWarpIsDrawnAsOne) {
  std::string why;
  const auto study = catalogue_study("gemm/naive", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  const RecordingCanvas canvas = drawn(*study, kSizes[0]);
  int throttled = 0;
  for (const auto& [rect, hit] : canvas.hits) {
    throttled += hit.tooltip.find("(LG throttle)") != std::string::npos ? 1 : 0;
    EXPECT_EQ(hit.tooltip.find("works for"), std::string::npos) << hit.tooltip;
  }
  EXPECT_GE(throttled, 8);
}

TEST(PipelineStalls, EveryReasonOfHalfAPerCentIsNamedInEverySize) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  const WarpTiming& timing = study->pipeline->timing;
  std::uint64_t all = timing.issued;
  for (const std::uint64_t cycles : timing.stalled) all += cycles;
  for (const Size& size : kSizes) {
    const RecordingCanvas canvas = drawn(*study, size);
    for (std::size_t i = 1; i < kStallCount; ++i) {
      const double share = static_cast<double>(timing.stalled[i]) / static_cast<double>(all);
      if (share < 0.005) continue;
      const std::string name =
          fmt::format("{} {}", name_of(static_cast<Stall>(i)), about_percent_words(share));
      EXPECT_TRUE(canvas.says(name)) << name << " at " << size.width << "\n" << canvas.all_text();
    }
  }
}

}  // namespace
}  // namespace tilescope
