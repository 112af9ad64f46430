#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scene/drawing/pen.h"
#include "scene/recording_canvas.h"
#include "scene/synthetic_study.h"
#include "scene/view/default_selection.h"
#include "scene/view/time_strip.h"
#include "scene/view/view.h"
#include "scene/view_settings.h"
#include "scene/views.h"

namespace tilescope {
namespace {

using Offset = std::function<std::uint64_t(std::uint64_t)>;

struct Size {
  float width = 0;
  float height = 0;
  float text_scale = 1;
};
constexpr Size kSizes[] = {
    {1176, 560, 1}, {860, 420, 1}, {1176, 560, 1.6f}, {1900, 760, 1.6f}, {640, 420, 1}};

// Draws the view at every size and looks for texts that are too small, overlap or leave the
// picture.
void expect_sound(View view, const KernelStudy& study, const Selection& selection,
                  const std::string& what) {
  const auto prepared = prepare(study);
  for (const Size& size : kSizes) {
    ViewContext context;
    context.study = &study;
    context.prepared = prepared;
    context.selection = selection;
    context.text_scale = size.text_scale;
    RecordingCanvas canvas;
    const Rect area{0, 0, size.width, size.height};
    draw_view(view, canvas, area, context);
    EXPECT_EQ(canvas.complaint(area, 11 * size.text_scale), "")
        << what << ", " << name_of(view) << " at " << size.width << " x " << size.height << " text "
        << size.text_scale;
    EXPECT_FALSE(canvas.texts.empty());
  }
}

struct Case {
  std::string what;
  SyntheticAccess access;
};

std::vector<Case> global_cases() {
  using Kind = AccessKind;
  const auto global = [](int bytes, const Offset& offset, std::uint32_t active = 0xffffffff,
                         Kind kind = Kind::kLoad) {
    return SyntheticAccess{MemorySpace::kGlobal, kind, bytes, offset, active};
  };
  return {
      {"bytes", global(1, [](auto l) { return l; })},
      {"halves", global(2, [](auto l) { return 2 * l; })},
      {"floats", global(4, [](auto l) { return 4 * l; })},
      {"offset", global(4, [](auto l) { return 4 + 4 * l; })},
      {"double words", global(8, [](auto l) { return 8 * l; })},
      {"vectors", global(16, [](auto l) { return 16 * l; })},
      {"vectors far apart", global(16, [](auto l) { return 8192 * l; })},
      {"column", global(
                     4, [](auto l) { return 32768 * l; }, 0xffffffff, Kind::kStore)},
      {"broadcast", global(4, [](auto) { return 4096; })},
      {"gather", global(4, [](auto l) { return (l * l * 7919 + l * 104729) % (1u << 18) * 4; })},
      {"half the lanes", global(
                             4, [](auto l) { return 4 * l; }, 0x55555555)},
      {"one lane", global(
                       4, [](auto) { return 64; }, 1u << 17)},
      {"atomics", global(
                      4, [](auto l) { return l % 4 * 128; }, 0xffffffff, Kind::kAtomic)}};
}

TEST(CoalescingLayout, IsSoundForEveryPattern) {
  for (const Case& each : global_cases()) {
    const auto study = synthetic_study({{each.access}});
    expect_sound(View::kCoalescing, *study, {}, each.what);
  }
}

TEST(CoalescingLayout, ManyLinesOfTheTableFitOrAreCounted) {
  SyntheticKernel kernel;
  for (int i = 0; i < 30; ++i) {
    for (const Case& each : global_cases()) kernel.accesses.push_back(each.access);
  }
  const auto study = synthetic_study(kernel);
  expect_sound(View::kCoalescing, *study, {}, "390 lines");
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kCoalescing, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("more lines")) << canvas.all_text();
}

TEST(CoalescingLayout, LanesAndLinesCanBeHit) {
  const auto study = synthetic_study({{global_cases()[7].access, global_cases()[2].access}});
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kCoalescing, canvas, {0, 0, 1176, 560}, context);
  int lanes = 0;
  int lines = 0;
  for (const auto& [rect, hit] : canvas.hits) {
    lanes += hit.kind == HitKind::kLane;
    lines += hit.kind == HitKind::kLine;
    EXPECT_FALSE(hit.tooltip.empty());
  }
  EXPECT_EQ(lanes, 32);
  EXPECT_EQ(lines, 2);
}

