// The tiling view's block and thread of kernels that are no GEMM of single multiply-adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "scene/catalogue_study.h"
#include "scene/model/matrix_view.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/recording_canvas.h"
#include "scene/synthetic_study.h"
#include "scene/tiling/element_owner.h"
#include "scene/tiling/tiling_words.h"
#include "scene/view/view.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr Rect kWide{0, 0, 1176, 640};
constexpr Rect kSmall{0, 0, 1040, 330};

std::size_t count_of(const RecordingCanvas& canvas, std::string_view words) {
  return static_cast<std::size_t>(std::ranges::count_if(
      canvas.texts, [&](const RecordingCanvas::Text& text) { return text.words == words; }));
}

TEST(ShortValue, KeepsWhatACellHolds) {
  EXPECT_EQ(short_value(0.414), ".41");
  EXPECT_EQ(short_value(-8.9), "-8.9");
  EXPECT_EQ(short_value(6184), "6184");
  EXPECT_EQ(short_value(99999), "99999");
  EXPECT_EQ(short_value(100000), "1e+05");
}

RecordingCanvas tiling_of(const KernelStudy& study, const Rect& area, std::uint32_t event) {
  ViewContext context = catalogue_context(study);
  context.selection.event = event;
  RecordingCanvas canvas;
  draw_view(View::kTiling, canvas, area, context);
  return canvas;
}

// Of copy/wide: 32 lanes of 4 floats, when all is done.
std::optional<RecordingCanvas> copied_rows() {
  std::string why;
  const auto study = catalogue_study("copy/wide", {}, {{"ROWS", 64}, {"COLS", 2048}}, &why);
  EXPECT_NE(study, nullptr) << why;
  if (study == nullptr) return std::nullopt;
  return tiling_of(*study, kWide, static_cast<std::uint32_t>(study->trace->events.size() - 1));
}

TEST(TilingScene, ALongRowIsBrokenWhereAWarpsAccessEnds) {
  const auto canvas = copied_rows();
  ASSERT_TRUE(canvas);
  // Each lane has its number in what is read and in what is stored.
  EXPECT_TRUE(canvas->says("read, 128 elements per row here")) << canvas->all_text();
  EXPECT_TRUE(canvas->says("stored, 128 elements per row here")) << canvas->all_text();
  EXPECT_EQ(count_of(*canvas, "31"), 2U) << canvas->all_text();
  EXPECT_EQ(canvas->complaint(kWide, 11), "");
}

