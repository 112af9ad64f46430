// What a line of the source lights in the pictures while the pointer is on it.
#include "scene/view/hovered_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/view/default_selection.h"
#include "scene/view/time_strip.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr Rect kArea{0, 0, 1176, 560};

class HoveredLine : public ::testing::Test {
 protected:
  void show(const char* id, const ParameterSet& extents) {
    std::string why;
    study_ = catalogue_study(id, {}, extents, &why);
    ASSERT_NE(study_, nullptr) << why;
    context_ = catalogue_context(*study_);
  }
  // The line of the selected warp's first access of this kind.
  std::uint32_t line_of(AccessKind kind, MemorySpace space) {
    for (const std::uint32_t index : study_->timeline->memory_events) {
      const TraceEvent& event = study_->trace->events[index];
      const StaticInstruction& instruction = study_->program->instructions()[event.instruction];
      if (event.warp != context_.selection.warp || instruction.access != kind) continue;
      if (instruction.space == space) return instruction.outermost.line;
    }
    return 0;
  }
  RecordingCanvas drawn(View view, std::uint32_t line) {
    context_.selection = default_selection(view, *study_, *context_.prepared);
    context_.hovered_line = line;
    RecordingCanvas canvas;
    draw_view(view, canvas, kArea, context_);
    EXPECT_EQ(canvas.complaint(kArea, 11), "") << name_of(view);
    return canvas;
  }
  bool changes(View view, std::uint32_t line) {
    return drawn(view, line).fingerprint() != drawn(view, 0).fingerprint();
  }

  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
};

TEST_F(HoveredLine, LightsItsAccessesInEveryView) {
  show("gemm/shared_tile", {{"M", 128}, {"N", 128}, {"K", 64}});
  ASSERT_NE(study_, nullptr);
  const std::uint32_t load = line_of(AccessKind::kLoad, MemorySpace::kGlobal);
  const std::uint32_t shared = line_of(AccessKind::kLoad, MemorySpace::kShared);
  const std::uint32_t store = line_of(AccessKind::kStore, MemorySpace::kGlobal);
  for (const std::uint32_t line : {load, store}) {
    EXPECT_TRUE(changes(View::kTiling, line)) << line;
    EXPECT_TRUE(changes(View::kCoalescing, line)) << line;
  }
  EXPECT_TRUE(changes(View::kTiling, shared));
  EXPECT_TRUE(changes(View::kBanks, shared));
  EXPECT_TRUE(changes(View::kPipeline, shared));
  for (const View view : all_views()) EXPECT_FALSE(changes(view, 1)) << name_of(view);
}

TEST_F(HoveredLine, LightsTheLineThatLosesLanes) {
  show("divergence/switch", {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(study_, nullptr);
  context_.selection = default_selection(View::kDivergence, *study_, *context_.prepared);
  const RecordingCanvas plain = drawn(View::kDivergence, 0);
  const auto row = std::ranges::find_if(plain.hits, [&](const auto& hit) {
    return hit.second.kind == HitKind::kLine &&
           hit.second.value != static_cast<std::int64_t>(context_.selection.line);
  });
  ASSERT_NE(row, plain.hits.end());
  EXPECT_TRUE(changes(View::kDivergence, static_cast<std::uint32_t>(row->second.value)));
}

TEST_F(HoveredLine, LightsItsInstructionsOnTheTimeStrip) {
  show("gemm/shared_tile", {{"M", 128}, {"N", 128}, {"K", 64}});
  ASSERT_NE(study_, nullptr);
  const Rect area{10, 10, 650, 46};
  const auto marks = [&](std::uint32_t line) {
    context_.hovered_line = line;
    RecordingCanvas canvas;
    draw_time_strip(canvas, area, context_);
    EXPECT_EQ(canvas.complaint(area, 11), "");
    std::vector<Rect> found;
    for (const RecordingCanvas::Shape& shape : canvas.fills) {
      if (shape.paint.role == ColourRole::kSelection && shape.box.h == 3)
        found.push_back(shape.box);
    }
    return found;
  };
  EXPECT_TRUE(marks(0).empty());
  EXPECT_TRUE(marks(1).empty()) << "a comment";
  const std::uint32_t store = line_of(AccessKind::kStore, MemorySpace::kGlobal);
  ASSERT_EQ(marks(store).size(), 1U) << "once, at the end";
  const RecordingCanvas canvas;
  const TimeStripLayout layout = time_strip_layout(canvas, area, context_);
  EXPECT_GT(marks(store)[0].x, layout.axis.center().x);
  EXPECT_LE(marks(store)[0].right(), layout.axis.right() + 2);
  EXPECT_EQ(marks(line_of(AccessKind::kLoad, MemorySpace::kGlobal)).size(),
            study_->timeline->step_begin.size())
      << "once a tile";
}

TEST_F(HoveredLine, FindsTheWarpsAccessesOfThePresentStep) {
  show("gemm/shared_tile", {{"M", 128}, {"N", 128}, {"K", 128}});
  ASSERT_NE(study_, nullptr);
  const std::uint32_t line = line_of(AccessKind::kLoad, MemorySpace::kShared);
  EXPECT_TRUE(lit_accesses(context_).empty());
  context_.hovered_line = line;
  const std::vector<std::uint32_t>& steps = study_->timeline->warp_steps[0];
  ASSERT_GT(steps.size(), 3u);
  context_.selection.event = steps[2];
  const std::vector<std::uint32_t> lit = lit_accesses(context_);
  ASSERT_FALSE(lit.empty());
  for (const std::uint32_t event : lit) {
    EXPECT_TRUE(is_lit_event(context_, event));
    EXPECT_GE(event, steps[2]);
    EXPECT_LT(event, steps[3]);
    EXPECT_EQ(study_->trace->events[event].warp, 0);
  }
}

}  // namespace
}  // namespace tilescope
