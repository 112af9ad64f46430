#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/time/measured_phases.h"
#include "analysis/time/pipeline.h"
#include "scene/catalogue_study.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

// As a GPU might have answered: every warp loads for 400 cycles and computes for 600, eight times.
std::shared_ptr<const MeasuredPhases> some_phases(const KernelStudy& study) {
  const auto& names = study.program->phases();
  const auto phase = [&](std::string_view name) {
    return static_cast<std::int16_t>(std::ranges::find(names, name) - names.begin());
  };
  auto phases = std::make_shared<MeasuredPhases>();
  phases->warps.resize(8);
  for (auto& warp : phases->warps) {
    for (std::uint32_t step = 0; step < 8; ++step) {
      warp.push_back({1000 * step + 20, 1000 * step + 400, phase("load")});
      warp.push_back({1000 * step + 420, 1000 * step + 1000, phase("compute")});
    }
  }
  phases->gpu = study.device->name;
  phases->cycles = 8000;
  phases->stamp_share = 0.04;
  phases->slowdown = 1.06;
  return phases;
}

TEST(PipelineMeasured, PhasesOfTheChosenWarpLieBelowTheModelWithWhatTheyCost) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  ViewContext context = catalogue_context(*study);
  const Rect area{0, 0, 1176, 560};
  RecordingCanvas without;
  draw_view(View::kPipeline, without, area, context);
  EXPECT_FALSE(without.says("measured"));

  context.phases = some_phases(*study);
  RecordingCanvas with;
  draw_view(View::kPipeline, with, area, context);
  EXPECT_TRUE(with.says("8,000 cycles until the last one")) << with.all_text();
  EXPECT_TRUE(with.says("stamps cost 4.00 % of the time, kernel 1.06 ×")) << with.all_text();
  EXPECT_TRUE(std::ranges::any_of(with.hits, [](const auto& hit) {
    return hit.second.tooltip.find("was in the phase \"compute\" for 580 cycles") !=
           std::string::npos;
  }));
}

// Clocks of another GPU are named, and held against nothing that is modelled of this one.
TEST(PipelineMeasured, OnAnotherGpuStandApart) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  ViewContext context = catalogue_context(*study);
  auto phases = std::make_shared<MeasuredPhases>(*some_phases(*study));
  phases->gpu = "NVIDIA A100";
  context.phases = phases;
  RecordingCanvas canvas;
  draw_view(View::kPipeline, canvas, {0, 0, 1176, 560}, context);
  EXPECT_TRUE(canvas.says("measured on A100 by clock stamps")) << canvas.all_text();
  EXPECT_FALSE(canvas.says("until the last one, modelled"));
}

TEST(PipelineMeasured, FitsWhereverTheViewFits) {
  std::string why;
  const auto study =
      catalogue_study("gemm/register_tile", {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  if (study == nullptr) GTEST_SKIP() << why;
  ViewContext context = catalogue_context(*study);
  context.phases = some_phases(*study);
  for (const auto& [width, height, scale] : {std::tuple{1176.F, 560.F, 1.F},
                                             {860.F, 420.F, 1.F},
                                             {640.F, 420.F, 1.F},
                                             {1176.F, 560.F, 1.6F},
                                             {1900.F, 760.F, 1.6F}}) {
    context.text_scale = scale;
    RecordingCanvas canvas;
    const Rect area{0, 0, width, height};
    draw_view(View::kPipeline, canvas, area, context);
    EXPECT_EQ(canvas.complaint(area, 11 * scale), "") << width << " x " << height << " " << scale;
  }
}

}  // namespace
}  // namespace tilescope