TEST(CoalescingLayout, SaysSectorsAndRatio) {
  const auto study = synthetic_study({{global_cases()[7].access}});
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kCoalescing, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("32 sectors"));
  EXPECT_TRUE(canvas.says("8 × the ideal"));
  EXPECT_TRUE(canvas.says("12.5 %"));
}

std::vector<Case> shared_cases() {
  const auto shared = [](int bytes, const Offset& offset, std::uint32_t active = 0xffffffff,
                         AccessKind kind = AccessKind::kLoad) {
    return SyntheticAccess{MemorySpace::kShared, kind, bytes, offset, active};
  };
  return {{"row", shared(4, [](auto l) { return 4 * l; })},
          {"column", shared(4, [](auto l) { return 128 * l; })},
          {"column store", shared(
                               4, [](auto l) { return 128 * l; }, 0xffffffff, AccessKind::kStore)},
          {"stride 2", shared(4, [](auto l) { return 8 * l; })},
          {"stride 5", shared(4, [](auto l) { return 20 * l; })},
          {"broadcast", shared(4, [](auto) { return 256; })},
          {"groups", shared(4, [](auto l) { return l / 4 * 4; })},
          {"double words", shared(8, [](auto l) { return 8 * l; })},
          {"vectors", shared(16, [](auto l) { return 16 * l; })},
          {"vectors apart", shared(16, [](auto l) { return 128 * l % 8192; })},
          {"pairs", shared(16, [](auto l) { return l / 2 * 16; })},
          {"bytes", shared(1, [](auto l) { return l; })},
          {"scattered", shared(4, [](auto l) { return (l * 577 + l * l * 31) % 2048 * 4; })},
          {"few lanes", shared(
                            4, [](auto l) { return 128 * l; }, 0x000000f1)}};
}

TEST(BanksLayout, IsSoundForEveryPattern) {
  for (const std::uint64_t pitch : {32u, 33u, 36u, 64u}) {
    for (const Case& each : shared_cases()) {
      SyntheticKernel kernel{{each.access}};
      kernel.pitch_words = pitch;
      expect_sound(View::kBanks, *synthetic_study(kernel), {}, each.what);
    }
  }
}

TEST(BanksLayout, WithoutSharedMemorySaysWhatWouldFillIt) {
  const auto study = synthetic_study({{global_cases()[2].access}});
  expect_sound(View::kBanks, *study, {}, "no shared memory");
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kBanks, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("no shared memory"));
  EXPECT_TRUE(canvas.says("__shared__"));
}

TEST(BanksLayout, WhatIfShowsThePaddingThatHelps) {
  const auto study = synthetic_study({{shared_cases()[1].access}});
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_view(View::kBanks, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("32 lanes use bank 0")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("PAD 0"));
  EXPECT_TRUE(canvas.says("XOR"));
  EXPECT_TRUE(canvas.says("1 wavefront"));
}

TEST(TilingLayout, ShowsAnUnknownKernelByAddress) {
  for (const Case& each : global_cases()) {
    expect_sound(View::kTiling, *synthetic_study({{each.access}}), {}, each.what);
  }
  SyntheticKernel matrix{{global_cases()[2].access, global_cases()[7].access}};
  matrix.rows = 512;
  matrix.cols = 8192;
  expect_sound(View::kTiling, *synthetic_study(matrix), {}, "a matrix");
}

TEST(DivergenceLayout, IsSoundForEveryMaskAndWindow) {
  for (const std::uint32_t active : {0xffffffffu, 0x55555555u, 0x0000ffffu, 1u}) {
    SyntheticKernel kernel;
    for (int i = 0; i < 200; ++i) {
      kernel.accesses.push_back({MemorySpace::kGlobal, AccessKind::kLoad, 4,
                                 [](auto l) { return 4 * l; }, i % 3 == 0 ? active : 0xffffffffu});
    }
    const auto study = synthetic_study(kernel);
    expect_sound(View::kDivergence, *study, {}, "predicates");
    ViewContext context;
    context.study = study.get();
    context.settings.lane_window = 64;
    context.selection.event = 150;
    RecordingCanvas canvas;
    draw_view(View::kDivergence, canvas, {0, 0, 1176, 560}, context);
    EXPECT_EQ(canvas.complaint({0, 0, 1176, 560}, 11), "");
    EXPECT_TRUE(canvas.says("instruction by instruction")) << canvas.all_text();
  }
}

