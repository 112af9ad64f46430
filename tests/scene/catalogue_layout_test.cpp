#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <vector>

#include "scene/catalogue_study.h"
#include "scene/model/copy_flow.h"
#include "scene/model/shared_layout.h"
#include "scene/model/tiling_model.h"
#include "scene/occupancy/occupancy_words.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/view/view.h"
#include "scene/view_settings.h"
#include "scene/views.h"

namespace tilescope {
namespace {

struct Size {
  float width = 0;
  float height = 0;
  float text_scale = 1;
};
constexpr Size kSizes[] = {{1176, 560, 1},    {860, 420, 1},     {1176, 560, 1.6f},
                           {1900, 760, 1.6f}, {1016, 419, 1.6f}, {520, 400, 1}};

std::shared_ptr<const KernelStudy> study_of(const std::string& id, const ParameterSet& parameters,
                                            const ParameterSet& extents) {
  std::string why;
  auto study = catalogue_study(id, parameters, extents, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  return study;
}

ParameterSet gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{"M", m}, {"N", n}, {"K", k}};
}

struct Kernel {
  const char* id;
  ParameterSet parameters;
  ParameterSet extents;
};
std::vector<Kernel> kernels() {
  return {
      {"gemm/naive", {}, gemm(256, 256, 64)},
      {"gemm/shared_tile", {}, gemm(200, 300, 100)},
      {"gemm/register_tile", {}, gemm(512, 512, 64)},
      {"gemm/register_tile", {{"STAGES", 1}}, gemm(500, 500, 50)},
      {"gemm/register_tile",
       {{"STAGES", 2}, {"ASYNC", 0}, {"TILE_M", 64}, {"THREAD_M", 4}},
       gemm(512, 64, 64)},
      {"gemm/register_tile", {{"STAGES", 2}}, gemm(128, 128, 64)},
      {"transpose/naive", {}, {{"ROWS", 256}, {"COLS", 128}}},
      {"transpose/tiled", {{"PAD", 0}}, {{"ROWS", 256}, {"COLS", 256}}},
      {"transpose/tiled", {{"PAD", 1}}, {{"ROWS", 100}, {"COLS", 90}}},
      {"transpose/one_sided", {}, {{"ROWS", 100}, {"COLS", 90}}},
      {"gather/plain", {{"SPREAD", 0}}, {{"N", 5000}}},
      {"divergence/switch", {{"WAYS", 32}, {"BLOCK", 1024}}, {{"ROWS", 64}, {"COLS", 100}}},
      {"divergence/switch", {{"WAYS", 1}}, {{"ROWS", 64}, {"COLS", 64}}},
      {"divergence/trip_counts", {{"STEPS", 64}}, {{"ROWS", 64}, {"COLS", 64}}},
      {"divergence/block_shape", {{"BLOCK_X", 8}, {"BLOCK_Y", 1}}, {{"ROWS", 63}, {"COLS", 61}}}};
}

TEST(CatalogueLayout, IsSoundAtEverySizeAndMoment) {
  for (const Kernel& kernel : kernels()) {
    const auto study = study_of(kernel.id, kernel.parameters, kernel.extents);
    ASSERT_NE(study, nullptr);
    ViewContext context = catalogue_context(*study);
    for (const View view : all_views()) {
      Selection start = default_selection(view, *study, *context.prepared);
      const auto events = static_cast<std::uint32_t>(study->trace->events.size());
      for (const std::uint32_t event : {start.event, 0u, events / 3, events - 1}) {
        context.selection = start;
        context.selection.event = event;
        for (const Size& size : kSizes) {
          context.text_scale = size.text_scale;
          RecordingCanvas canvas;
          const Rect area{0, 0, size.width, size.height};
          draw_view(view, canvas, area, context);
          ASSERT_EQ(canvas.complaint(area, 11 * size.text_scale), "")
              << kernel.id << ", " << name_of(view) << " at " << size.width << " x " << size.height
              << " text " << size.text_scale << " event " << event;
        }
      }
    }
  }
}

// The size that a lecture leaves a view in a window of 1280 x 720.
TEST(CatalogueLayout, ASmallLectureKeepsWhatItIsAbout) {
  const Rect area{0, 0, 1016, 419};
  const auto drawn = [&](View view, const char* id, const ParameterSet& extents) {
    const auto study = study_of(id, {}, extents);
    RecordingCanvas canvas;
    if (study == nullptr) return canvas;
    ViewContext context = catalogue_context(*study);
    context.selection = default_selection(view, *study, *context.prepared);
    context.text_scale = 1.6f;
    draw_view(view, canvas, area, context);
    return canvas;
  };
  const RecordingCanvas tiling = drawn(View::kTiling, "gemm/register_tile", gemm(512, 512, 64));
  for (const char* panel : {"GRID", "BLOCK", "THREAD"}) EXPECT_TRUE(tiling.says(panel));
  // 8 values of a, 8 of b, and their 64 products.
  EXPECT_GE(std::ranges::count(tiling.texts, true, &RecordingCanvas::Text::in_cell), 80);
  const RecordingCanvas divergence =
      drawn(View::kDivergence, "divergence/switch", {{"ROWS", 64}, {"COLS", 64}});
  for (const char* words : {"LOST LANE SLOTS", "waits for other paths", "diverge"}) {
    EXPECT_TRUE(divergence.says(words)) << words << "\n" << divergence.all_text();
  }
  const RecordingCanvas occupancy =
      drawn(View::kOccupancy, "gemm/register_tile", gemm(512, 512, 64));
  for (const char* name : {"GTX 1080 Ti", "AGX Orin", "AGX Thor"}) {
    EXPECT_TRUE(occupancy.says(name)) << name << "\n" << occupancy.all_text();
  }
  const RecordingCanvas moves =
      drawn(View::kTiling, "transpose/tiled", {{"ROWS", 4096}, {"COLS", 4096}});
  EXPECT_TRUE(moves.says("out[104][69]")) << "elements of out\n" << moves.all_text();
}

TEST(CatalogueLayout, OccupancyIsSoundOnEveryDevice) {
  for (const char* id : {"gemm/register_tile", "gemm/tensor_core", "copy/plain"}) {
    const auto study =
        study_of(id, {},
                 id == std::string("copy/plain") ? ParameterSet{{"ROWS", 256}, {"COLS", 256}}
                                                 : gemm(256, 256, 64));
    ASSERT_NE(study, nullptr);
    ViewContext context = catalogue_context(*study);
    for (std::size_t device = 0; device < context.devices->size(); ++device) {
      context.settings.device = static_cast<int>(device);
      for (const Size& size : kSizes) {
        context.text_scale = size.text_scale;
        RecordingCanvas canvas;
        const Rect area{0, 0, size.width, size.height};
        draw_view(View::kOccupancy, canvas, area, context);
        EXPECT_EQ(canvas.complaint(area, 11 * size.text_scale), "")
            << id << " on " << (*context.devices)[device].name << " at " << size.width << " x "
            << size.height << " text " << size.text_scale;
        for (const auto& [rect, hit] : canvas.hits) EXPECT_FALSE(hit.tooltip.empty());
      }
    }
  }
}

TEST(OccupancyScene, AClickSetsAParameterOrChoosesADevice) {
  const auto study = study_of("gemm/register_tile", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  RecordingCanvas canvas;
  draw_view(View::kOccupancy, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("16 of 64 warps")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("another block needs 32,768 more"));
  EXPECT_TRUE(canvas.says("80 or less: 24 warps"));
  EXPECT_TRUE(canvas.says("49.8 KiB per block, 1.00 KiB of it reserved")) << canvas.all_text();
  std::size_t parameters = 0;
  const Hit* fermi = nullptr;
  for (const auto& [rect, hit] : canvas.hits) {
    if (hit.kind == HitKind::kParameter && hit.name == "STAGES") ++parameters;
    if (hit.kind == HitKind::kSetting && hit.tooltip.find("GTX 480") != std::string::npos) {
      fermi = &hit;
    }
  }
  EXPECT_EQ(parameters, 5U);
  ASSERT_NE(fermi, nullptr);
  change_setting(context.settings, *fermi);
  EXPECT_EQ((*context.devices)[static_cast<std::size_t>(context.settings.device)].name,
            "NVIDIA GeForce GTX 480");
  EXPECT_EQ(plain(sentence_of(View::kOccupancy, context)),
            "A thread with 121 registers cannot run on the GTX 480: its limit is 63 per thread; "
            "the compiler would spill the rest.");
}

// The size that a window of 1280 x 720 leaves the view.
TEST(OccupancyScene, ASmallWindowShowsEveryParameterTheBytesInFlightAndWholeNames) {
  const auto study = study_of("gemm/register_tile", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  RecordingCanvas canvas;
  draw_view(View::kOccupancy, canvas, {0, 0, 1040, 330}, context);
  for (const auto& [name, value] : study->instance.parameters) {
    EXPECT_TRUE(canvas.says(name)) << name << " in\n" << canvas.all_text();
  }
  for (const char* words : {"BYTES IN FLIGHT", "GTX 1080 Ti", "RTX 3080"}) {
    EXPECT_TRUE(canvas.says(words)) << words << " in\n" << canvas.all_text();
  }
}

TEST(OccupancyScene, LatencyIsAdjustable) {
  const auto study = study_of("copy/plain", {}, {{"ROWS", 256}, {"COLS", 256}});
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  RecordingCanvas before;
  draw_view(View::kOccupancy, before, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(before.says("850 cycles")) << before.all_text();
  change_setting(context.settings,
                 {.kind = HitKind::kSetting, .value = 1000, .name = "latency_cycles"});
  RecordingCanvas after;
  draw_view(View::kOccupancy, after, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(after.says("1,000 cycles"));
}

TEST(OccupancyScene, WaitsForTheRegisters) {
  std::string why;
  const auto study = catalogue_study("copy/plain", {}, {{"ROWS", 64}, {"COLS", 64}}, &why);
  ASSERT_NE(study, nullptr) << why;
  KernelStudy early = *study;
  early.occupancy.reset();
  early.compiled = std::make_shared<CompiledKernel>();
  const ViewContext context = catalogue_context(early);
  RecordingCanvas canvas;
  draw_view(View::kOccupancy, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("Computing the registers")) << canvas.all_text();
  EXPECT_EQ(plain(sentence_of(View::kOccupancy, context)), plain(occupancy_unknown_sentence()));
}

TEST(CatalogueLayout, AFrameOfALargeTileIsCheap) {
  const auto study = study_of("gemm/register_tile", {}, gemm(2048, 2048, 256));
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  for (const View view : all_views()) {
    context.selection = default_selection(view, *study, *context.prepared);
    RecordingCanvas canvas;
    draw_view(view, canvas, {0, 0, 1176, 560}, context);  // fills the font's caches
    std::array<double, 11> milliseconds{};
    for (double& of_frame : milliseconds) {
      RecordingCanvas again;
      again.share_fonts(canvas);
      const auto start = std::chrono::steady_clock::now();
      draw_view(view, again, {0, 0, 1176, 560}, context);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      of_frame = took.count();
    }
    std::ranges::nth_element(milliseconds, milliseconds.begin() + 5);
    EXPECT_LT(milliseconds[5], 20) << name_of(view);  // 2 ms wanted; asan allowed for
    RecordProperty(std::string(name_of(view)) + "_ms", std::to_string(milliseconds[5]));
  }
}

// Time may stand anywhere: every position is drawn in time, and looks the same each time it is
// drawn.
TEST(CatalogueLayout, AnyPositionIsDrawnInTimeAndAlwaysTheSame) {
  const auto study = study_of("gemm/register_tile", {}, gemm(512, 512, 256));
  ASSERT_NE(study, nullptr);
  ViewContext context;
  context.study = study.get();
  context.prepared = prepare(*study);
  const auto events = static_cast<std::uint32_t>(study->trace->events.size());
  constexpr std::uint32_t kPositions = 199;
  for (const View view : all_views()) {
    RecordingCanvas fonts;
    context.selection = default_selection(view, *study, *context.prepared);
    draw_view(view, fonts, {0, 0, 1176, 560}, context);  // fills the font's caches
    std::vector<double> milliseconds;
    for (std::uint32_t i = 0; i < kPositions; ++i) {
      context.selection.event =
          static_cast<std::uint32_t>(std::uint64_t{i} * (events - 1) / (kPositions - 1));
      RecordingCanvas first;
      first.share_fonts(fonts);
      const auto start = std::chrono::steady_clock::now();
      draw_view(view, first, {0, 0, 1176, 560}, context);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      milliseconds.push_back(took.count());
      if (i % 8 != 0) continue;
      RecordingCanvas second;
      second.share_fonts(fonts);
      draw_view(view, second, {0, 0, 1176, 560}, context);
      ASSERT_EQ(first.fingerprint(), second.fingerprint()) << name_of(view) << " at " << i;
    }
    std::ranges::sort(milliseconds);
    const double p99 = milliseconds[milliseconds.size() * 99 / 100];
    std::cout << name_of(view) << ": p99 " << p99 << " ms\n";
    EXPECT_LT(p99, 150) << name_of(view);  // 50 ms wanted; a busy machine allowed for
  }
}

TEST(CatalogueLayout, EachElementHasItsPlaceFromCloseBy) {
  const auto study = study_of("gemm/shared_tile", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  ViewContext context;
  context.study = study.get();
  context.prepared = prepare(*study);
  context.selection = default_selection(View::kTiling, *study, *context.prepared);
  context.camera = {80, 0.215f, 0.62f};
  RecordingCanvas canvas;
  draw_view(View::kTiling, canvas, {0, 0, 1176, 560}, context);
  int elements = 0;
  for (const auto& [rect, hit] : canvas.hits) elements += hit.kind == HitKind::kElement;
  EXPECT_GT(elements, 10);
  EXPECT_LT(elements, 4097);
}

TEST(CopyFlow, SharedTileHoldsTheElementsThatItsSourceSays) {
  const auto study = study_of("gemm/shared_tile", {{"TILE", 16}}, gemm(64, 64, 64));
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const CopyFlow& flow = *prepared->flow;
  const auto last = static_cast<std::uint32_t>(study->trace->events.size());
  // The last k-tile: A's columns 48..63 of the block's 16 rows, B's rows 48..63 of its 16 columns.
  const std::uint64_t row0 = std::uint64_t{study->trace->block.y} * 16;
  const std::uint64_t col0 = std::uint64_t{study->trace->block.x} * 16;
  for (std::uint64_t y = 0; y < 16; ++y) {
    for (std::uint64_t x = 0; x < 16; ++x) {
      const Origin a = flow.shared_word(y * 16 + x, last);
      const Origin b = flow.shared_word(256 + y * 16 + x, last);
      ASSERT_TRUE(a.known() && b.known());
      EXPECT_EQ(flow.matrices[a.matrix()].role, Role::kA);
      EXPECT_EQ(a.element(), (row0 + y) * 64 + 48 + x);
      EXPECT_EQ(flow.matrices[b.matrix()].role, Role::kB);
      EXPECT_EQ(b.element(), (48 + y) * 64 + col0 + x);
    }
  }
}

TEST(CopyFlow, EveryMultiplyAddOfAThreadIsFollowed) {
  for (const char* id : {"gemm/naive", "gemm/shared_tile", "gemm/register_tile"}) {
    const auto study = study_of(id, {}, gemm(256, 256, 32));
    ASSERT_NE(study, nullptr);
    const auto prepared = prepare(*study);
    const auto last = static_cast<std::uint32_t>(study->trace->events.size()) - 1;
    const LaneFlow flow = follow_lane(*study, *prepared->flow, 0, 5, 0, last);
    const std::uint64_t elements = prepared->tiling->elements_per_thread;
    EXPECT_EQ(flow.products.size(), elements * 32) << id;  // K = 32 for each element of C
    for (const LaneFlow::Product& product : flow.products) {
      const MatrixView& left = prepared->flow->matrices[product.left.matrix()];
      const MatrixView& right = prepared->flow->matrices[product.right.matrix()];
      ASSERT_NE(left.role, right.role);
      const Origin a = left.role == Role::kA ? product.left : product.right;
      const Origin b = left.role == Role::kA ? product.right : product.left;
      EXPECT_EQ(a.element() % 32, b.element() / 256);  // the same k
    }
  }
}

TEST(SharedLayout, RingOfTilesIsFoundFromItsContents) {
  const auto study = study_of("gemm/register_tile", {}, gemm(256, 256, 128));
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  ASSERT_EQ(prepared->shared->regions.size(), 6u);  // A and B, three stages
  EXPECT_EQ(prepared->shared->regions[0].pitch_words, 132u);
  EXPECT_EQ(prepared->shared->regions[0].used_words, 128u);
  EXPECT_EQ(prepared->shared->regions[1].pitch_words, 128u);
  EXPECT_EQ(prepared->shared->regions[4].stage, 2);
}

TEST(SharedLayout, DeclaredArrayHasItsDimensions) {
  const auto study = study_of("transpose/tiled", {{"PAD", 3}}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  ASSERT_EQ(prepared->shared->regions.size(), 1u);
  EXPECT_EQ(prepared->shared->regions[0].declaration, "tile[32][35]");
  EXPECT_EQ(prepared->shared->regions[0].pitch_words, 35u);
  EXPECT_EQ(prepared->shared->regions[0].used_words, 32u);
}

TEST(TilingModel, CountsReadsOfEachElement) {
  const auto study = study_of("gemm/naive", {}, gemm(128, 128, 32));
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const TiledMatrix& a = *prepared->tiling->find(Role::kA);
  const TiledMatrix& b = *prepared->tiling->find(Role::kB);
  EXPECT_EQ(a.reads_of(a.read.row, 3), 32u);  // by the 32 columns of the block
  EXPECT_EQ(b.reads_of(3, b.read.col), 8u);   // by its 8 rows
  EXPECT_EQ(a.reads_of(a.read.row + a.read.rows, 3), 0u);
  EXPECT_NEAR(a.grid_reads_per_element, 128, 1e-6);
  EXPECT_NEAR(b.grid_reads_per_element, 128, 1e-6);
}

}  // namespace
}  // namespace tilescope
