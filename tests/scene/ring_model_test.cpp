// Which buffer of shared memory holds which tile, and what happens to it.
#include "scene/model/ring_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/recording_canvas.h"
#include "scene/view/drawn_numbers.h"
#include "scene/views.h"

namespace tilescope {
namespace {

std::shared_ptr<const KernelStudy> study_of(const char* id, const ParameterSet& parameters,
                                            std::int64_t size) {
  std::string why;
  auto study = catalogue_study(id, parameters, {{"M", size}, {"N", size}, {"K", 128}}, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  return study;
}

TEST(RingModel, FollowsEachTileThroughTheStagesInTurn) {
  for (const std::uint32_t stages : {2u, 3u, 5u}) {
    for (const std::int64_t size : {256, 250}) {  // 250: edges are copied float by float
      const auto study = study_of("gemm/register_tile",
                                  {{"STAGES", stages}, {"TILE_M", 64}, {"TILE_N", 64}}, size);
      ASSERT_NE(study, nullptr);
      const auto prepared = prepare(*study);
      const RingModel& ring = prepared->tiling->ring;
      EXPECT_EQ(ring.stages.size(), stages);
      ASSERT_EQ(ring.fills.size(), 8u);  // K / TILE_K
      const auto a = static_cast<std::size_t>(prepared->tiling->find(Role::kA) -
                                              prepared->tiling->matrices.data());
      for (std::uint32_t i = 0; i < ring.fills.size(); ++i) {
        const RingFill& fill = ring.fills[i];
        EXPECT_EQ(fill.stage, i % stages);
        ASSERT_NE(fill.part_of(a), nullptr);
        EXPECT_EQ(fill.part_of(a)->col, 16u * i);
        EXPECT_EQ(fill.part_of(a)->cols, 16u);
        EXPECT_LT(fill.writes.back(), fill.whole);
        EXPECT_LT(fill.whole, fill.first_read);
        EXPECT_LT(fill.first_read, fill.used_until);
      }
    }
  }
}

TEST(RingModel, AStageIsFilledWhileAnotherIsMultiplied) {
  const auto study = study_of("gemm/register_tile", {{"STAGES", 3}}, 256);
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const RingModel& ring = prepared->tiling->ring;
  const RingFill& used = ring.fills[3];
  const auto state = [&](std::uint32_t stage, std::uint32_t event) {
    return ring.stage_at(stage, event).state;
  };
  EXPECT_EQ(state(used.stage, used.writes.front()), StageState::kIssued);
  EXPECT_EQ(state(used.stage, used.whole), StageState::kReady);
  EXPECT_EQ(state(used.stage, used.first_read), StageState::kUsed);
  // Its copies were begun two tiles ahead.
  EXPECT_EQ(ring.stage_at((used.stage + 2) % 3, used.first_read).fill, 5u);
  EXPECT_EQ(ring.stage_at(used.stage, used.used_until).fill, 3u);
  EXPECT_EQ(state(used.stage, used.used_until), StageState::kFree);
  EXPECT_EQ(state(0, 0), StageState::kEmpty);
  for (std::uint32_t e = 0; e < study->trace->events.size(); e += 101) {
    int multiplied = 0;
    for (std::uint32_t s = 0; s < 3; ++s) multiplied += state(s, e) == StageState::kUsed;
    EXPECT_LE(multiplied, 1) << e;
  }
}

TEST(RingModel, KnowsBuffersThatAreStoredFromRegistersAndSingleOnes) {
  const auto prefetch = study_of("gemm/prefetch", {}, 256);
  ASSERT_NE(prefetch, nullptr);
  const auto two = prepare(*prefetch);
  EXPECT_EQ(two->tiling->ring.stages.size(), 2u);
  EXPECT_EQ(two->tiling->ring.fills[5].stage, 1u);
  const auto shared = study_of("gemm/shared_tile", {}, 256);
  ASSERT_NE(shared, nullptr);
  EXPECT_FALSE(prepare(*shared)->tiling->ring.is_ring());
  const auto naive = study_of("gemm/naive", {}, 256);
  ASSERT_NE(naive, nullptr);
  EXPECT_TRUE(prepare(*naive)->tiling->ring.fills.empty());
}

TEST(RingModel, FollowsCopiesOfHalvesToTheTensorCores) {
  const auto study = study_of("gemm/tensor_core", {}, 256);
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const auto stages = static_cast<std::size_t>(study->instance.parameters.at("STAGES"));
  const RingModel& ring = prepared->tiling->ring;
  EXPECT_EQ(ring.stages.size(), std::min<std::size_t>(stages, ring.fills.size()));
  for (const RingFill& fill : ring.fills) EXPECT_NE(fill.first_read, RingFill::kNever);
}

TEST(RingModel, TheBlockSaysWhichStageIsFilledAndWhichIsMultiplied) {
  const auto study = study_of("gemm/register_tile", {{"STAGES", 3}}, 256);
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const RingModel& ring = context.prepared->tiling->ring;
  const auto drawn = [&](std::uint32_t event) {
    context.selection.event = event;
    RecordingCanvas canvas;
    draw_view(View::kTiling, canvas, {0, 0, 1176, 560}, context);
    return canvas;
  };
  const RecordingCanvas used = drawn(ring.fills[3].first_read);
  for (const char* words :
       {"stage 0", "stage 2", "multiply 3", "tile 4: load started", "tile 5: load started"}) {
    EXPECT_TRUE(used.says(words)) << words << " in\n" << used.all_text();
  }
  const RecordingCanvas waited = drawn(ring.fills[4].whole);
  EXPECT_TRUE(waited.says("tile 4: ready")) << waited.all_text();
  EXPECT_TRUE(waited.says("free"));
  RecordingCanvas small;  // as a window of 1280 x 720 has it: beside the tile
  draw_view(View::kTiling, small, {0, 0, 1040, 330}, context);
  for (const char* words : {"stage 1", "ready", "free"}) {
    EXPECT_TRUE(small.says(words)) << words << " in\n" << small.all_text();
  }
  context.text_scale = 1.6f;  // of a lecture: below it again, as there is no room beside it
  RecordingCanvas lecture;
  draw_view(View::kTiling, lecture, {0, 0, 1500, 640}, context);
  EXPECT_TRUE(lecture.says("ready")) << lecture.all_text();
  EXPECT_EQ(lecture.complaint({0, 0, 1500, 640}, 11 * 1.6f), "");
  context.text_scale = 1;
  EXPECT_EQ(small.complaint({0, 0, 1040, 330}, 11), "");
  const RecordingCanvas begun = drawn(ring.fills[0].writes.front());
  EXPECT_TRUE(begun.says("tile 0: load started")) << begun.all_text();
  EXPECT_TRUE(begun.says("empty"));
}

// Tiling knows what was waited for, Pipeline when it came: neither uses a word of the other's.
TEST(RingModel, BothViewsOfARingHaveOneVocabulary) {
  const auto study = study_of("gemm/register_tile", {{"STAGES", 3}}, 512);
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const RingModel& ring = context.prepared->tiling->ring;
  context.selection.event = ring.fills[3].first_read;
  const auto drawn = [&](View view) {
    RecordingCanvas canvas;
    draw_view(view, canvas, {0, 0, 1176, 560}, context);
    return canvas;
  };
  const auto explains = [](const RecordingCanvas& canvas, std::string_view words) {
    return std::ranges::any_of(canvas.hits, [&](const auto& hit) {
      return hit.second.tooltip.find(words) != std::string::npos;
    });
  };
  const RecordingCanvas tiling = drawn(View::kTiling);
  EXPECT_FALSE(tiling.says("copy tile 4")) << tiling.all_text();
  EXPECT_TRUE(explains(tiling, "Pipeline shows when it arrives")) << "of tile 4";
  context.time_zoom = 8;
  const RecordingCanvas pipeline = drawn(View::kPipeline);
  EXPECT_TRUE(pipeline.says("arrived")) << pipeline.all_text();
  EXPECT_FALSE(pipeline.says("ready")) << pipeline.all_text();
  EXPECT_TRUE(explains(pipeline, "Tiling shows \"load started\" until a warp has waited for it"));
}

TEST(RingModel, TheNumbersAreThoseOfTheStages) {
  const auto study = study_of("gemm/register_tile", {{"STAGES", 3}}, 256);
  ASSERT_NE(study, nullptr);
  ViewContext context = catalogue_context(*study);
  const RingFill& used = context.prepared->tiling->ring.fills[3];
  context.selection.event = used.first_read;
  const std::vector<DrawnNumber> numbers = numbers_of(View::kTiling, context);
  const auto of = [&](std::string_view item, std::string_view name) {
    const auto found = std::ranges::find_if(numbers, [&](const DrawnNumber& number) {
      return number.part == "ring" && number.item == item && number.name == name;
    });
    return found == numbers.end() ? -1 : found->value;
  };
  EXPECT_EQ(of("stage 0", "tile"), 3);
  EXPECT_EQ(of("stage 0", "multiplied now"), 1);
  EXPECT_EQ(of("stage 1", "tile"), 4);
  EXPECT_EQ(of("stage 1", "multiplied now"), 0);
  EXPECT_EQ(of("stage 2", "issued"), 100);
  EXPECT_EQ(of("stage 3", "tile"), -1);
}

TEST(RingModel, ATileThatIsLoadedEarlyWaitsInRegisters) {
  const auto study = study_of("gemm/prefetch", {}, 256);
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const RingModel& ring = prepared->tiling->ring;
  EXPECT_TRUE(ring.prefetches);
  ASSERT_EQ(ring.fills.size(), 8u);
  for (std::size_t i = 1; i < ring.fills.size(); ++i) {
    const RingFill& fill = ring.fills[i];
    ASSERT_FALSE(fill.loads.empty());
    EXPECT_LT(fill.loads.back(), fill.writes.front());
    // The tile before is read meanwhile.
    const RingFill& before = ring.fills[i - 1];
    EXPECT_LT(fill.loads.front(), before.first_read);
    EXPECT_LT(before.first_read, fill.writes.front());
    const auto waiting = ring.in_registers(before.first_read);
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->fill, i);
    EXPECT_EQ(waiting->loaded, 1);
    EXPECT_LT(ring.in_registers(fill.loads.front())->loaded, 1);
    EXPECT_TRUE(ring.is_loaded_by(fill.loads.front()));
    EXPECT_FALSE(ring.in_registers(fill.writes.front()));
  }
  ViewContext context = catalogue_context(*study);
  context.selection.event = ring.fills[3].first_read;
  for (const Rect& area : {Rect{0, 0, 1176, 560}, Rect{0, 0, 992, 330}}) {
    RecordingCanvas canvas;
    draw_view(View::kTiling, canvas, area, context);
    EXPECT_TRUE(canvas.says("registers")) << canvas.all_text();
    EXPECT_TRUE(canvas.says(area.w > 1000 ? "tile 4" : "4")) << canvas.all_text();
    EXPECT_TRUE(std::ranges::any_of(canvas.hits, [](const auto& hit) {
      return hit.second.tooltip.find("tile 4 (k 64 to 79)") != std::string::npos &&
             hit.second.tooltip.find("until stage 0") != std::string::npos;
    }));
    EXPECT_EQ(canvas.complaint(area, 11), "");
    EXPECT_EQ(canvas.crossed_label(), "");
  }
}

TEST(RingModel, WhatIsStoredAsSoonAsItIsLoadedWaitsNowhere) {
  for (const char* id : {"gemm/shared_tile", "gemm/register_tile"}) {
    const auto study = study_of(id, {}, 256);
    ASSERT_NE(study, nullptr);
    EXPECT_FALSE(prepare(*study)->tiling->ring.prefetches) << id;
  }
}

}  // namespace
}  // namespace tilescope
