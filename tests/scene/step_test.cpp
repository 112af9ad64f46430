#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernel/random_instances.h"
#include "scene/model/copy_flow.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/view/view.h"
#include "scene/views.h"

namespace tilescope {
namespace {

// Every kernel of the catalogue, at a size of which a block has several steps.
class StepOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const CatalogueEntry& entry = testing::entry(GetParam());
    ParameterSet extents = entry.default_extents;
    for (auto& [name, extent] : extents) extent = name == "K" ? 128 : 256;
    const auto parameters = complete_parameters(entry, {});
    ASSERT_TRUE(parameters.ok());
    const auto instance = instantiate(entry, *parameters, extents, testing::device(90));
    ASSERT_TRUE(instance.ok()) << to_string(instance.error());
    StudyRequest request;
    request.instance = *instance;
    request.block = instance->grid.x > 1 ? 1 : 0;
    auto study = study_block(request, {});
    ASSERT_TRUE(study.ok()) << to_string(study.error());
    study_ = *study;
    context_.study = study_.get();
    context_.prepared = prepare(*study_);
    draw_view(View::kTiling, fonts_, kArea, context_);
  }

  [[nodiscard]] WarpTime time() const {
    return time_of(*study_, *context_.prepared, context_.selection.warp);
  }
  [[nodiscard]] std::uint32_t step(std::uint32_t event) const {
    return study_->timeline->step_of(context_.selection.warp, event);
  }
  [[nodiscard]] std::string picture(std::uint32_t event) {
    context_.selection.event = event;
    RecordingCanvas canvas;
    canvas.share_fonts(fonts_);
    draw_view(View::kTiling, canvas, kArea, context_);
    return canvas.fingerprint();
  }
  [[nodiscard]] std::vector<std::uint32_t> places() const {
    const auto events = static_cast<std::uint32_t>(study_->trace->events.size());
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < 8; ++i)
      places.push_back(static_cast<std::uint32_t>(std::uint64_t{events - 1} * i / 7));
    return places;
  }
  // The last warp is the one that the emulator runs last.
  [[nodiscard]] std::vector<std::uint32_t> warps() const {
    const auto& events = context_.prepared->flow->warp_events;
    return {0, static_cast<std::uint32_t>(events.size()) - 1};
  }

  static constexpr Rect kArea{0, 0, 1176, 560};
  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
  RecordingCanvas fonts_;
};

TEST_P(StepOn, GoesForwardInWhatIsShownAndBackUndoesIt) {
  for (const std::uint32_t warp : warps()) {
    context_.selection.warp = warp;
    const WarpTime way = time();
    for (const std::uint32_t place : places()) {
      const std::uint32_t from = way.own_event(place);
      const std::uint32_t instruction = way.instructions_on(from, 1);
      const std::uint32_t phase = way.phases_on(from, 1);
      const std::uint32_t tile = way.steps_on(from, 1);
      const std::string before = picture(from);
      for (const std::uint32_t on : {instruction, phase, tile}) {
        ASSERT_GE(on, from);
        if (on == from) continue;  // the last of its kind
        EXPECT_GE(step(on), step(from));
        EXPECT_NE(picture(on), before) << "warp " << warp << ", " << from << " to " << on;
      }
      if (instruction > from) {
        EXPECT_EQ(way.instructions_on(instruction, -1), from);
      }
      if (phase > from) {
        EXPECT_NE(way.phase_at(phase), way.phase_at(from));
        EXPECT_EQ(way.phases_on(way.phases_on(phase, -1), 1), phase);
      }
      if (tile > from) {
        EXPECT_EQ(way.steps_on(way.steps_on(tile, -1), 1), tile);
      }
    }
  }
}

TEST_P(StepOn, AStepOnIsTheNextStepFromAnywhere) {
  for (const std::uint32_t warp : warps()) {
    context_.selection.warp = warp;
    const WarpTime way = time();
    for (const std::uint32_t place : places()) {
      const bool last = step(place) + 1 >= way.steps().size();
      EXPECT_EQ(step(way.steps_on(place, 1)), step(place) + (last ? 0 : 1));
      EXPECT_EQ(step(way.steps_on(place, -1)), std::max(step(place), 1U) - 1);
    }
  }
}

// So that a picture of the whole block shows one moment of it, and no warp stands still while the
// others run. Warps that meet at the barriers of a ring alone may be as far apart as it has stages.
TEST_P(StepOn, TheWarpsGoThroughTheLoopSideBySide) {
  const Timeline& timeline = *study_->timeline;
  const auto& parameters = study_->instance.parameters;
  const bool has_ring = study_->instance.source.find("mbarrier.try_wait") != std::string::npos;
  const auto stages = parameters.find("STAGES");
  const auto apart =
      has_ring && stages != parameters.end() ? static_cast<std::uint32_t>(stages->second) : 1U;
  const auto& events = context_.prepared->flow->warp_events;
  for (const std::uint32_t place : places()) {
    std::uint32_t least = 0xffffffff;
    std::uint32_t most = 0;
    for (std::uint32_t warp = 0; warp < events.size(); ++warp) {
      if (events[warp].empty() || events[warp].back() < place) continue;
      least = std::min(least, timeline.step_of(warp, place));
      most = std::max(most, timeline.step_of(warp, place));
    }
    if (least <= most) {
      EXPECT_LE(most - least, apart) << place;
    }
  }
}

// Of its first tenth of time a warp of a regular kernel has done a tenth.
TEST_P(StepOn, TimeIsSharedEvenly) {
  const auto& events = context_.prepared->flow->warp_events;
  const std::size_t all = study_->trace->events.size();
  const bool regular = std::ranges::all_of(
      events, [&](const auto& own) { return own.size() == events.front().size(); });
  if (!regular) return;
  for (const std::uint32_t place : places()) {
    for (std::uint32_t warp = 0; warp < events.size(); ++warp) {
      const double done =
          static_cast<double>(time_of(*study_, *context_.prepared, warp).done(place));
      const double share = static_cast<double>(place + 1) / static_cast<double>(all);
      EXPECT_NEAR(done / static_cast<double>(events[warp].size()), share,
                  0.02 + 1 / static_cast<double>(events[warp].size()))
          << warp;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StepOn, ::testing::ValuesIn(testing::catalogue_ids()),
                         testing::name_of_id);

}  // namespace
}  // namespace tilescope
