// Data on its way: global memory -> shared memory -> registers -> C.
#include "scene/model/travel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr int kLane = 5;
constexpr Rect kArea{0, 0, 1176, 560};

std::shared_ptr<const KernelStudy> study_of(const char* id) {
  std::string why;
  auto study = catalogue_study(id, {}, {{"M", 256}, {"N", 256}, {"K", 64}}, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  return study;
}

// The first warp's travels, in order.
std::vector<Travel> travels_of(const KernelStudy& study, const CopyFlow& flow) {
  std::vector<Travel> travels;
  for (const std::uint32_t event : flow.warp_events[0]) {
    if (auto travel = travel_at(study, flow, event, kLane)) travels.push_back(*std::move(travel));
  }
  return travels;
}

std::size_t count_of(const std::vector<Travel>& travels, Leg leg) {
  return static_cast<std::size_t>(std::ranges::count(travels, leg, &Travel::leg));
}

TEST(Travel, GoesFromGlobalToSharedMemoryToRegistersToC) {
  const auto study = study_of("gemm/register_tile");
  ASSERT_NE(study, nullptr);
  const auto prepared = prepare(*study);
  const std::vector<Travel> travels = travels_of(*study, *prepared->flow);
  // Of each of 4 k-tiles: 8 single floats of A and 2 float4s of B; for each of 64 steps of k two
  // float4s of a and of b; 64 elements of C, four at a time.
  EXPECT_EQ(count_of(travels, Leg::kGlobalToShared), 4u * 10);
  EXPECT_EQ(count_of(travels, Leg::kSharedToRegisters), 64u * 4);
  EXPECT_EQ(count_of(travels, Leg::kRegistersToGlobal), 16u);
  EXPECT_EQ(count_of(travels, Leg::kGlobalToRegisters), 0u);
  for (const Travel& travel : travels) {
    const Role role = prepared->tiling->matrices[travel.matrix()].view.role;
    EXPECT_EQ(role == Role::kC, travel.leg == Leg::kRegistersToGlobal);
    if (travel.leg == Leg::kSharedToRegisters) {
      ASSERT_EQ(travel.elements.size(), 4u);
    }
    if (travel.leg == Leg::kRegistersToGlobal) {
      const std::uint64_t row = travel.elements.front().element() / 256;
      const std::uint64_t col = travel.elements.front().element() % 256;
      EXPECT_EQ(prepared->tiling->owner_of(row, col), static_cast<std::uint32_t>(kLane));
    }
  }
}

TEST(Travel, GoesByWayOfRegistersWhereTheKernelDoes) {
  const auto shared = study_of("gemm/shared_tile");
  const auto naive = study_of("gemm/naive");
  ASSERT_TRUE(shared && naive);
  const std::vector<Travel> tiled = travels_of(*shared, *prepare(*shared)->flow);
  EXPECT_EQ(count_of(tiled, Leg::kGlobalToRegisters), 4u);  // 2 tiles of A and of B
  EXPECT_EQ(count_of(tiled, Leg::kRegistersToShared), 4u);
  EXPECT_EQ(count_of(tiled, Leg::kRegistersToGlobal), 1u);
  const std::vector<Travel> direct = travels_of(*naive, *prepare(*naive)->flow);
  EXPECT_EQ(count_of(direct, Leg::kGlobalToRegisters), 128u);
  EXPECT_EQ(count_of(direct, Leg::kSharedToRegisters), 0u);
}

class TravelPicture : public ::testing::Test {
 protected:
  void SetUp() override {
    study_ = study_of("gemm/register_tile");
    ASSERT_NE(study_, nullptr);
    context_ = catalogue_context(*study_);
    context_.selection.lane = kLane;
    travels_ = travels_of(*study_, *context_.prepared->flow);
  }
  RecordingCanvas drawn(std::uint32_t event) {
    context_.selection.event = event;
    RecordingCanvas canvas;
    draw_view(View::kTiling, canvas, kArea, context_);
    return canvas;
  }
  std::vector<Travel> of(Leg leg) const {
    std::vector<Travel> found;
    std::ranges::copy_if(travels_, std::back_inserter(found),
                         [leg](const Travel& travel) { return travel.leg == leg; });
    return found;
  }

  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
  std::vector<Travel> travels_;
};

TEST_F(TravelPicture, ValuesComeIntoTheThreadsRegistersOneLoadAfterTheOther) {
  // The four loads of a step of k, in the midst of a tile.
  const std::vector<Travel> loads = of(Leg::kSharedToRegisters);
  const std::size_t first = 4 * 21;
  for (std::size_t i = 0; i < 4; ++i) {
    const RecordingCanvas canvas = drawn(loads[first + i].event);
    EXPECT_TRUE(canvas.says("shared memory → registers")) << canvas.all_text();
    EXPECT_TRUE(canvas.says(fmt::format("{} of 16 values of k = 21", 4 * (i + 1))))
        << canvas.all_text();
    EXPECT_EQ(canvas.complaint(kArea, 11), "");
  }
  const RecordingCanvas after = drawn(loads[first + 3].event + 200);
  EXPECT_TRUE(after.says("multiply-add")) << after.all_text();
}

TEST_F(TravelPicture, TheEpilogueFillsC) {
  const std::vector<Travel> stores = of(Leg::kRegistersToGlobal);
  const RecordingCanvas canvas = drawn(stores[2].event);
  EXPECT_TRUE(canvas.says("registers → global memory")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("12 of 64 elements are stored")) << canvas.all_text();
  const auto stored = [](const RecordingCanvas& picture) {
    return std::ranges::count_if(
        picture.hits, [](const auto& hit) { return hit.second.tooltip.ends_with(" is stored."); });
  };
  EXPECT_EQ(stored(canvas), 8);  // and four that are stored now
  EXPECT_EQ(stored(drawn(stores.front().event - 1)), 0);
  EXPECT_EQ(stored(drawn(stores.back().event)), 60);
}

TEST_F(TravelPicture, ACopyGoesToTheStageThatIsFilled) {
  const std::vector<Travel> copies = of(Leg::kGlobalToShared);
  const RecordingCanvas canvas = drawn(copies.back().event);
  EXPECT_TRUE(canvas.says("global → shared memory")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("tile 3: load started")) << canvas.all_text();
  EXPECT_EQ(canvas.complaint(kArea, 11), "");
}

TEST_F(TravelPicture, IsTheSameWheneverTimeComesThere) {
  for (const Leg leg : {Leg::kGlobalToShared, Leg::kSharedToRegisters, Leg::kRegistersToGlobal}) {
    const std::uint32_t event = of(leg).back().event;
    const RecordingCanvas first = drawn(event);
    (void)drawn(event / 2);
    EXPECT_EQ(first.fingerprint(), drawn(event).fingerprint());
  }
}

// In the narrow panels of a small window an arrow has to pass by many labels.
TEST(TravelLabels, NoLineRunsThroughALabel) {
  for (const char* id : {"gemm/naive", "gemm/shared_tile", "gemm/register_tile", "gemm/prefetch",
                         "gemm/tensor_core", "gemm/warpgroup", "transpose/tiled"}) {
    std::string why;
    const bool gemm = std::string_view(id).starts_with("gemm");
    const ParameterSet extents = gemm ? ParameterSet{{"M", 256}, {"N", 256}, {"K", 128}}
                                      : ParameterSet{{"ROWS", 256}, {"COLS", 256}};
    const auto study = catalogue_study(id, {}, extents, &why);
    ASSERT_NE(study, nullptr) << id << ": " << why;
    ViewContext context = catalogue_context(*study);
    const std::vector<Travel> travels = travels_of(*study, *context.prepared->flow);
    RecordingCanvas first;
    for (const Rect& area : {Rect{0, 0, 1176, 560}, Rect{0, 0, 992, 330}, Rect{0, 0, 700, 330},
                             Rect{0, 0, 590, 260}, Rect{0, 0, 480, 300}}) {
      for (std::size_t i = 0; i < travels.size(); i += 1 + travels.size() / 24) {
        context.selection.event = travels[i].event;
        context.selection.lane = static_cast<int>(i % 32);
        RecordingCanvas canvas;
        canvas.share_fonts(first);
        draw_view(View::kTiling, canvas, area, context);
        EXPECT_EQ(canvas.crossed_label(), "") << id << " " << area.w << " at " << travels[i].event;
      }
    }
  }
}

}  // namespace
}  // namespace tilescope