TEST(DivergenceLayout, WorkingLanesCoverTheHatchOfThoseThatWait) {
  SyntheticKernel kernel;
  for (int i = 0; i < 200; ++i) {
    kernel.accesses.push_back(
        {MemorySpace::kGlobal, AccessKind::kLoad, 4, [](auto l) { return 4 * l; }, 0xffffffffu});
  }
  const auto study = synthetic_study(kernel);
  ViewContext context;
  context.study = study.get();
  context.selection.lane = 5;
  RecordingCanvas canvas;
  draw_view(View::kDivergence, canvas, {0, 0, 1176, 560}, context);
  std::size_t seen = 0;
  for (std::size_t i = 1; i < canvas.fills.size(); ++i) {
    const auto& fill = canvas.fills[i];
    if (fill.paint.role != ColourRole::kDim || fill.paint.opacity >= 1 || fill.box.h < 100)
      continue;
    ++seen;
    EXPECT_EQ(canvas.fills[i - 1].paint.role, ColourRole::kBackground);
    EXPECT_EQ(canvas.fills[i - 1].box.w, fill.box.w);
  }
  EXPECT_GT(seen, 0u);
  // The chosen lane's number stands beside the picture.
  const auto numbered = [&](const char* lane) {
    return std::ranges::any_of(canvas.texts, [&](const auto& text) {
      return text.words == lane && text.box.right() < 50;
    });
  };
  EXPECT_TRUE(numbered("5")) << canvas.all_text();
}

TEST(DivergenceLayout, AClickChangesTheWindow) {
  ViewSettings settings;
  change_setting(settings, {.kind = HitKind::kSetting, .value = 256, .name = "lane_window"});
  EXPECT_EQ(settings.lane_window, 256);
}

TEST(Heading, LeavesOutWholePartsOfItsExplanation) {
  SyntheticKernel kernel{{global_cases()[2].access}};
  const auto study = synthetic_study(kernel);
  ViewContext context;
  context.study = study.get();
  const auto written = [&](std::string_view explanation) {
    RecordingCanvas canvas;
    Pen pen(canvas, context);
    pen.heading(0, 10, "LANES", explanation, 150);
    return canvas.texts.size() > 1 ? canvas.texts[1].words : std::string();
  };
  EXPECT_EQ(written("of warp 0: each arrow points to the bytes that its lane accesses"),
            "of warp 0");
  EXPECT_EQ(written("columns: banks; rows: the wavefronts of this access"), "columns: banks");
  EXPECT_EQ(written("of 2,048 rows: each as long as the others are"), "of 2,048 rows");
}

TEST(TimeStrip, BookmarksAndTheLoopLieWhereTheirMomentsAre) {
  SyntheticKernel kernel;
  for (int i = 0; i < 100; ++i) kernel.accesses.push_back(global_cases()[2].access);
  const auto study = synthetic_study(kernel);
  ViewContext context;
  context.study = study.get();
  context.marks.loop_in = 20;
  context.marks.loop_out = 39;
  for (const std::uint32_t number : {0u, 1u, 2u}) context.marks.bookmarks[number] = 98 + number / 2;
  context.marks.bookmarks[7] = 50;
  context.marks.bookmarks[8] = 5000;  // of a longer trace
  RecordingCanvas canvas;
  const Rect area{10, 10, 650, 46};
  const TimeStripLayout layout = time_strip_layout(canvas, area, context);
  EXPECT_FLOAT_EQ(layout.loop.x, layout.x_of(20));
  EXPECT_FLOAT_EQ(layout.loop.right(), layout.x_of(40));
  ASSERT_EQ(layout.flags.size(), 4u);
  EXPECT_EQ(layout.flags[0].number, 7);
  EXPECT_FLOAT_EQ(layout.flags[0].box.center().x, layout.x_of(50));
  for (std::size_t i = 1; i < layout.flags.size(); ++i) {
    EXPECT_GE(layout.flags[i].box.x, layout.flags[i - 1].box.right());
  }
  EXPECT_LE(layout.flags.back().box.right(), area.right());
  EXPECT_EQ(layout.event_at(layout.x_of(73) + 0.5f), 73u);
  draw_time_strip(canvas, area, context);
  EXPECT_EQ(canvas.complaint(area, 11), "");
  EXPECT_TRUE(canvas.says("7"));
}

