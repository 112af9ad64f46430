#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "scene/banks/banks_scene.h"
#include "scene/banks/what_if.h"
#include "scene/catalogue_study.h"
#include "scene/coalescing/coalescing_scene.h"
#include "scene/coalescing/global_table.h"
#include "scene/model/prepared.h"
#include "scene/recording_canvas.h"
#include "scene/view/view.h"
#include "scene/views.h"

namespace tilescope {
namespace {

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

TEST(CoalescingScene, NamesAPredicatedInstructionByItsOpcode) {
  const auto study = study_of("gemm/tensor_core", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const std::vector<std::uint32_t>& global = context.prepared->warps[0].global;
  const auto guarded = std::ranges::find_if(global, [&](std::uint32_t event) {
    const std::uint32_t instruction = study->trace->events[event].instruction;
    return study->program->instructions()[instruction].text.starts_with('@');
  });
  if (guarded == global.end()) GTEST_SKIP() << "the compiler guards no access";
  context.selection.event = *guarded;
  RecordingCanvas canvas;
  draw_view(View::kCoalescing, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says(" B per lane")) << canvas.all_text();
  EXPECT_FALSE(canvas.says("@")) << canvas.all_text();
}

// The ideal is drawn on the scale of the actual: as wide where nothing is wasted.
TEST(CoalescingScene, ActualAndIdealHaveOneScale) {
  for (const auto& [id, extents] :
       {std::pair{"gemm/register_tile", gemm(256, 256, 64)},
        std::pair{"transpose/naive", ParameterSet{{"ROWS", 256}, {"COLS", 256}}}}) {
    const auto study = study_of(id, {}, extents);
    ASSERT_NE(study, nullptr);
    ViewContext context = catalogue_context(*study);
    for (const std::uint32_t event : context.prepared->warps[0].global) {
      context.selection.event = event;
      const auto request = global_request(context);
      ASSERT_TRUE(request.has_value());
      RecordingCanvas canvas;
      draw_view(View::kCoalescing, canvas, {0, 0, 1176, 560}, context);
      float actual = 0;
      float ideal = 0;
      for (const auto& [rect, hit] : canvas.hits) {
        if (hit.tooltip.starts_with("Sector of 32 B") &&
            hit.tooltip.find("not accessed") == std::string::npos) {
          actual += rect.w + 2;
        }
        if (hit.tooltip.find("if they were contiguous") != std::string::npos) ideal = rect.w + 2;
      }
      const float share = static_cast<float>(request->cost.ideal_sectors) /
                          static_cast<float>(request->cost.sectors);
      ASSERT_GT(actual, 100) << id << " " << event;
      EXPECT_NEAR(ideal, share * actual, 0.05f * actual) << id << " " << event;
    }
  }
}

TEST(CoalescingScene, NamesTheElementsThatTheWarpWantsAndNotThoseBetween) {
  const auto study = study_of("gemm/float4", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  RecordingCanvas canvas;
  draw_view(View::kCoalescing, canvas, {0, 0, 1176, 900}, context);
  EXPECT_TRUE(canvas.says("2 runs of 4")) << canvas.all_text();
  EXPECT_FALSE(canvas.says("of a column")) << canvas.all_text();
}

// The naive transpose reads along rows and stores down columns: 100 % and 12.5 %, 22.2 % of all.
TEST(CoalescingScene, TellsTheExcessOfEachLineAndWhatAllLinesMove) {
  const auto study = study_of("transpose/naive", {}, {{"ROWS", 256}, {"COLS", 256}});
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const auto totals = global_totals(context.prepared->global_lines);
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(totals[0].name, "all loads");
  EXPECT_EQ(totals[0].counters.sectors, 8192u);
  EXPECT_EQ(totals[1].name, "all stores");
  EXPECT_EQ(totals[1].counters.sectors, 65536u);
  EXPECT_EQ(totals[1].counters.sectors_ideal, 8192u);
  EXPECT_EQ(totals[2].counters.sectors, 73728u);
  RecordingCanvas large;
  draw_view(View::kCoalescing, large, {0, 0, 1176, 640}, context);
  for (const char* words : {"excess", "57,344", "all loads", "all stores", "22.2 %"}) {
    EXPECT_TRUE(large.says(words)) << words << "\n" << large.all_text();
  }
  // Where there is no room for rows of their own the heading has them.
  RecordingCanvas small;
  draw_view(View::kCoalescing, small, {0, 0, 1040, 330}, context);
  EXPECT_TRUE(small.says("all loads 100 %, all stores 12.5 %, all 22.2 %")) << small.all_text();
}

// In a low table the words on where it comes from make way for a line.
TEST(CoalescingScene, ALowTableHasBothOfItsLines) {
  const auto study = study_of("transpose/naive", {}, {{"ROWS", 256}, {"COLS", 256}});
  ASSERT_NE(study, nullptr);
  const ViewContext context = catalogue_context(*study);
  for (const float height : {82.0F, 110.0F}) {
    RecordingCanvas canvas;
    Pen pen(canvas, context);
    draw_global_table(pen, {0, 0, 992, height}, context, 0);
    EXPECT_TRUE(canvas.says("store")) << canvas.all_text();
    EXPECT_TRUE(canvas.says("load")) << canvas.all_text();
    EXPECT_TRUE(canvas.says("emulated")) << canvas.all_text();
    EXPECT_FALSE(canvas.says("more line")) << canvas.all_text();
    EXPECT_EQ(canvas.complaint({0, 0, 992, height}, 11), "");
  }
}

TEST(CoalescingScene, OneLineIsItsOwnTotal) {
  EXPECT_TRUE(global_totals({}).empty());
  EXPECT_TRUE(global_totals({GlobalLine{}}).empty());
}

TEST(BanksScene, AnArrayOfOneRowHasNoRowsToPad) {
  SharedRegion region;
  region.words = region.pitch_words = region.used_words = 1024;
  region.pitch_known = true;
  SharedCost shared;
  shared.access.space = MemorySpace::kShared;
  shared.access.bytes_per_lane = 4;
  shared.access.active = 0xffffffff;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) shared.access.address[lane] = lane * 128;
  EXPECT_EQ(wavefront_cost(shared.access).wavefronts, 32);
  EXPECT_TRUE(layout_alternatives(shared, region, 0).empty());
  EXPECT_EQ(skewed_wavefronts(shared, region), 1);
  region.pitch_words = region.used_words = 32;
  EXPECT_EQ(layout_alternatives(shared, region, 0).size(), 10U);
  EXPECT_EQ(skewed_wavefronts(shared, region), std::nullopt);
  region.moved_in_rows = true;  // an exclusive or done twice would be none
  EXPECT_TRUE(layout_alternatives(shared, region, 0).empty());
}

TEST(AccessEvent, StaysOnTheLineThatTimeStandsAt) {
  const auto study = study_of("transpose/tiled", {}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const auto line_of = [&](std::uint32_t event) {
    return study->program->instructions()[study->trace->events[event].instruction].outermost.line;
  };
  const std::vector<std::uint32_t>& shared = context.prepared->warps[0].shared;
  const auto load = std::ranges::find_if(shared, [&](std::uint32_t event) {
    const std::uint32_t instruction = study->trace->events[event].instruction;
    return study->program->instructions()[instruction].access == AccessKind::kLoad;
  });
  ASSERT_NE(load, shared.end());
  context.selection.event = *load;
  const auto store = access_event(context, MemorySpace::kGlobal);
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ(line_of(*store), line_of(*load));
}

TEST(BanksScene, CardsOfOtherLayoutsAreAllWrittenAlike) {
  const auto study = study_of("transpose/tiled", {{"PAD", 1}}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study, nullptr);
  for (const float width : {1176.0F, 992.0F, 860.0F}) {
    RecordingCanvas canvas;
    draw_view(View::kBanks, canvas, {0, 0, width, 420}, catalogue_context(*study));
    const auto written = [&](auto&& is_one) { return std::ranges::count_if(canvas.texts, is_one); };
    EXPECT_EQ(written([](const auto& text) { return text.words.starts_with("PAD "); }), 9)
        << width << "\n"
        << canvas.all_text();
    // "1" beside "1 wavefront": their unit is left out of some.
    const bool bare = written([&](const auto& text) {
                        return text.box.y > 330 &&
                               text.words.find_first_not_of("0123456789") == std::string::npos;
                      }) > 0;
    const bool whole = written([](const auto& text) {
                         return text.box.y > 330 && text.words.ends_with("wavefront");
                       }) > 0;
    EXPECT_NE(bare, whole) << width << "\n" << canvas.all_text();
  }
}

TEST(BanksScene, CountsTheWritesOfCopiesAsTheCountersDo) {
  const auto study = study_of("gemm/register_tile", {}, gemm(256, 256, 64));
  ASSERT_NE(study, nullptr);
  std::size_t copies = 0;
  for (const std::uint32_t event : study->timeline->memory_events) {
    const StaticInstruction& instruction =
        study->program->instructions()[study->trace->events[event].instruction];
    if (instruction.access != AccessKind::kAsyncCopy) continue;
    const SharedCost shared = shared_cost(*study, event);
    ++copies;
    ASSERT_TRUE(shared.copy.has_value());
    EXPECT_FALSE(shared.lanes_meet);
    if (instruction.variant == AccessVariant::kBypass) {
      EXPECT_EQ(shared.cost.wavefronts, 0);
    } else {
      EXPECT_EQ(shared.cost.wavefronts, shared.copy->source_lines);
    }
  }
  EXPECT_GT(copies, 0U);
}

// Sectors per request of the global accesses of a kind, worst line first.
double worst_sectors(const char* id, const ParameterSet& parameters, const ParameterSet& extents,
                     AccessKind kind) {
  const auto study = study_of(id, parameters, extents);
  if (study == nullptr) return 0;
  const auto prepared = prepare(*study);
  double worst = 0;
  for (const GlobalLine& line : prepared->global_lines) {
    if (line.access != kind || line.counters.requests == 0) continue;
    worst = std::max(worst, static_cast<double>(line.counters.sectors) /
                                static_cast<double>(line.counters.requests));
  }
  return worst;
}

TEST(CatalogueAccesses, TheSpreadOfIndicesDecidesTheSectorsOfAGather) {
  for (const auto& [spread, sectors] :
       std::map<std::int64_t, double>{{1, 4}, {2, 8}, {4, 16}, {8, 32}, {32, 32}, {1024, 32}}) {
    EXPECT_EQ(
        worst_sectors("gather/plain", {{"SPREAD", spread}}, {{"N", 65536}}, AccessKind::kLoad),
        sectors)
        << spread;
  }
  const double random =
      worst_sectors("gather/plain", {{"SPREAD", 0}}, {{"N", 65536}}, AccessKind::kLoad);
  EXPECT_GT(random, 31);
  EXPECT_LE(random, 32);
}

TEST(CatalogueAccesses, RunsOnOneSideStrideThatSideAlone) {
  const ParameterSet extents = {{"ROWS", 256}, {"COLS", 256}};
  for (const auto& [run, sectors] :
       std::map<std::int64_t, double>{{1, 4}, {2, 8}, {4, 16}, {8, 32}}) {
    for (const std::int64_t in_loads : {0, 1}) {
      const ParameterSet parameters = {{"RUN", run}, {"RUNS_IN_LOADS", in_loads}};
      const auto of = [&](AccessKind kind) {
        return worst_sectors("transpose/one_sided", parameters, extents, kind);
      };
      EXPECT_EQ(of(in_loads != 0 ? AccessKind::kLoad : AccessKind::kStore), sectors) << run;
      EXPECT_EQ(of(in_loads != 0 ? AccessKind::kStore : AccessKind::kLoad), 4) << run;
    }
  }
}

}  // namespace
}  // namespace tilescope