// In a low and wide view three tiles beside the list of the thread would be small.
TEST(TilingScene, TheThreadsListGoesBelowWhereTheTilesThenGrow) {
  std::string why;
  const auto study = catalogue_study("transpose/tiled", {}, {{"ROWS", 128}, {"COLS", 128}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto top_of = [&](const Rect& area, std::string_view words) {
    const auto canvas = tiling_of(*study, area, 900);
    EXPECT_EQ(canvas.complaint(area, 11), "");
    const auto text = std::ranges::find(canvas.texts, words, &RecordingCanvas::Text::words);
    EXPECT_NE(text, canvas.texts.end()) << words << ": " << canvas.all_text();
    return text != canvas.texts.end() ? text->box.y : 0.0f;
  };
  constexpr Rect kInWindow{0, 0, 1176, 520};
  EXPECT_GT(top_of(kInWindow, "THREAD"), top_of(kInWindow, "shared memory"));
  EXPECT_EQ(top_of(kSmall, "THREAD"), top_of(kSmall, "BLOCK"));
}

TEST(TilingScene, AVectorAccessNamesAllItsElements) {
  const auto canvas = copied_rows();
  ASSERT_TRUE(canvas);
  EXPECT_TRUE(canvas->says("…")) << canvas->all_text();
  std::vector<std::string> values;  // what was loaded is what is stored
  for (const RecordingCanvas::Text& text : canvas->texts) {
    const bool is_value = text.words.starts_with('.') || text.words.starts_with("-.");
    if (is_value) values.push_back(text.words);
  }
  ASSERT_EQ(values.size(), 2U) << canvas->all_text();
  EXPECT_EQ(values[0], values[1]);
}

TEST(TilingScene, OfABufferOfOneDimensionItNamesTheRangeThatTheBlockTouches) {
  SyntheticKernel kernel{{{MemorySpace::kGlobal, AccessKind::kLoad, 4,
                           [](std::uint64_t lane) { return 4 * (1000 + lane); }, 0xffffffffu}}};
  const RecordingCanvas canvas = tiling_of(*synthetic_study(kernel), kWide, 0);
  EXPECT_TRUE(canvas.says("[1000…1031]")) << canvas.all_text();  // though its picture is folded
}

TEST(TilingScene, ASmallViewHasFiguresInTheThreadsCellsAndWholeCaptions) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 512}, {"N", 512}, {"K", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto middle = static_cast<std::uint32_t>(study->trace->events.size() / 2);
  const RecordingCanvas small = tiling_of(*study, {0, 0, 1040, 318}, middle);
  EXPECT_GE(std::ranges::count(small.texts, true, &RecordingCanvas::Text::in_cell), 80);
  EXPECT_EQ(small.complaint({0, 0, 1040, 318}, 11), "");

  ViewContext context = catalogue_context(*study);
  context.selection.event = middle;
  context.text_scale = 1.6f;
  RecordingCanvas lecture;
  draw_view(View::kTiling, lecture, {0, 0, 1016, 440}, context);
  EXPECT_TRUE(lecture.says("A is read 4 ×, B 4 ×")) << lecture.all_text();
}

// A block of transpose/per_row reads so many long rows that none of them can be broken into lines.
TEST(TilingScene, ManyLongRowsAreDrawnUnbroken) {
  std::string why;
  const auto study =
      catalogue_study("transpose/per_row", {}, {{"ROWS", 256}, {"COLS", 4096}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto middle = static_cast<std::uint32_t>(study->trace->events.size() / 2);
  for (const Rect& area : {kWide, kSmall}) {
    const RecordingCanvas canvas = tiling_of(*study, area, middle);
    EXPECT_EQ(canvas.complaint(area, 11), "");
  }
}

// Four warps and two blocks share each sum of gemm/split_k: a thread multiplies for more elements
// than it stores, and those are shown until it stores.
TEST(TilingScene, AThreadThatSharesItsSumsShowsWhatItMultipliesFor) {
  std::string why;
  const auto study = catalogue_study("gemm/split_k", {}, {{"M", 64}, {"N", 64}, {"K", 256}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto events = static_cast<std::uint32_t>(study->trace->events.size());
  bool multiplies = false;
  bool stores = false;
  for (std::uint32_t i = 1; i < 30; ++i) {
    const RecordingCanvas canvas = tiling_of(*study, kWide, events / 30 * i);
    multiplies = multiplies || canvas.says(" of 128 at k = ");
    stores = stores || canvas.says(" of 8 elements are stored");
    EXPECT_FALSE(canvas.says(" of 8 at k = ")) << "at event " << events / 30 * i;
  }
  EXPECT_TRUE(multiplies);
  EXPECT_TRUE(stores);
  ViewContext context = catalogue_context(*study);
  context.selection.event = events / 2;
  // Where one input comes by cp.async and the other by a tensor copy, the sentence is of what the
  // block stores, not of what it adds up.
  EXPECT_NE(plain(tiling_sentence(context)).find("computes a 32 × 64 tile of C"),
            std::string::npos);
}

TEST(TilingScene, AWarpsMatrixProductShowsWhoseRegistersHoldWhat) {
  std::string why;
  const auto study =
      catalogue_study("gemm/tensor_core", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto middle = static_cast<std::uint32_t>(study->trace->events.size() / 2);
  for (const Rect& area : {kWide, kSmall}) {
    const RecordingCanvas canvas = tiling_of(*study, area, middle);
    EXPECT_TRUE(canvas.says("m16n8k16")) << canvas.all_text();
    EXPECT_TRUE(canvas.says("8 of a, 4 of b")) << canvas.all_text();
    EXPECT_TRUE(canvas.says("of this tile")) << canvas.all_text();
    EXPECT_EQ(canvas.complaint(area, 11), "");
  }
  // Before its first product the warp has executed none of those to come.
  EXPECT_TRUE(tiling_of(*study, kWide, 0).says("yet"));
}

// The grid reads each element as often whichever block is traced: the block at the corner executes
// other instructions than those before it.
TEST(TilingModel, EveryBlockTellsHowOftenTheGridReadsAnElement) {
  for (const std::int64_t size : {600, 300}) {  // traced: a block inside, the corner
    std::string why;
    const auto study =
        catalogue_study("gemm/register_tile", {}, {{"M", size}, {"N", size}, {"K", 64}}, &why);
    ASSERT_NE(study, nullptr) << why;
    const auto prepared = prepare(*study);
    const TilingModel& tiling = *prepared->tiling;
    const auto blocks = static_cast<double>((size + 127) / 128);
    EXPECT_NEAR(tiling.find(Role::kA)->grid_reads_per_element, blocks, 1e-9) << size;
    EXPECT_NEAR(tiling.find(Role::kB)->grid_reads_per_element, blocks, 1e-9) << size;
  }
}

TEST(TilingScene, WhatTheEdgeCutsOffATileIsHatched) {
  std::string why;
  const ParameterSet size{{"M", 300}, {"N", 300}, {"K", 64}};
  const auto study = catalogue_study("gemm/register_tile", {}, size, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto prepared = prepare(*study);
  const TilingModel& tiling = *prepared->tiling;
  EXPECT_EQ(tiling.full_tile, (ElementBox{256, 256, 128, 128}));
  EXPECT_EQ(tiling.matrices[*tiling.output].written, (ElementBox{256, 256, 44, 44}));
  const auto explains = [](const RecordingCanvas& canvas, std::string_view words) {
    return std::ranges::any_of(canvas.hits, [&](const auto& hit) {
      return hit.second.tooltip.find(words) != std::string::npos;
    });
  };
  for (const Rect& area : {kWide, kSmall}) {
    const RecordingCanvas canvas = tiling_of(*study, area, 1000);
    EXPECT_TRUE(explains(canvas, "Outside C"));
    EXPECT_TRUE(explains(canvas, "300 × 300 is not a multiple of 128 × 128"));
    EXPECT_EQ(canvas.complaint(area, 11), "");
  }
  const auto whole =
      catalogue_study("gemm/register_tile", {}, {{"M", 512}, {"N", 512}, {"K", 64}}, &why);
  ASSERT_NE(whole, nullptr) << why;
  const RecordingCanvas canvas = tiling_of(*whole, kWide, 1000);
  EXPECT_FALSE(explains(canvas, "edge"));
}

TEST(TilingModel, KnowsTheLinesThatReadAndStoreAnElement) {
  std::string why;
  const auto study = catalogue_study("gemm/naive", {}, {{"M", 64}, {"N", 64}, {"K", 8}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const auto prepared = prepare(*study);
  const TilingModel& tiling = *prepared->tiling;
  const TiledMatrix& a = *tiling.find(Role::kA);
  const TiledMatrix& c = tiling.matrices[*tiling.output];
  ASSERT_EQ(a.read_lines.size(), 1u);
  const std::string& source = study->instance.source;
  const auto line = [&](std::uint32_t number) {
    std::size_t at = 0;
    for (std::uint32_t i = 1; i < number; ++i) at = source.find('\n', at) + 1;
    return source.substr(at, source.find('\n', at) - at);
  };
  EXPECT_NE(line(a.read_lines.front()).find("a["), std::string::npos);
  EXPECT_NE(line(tiling.store_line_of(c.written.row, c.written.col)).find("*c = "),
            std::string::npos);
}

TEST(TilingScene, AnElementOfTheOutputLeadsToTheThreadThatStoresIt) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  ViewContext context = catalogue_context(*study);
  const TilingModel& model = *context.prepared->tiling;
  const ElementBox& tile = model.matrices[*model.output].written;
  std::set<std::uint32_t> threads;
  for (std::uint64_t row = tile.row; row < tile.row + tile.rows; ++row) {
    Hit hit{.kind = HitKind::kElement, .value = static_cast<std::int64_t>(row)};
    hit.value2 = static_cast<std::int64_t>(tile.col + (row - tile.row) % tile.cols);
    hit.name = "C";
    const auto owner = owner_of_element(model, hit);
    ASSERT_TRUE(owner.has_value());
    threads.insert(owner->warp * 32 + static_cast<std::uint32_t>(owner->lane));
    hit.name = "A";
    EXPECT_FALSE(owner_of_element(model, hit).has_value());
  }
  EXPECT_GT(threads.size(), 8U);
  Hit outside{.kind = HitKind::kElement,
              .value = static_cast<std::int64_t>(tile.row == 0 ? tile.rows : 0)};
  outside.name = "C";
  EXPECT_FALSE(owner_of_element(model, outside).has_value());
}

TEST(HoveredLane, IsLitInEveryViewAsTheSelectedOneIs) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  ViewContext context = catalogue_context(*study);
  context.selection.event = static_cast<std::uint32_t>(study->trace->events.size() / 2);
  for (const View view : {View::kTiling, View::kCoalescing, View::kBanks, View::kDivergence}) {
    const auto picture = [&](int selected, int hovered) {
      context.selection.lane = selected;
      context.hovered_lane = hovered;
      RecordingCanvas canvas;
      draw_view(view, canvas, kWide, context);
      return canvas.fingerprint();
    };
    EXPECT_EQ(picture(3, 9), picture(9, -1)) << name_of(view);
    EXPECT_NE(picture(3, 9), picture(3, -1)) << name_of(view);
  }
}

}  // namespace
}  // namespace tilescope