TEST(TimeStrip, StaysInItsPlaceAndCanBeClicked) {
  SyntheticKernel kernel;
  for (const Case& each : global_cases()) kernel.accesses.push_back(each.access);
  const auto study = synthetic_study(kernel);
  ViewContext context;
  context.study = study.get();
  context.selection.event = 5;
  for (const float width : {120.0f, 650.0f, 1200.0f}) {
    RecordingCanvas canvas;
    const Rect area{10, 10, width, 46};
    draw_time_strip(canvas, area, context);
    EXPECT_EQ(canvas.complaint(area, 11), "");
    ASSERT_FALSE(canvas.hits.empty());
    EXPECT_EQ(canvas.hits.front().second.kind, HitKind::kEvent);
  }
}

TEST(TimeStrip, IsNotCalledPhasesWhereTheKernelHasNone) {
  const auto study = synthetic_study({{global_cases()[2].access, global_cases()[7].access}});
  ASSERT_TRUE(study->program->phases().empty());
  ViewContext context;
  context.study = study.get();
  RecordingCanvas canvas;
  draw_time_strip(canvas, {10, 10, 650, 46}, context);
  EXPECT_TRUE(canvas.says("time")) << canvas.all_text();
  EXPECT_FALSE(canvas.says("phases")) << canvas.all_text();
}

TEST(TimeStrip, ShowsLostLanesWhereTheyWeighMoreThanMemory) {
  const auto inked = [](std::uint32_t active) {
    SyntheticKernel kernel;
    for (int i = 0; i < 100; ++i) {
      kernel.accesses.push_back({MemorySpace::kGlobal, AccessKind::kLoad, 4,
                                 [](auto l) { return 4 * l; }, i < 50 ? active : 0xffffffffu});
    }
    const auto study = synthetic_study(kernel);
    ViewContext context;
    context.study = study.get();
    context.theme = Theme::kDark;
    RecordingCanvas canvas;
    const Rect area{10, 10, 650, 46};
    const TimeStripLayout layout = time_strip_layout(canvas, area, context);
    draw_time_strip(canvas, area, context);
    EXPECT_EQ(canvas.complaint(area, 11), "");
    EXPECT_TRUE(canvas.says(layout.excess_name)) << canvas.all_text();
    EXPECT_EQ(layout.excess_name, active == 0xffffffffu ? "excess" : "lost lanes");
    float share = 0;
    for (const RecordingCanvas::Shape& shape : canvas.fills) {
      if (shape.paint.role == ColourRole::kExcess && shape.box.y == layout.excess.y) {
        share += shape.box.w / layout.excess.w;
      }
    }
    return share;
  };
  EXPECT_EQ(inked(0xffffffffu), 0);
  EXPECT_NEAR(inked(0x000000ffu), 0.5f, 0.01f);
}

TEST(AccessEvent, TakesTheLastOneOfTheLineAtOrBeforeNow) {
  const auto study = synthetic_study(
      {{global_cases()[2].access, shared_cases()[0].access, global_cases()[7].access}});
  ViewContext context;
  context.study = study.get();
  context.selection.event = 1;
  EXPECT_EQ(access_event(context, MemorySpace::kGlobal), 0u);
  EXPECT_EQ(access_event(context, MemorySpace::kShared), 1u);
  context.selection.event = 2;
  EXPECT_EQ(access_event(context, MemorySpace::kGlobal), 2u);
  context.selection.line = 1;
  EXPECT_EQ(access_event(context, MemorySpace::kGlobal), 0u);
  context.selection.event = 0;
  EXPECT_EQ(access_event(context, MemorySpace::kShared), 1u);  // the first after it
  context.selection.warp = 7;
  EXPECT_EQ(access_event(context, MemorySpace::kGlobal), std::nullopt);
}

TEST(TellingSelection, StandsOffTheEdgesWhereTheGridHasRoom) {
  EXPECT_EQ(default_block({16, 16, 1}), 2U * 16 + 3);
  EXPECT_EQ(default_block({2, 16, 1}), 2U * 2 + 1);
  EXPECT_EQ(default_block({100, 1, 1}), 3U);
  EXPECT_EQ(default_block({1, 1, 1}), 0U);
}

TEST(TellingSelection, LooksAtTheWorst) {
  const auto study = synthetic_study({{global_cases()[2].access, global_cases()[7].access,
                                       shared_cases()[0].access, shared_cases()[1].access}});
  const auto prepared = prepare(*study);
  EXPECT_EQ(default_selection(View::kCoalescing, *study, *prepared).line, 2u);
  EXPECT_EQ(default_selection(View::kBanks, *study, *prepared).line, 4u);
}

}  // namespace
}  // namespace tilescope
