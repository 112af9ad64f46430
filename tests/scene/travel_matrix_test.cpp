// Data on its way in slices: ldmatrix, wgmma, bulk copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "kernel/launch/file_launch.h"
#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/model/travel.h"
#include "scene/recording_canvas.h"
#include "scene/tiling/thread_lists.h"
#include "scene/tiling/tiling_scene.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr int kLane = 13;  // row 3 of an 8 x 8 matrix, columns 2 and 3
constexpr Rect kArea{0, 0, 1176, 560};

class MatrixTravel : public ::testing::Test {
 protected:
  void open(const char* id) {
    std::string why;
    study_ = catalogue_study(id, {}, {{"M", 256}, {"N", 256}, {"K", 256}}, &why);
    ASSERT_NE(study_, nullptr) << why;
    context_ = catalogue_context(*study_);
    context_.selection.lane = kLane;
    follow();
  }
  void follow() {
    for (const std::uint32_t event : flow().warp_events[0]) {
      if (auto travel = travel_at(*study_, flow(), event, kLane)) {
        travels_.push_back(*std::move(travel));
      }
    }
  }
  [[nodiscard]] const CopyFlow& flow() const { return *context_.prepared->flow; }
  [[nodiscard]] const TilingModel& model() const { return *context_.prepared->tiling; }
  [[nodiscard]] std::vector<Travel> of(Leg leg, Role role) const {
    std::vector<Travel> found;
    std::ranges::copy_if(travels_, std::back_inserter(found), [&](const Travel& travel) {
      return travel.leg == leg && model().matrices[travel.matrix()].view.role == role;
    });
    return found;
  }
  [[nodiscard]] MatrixView::Place place(Origin origin) const {
    const std::uint64_t leading = flow().matrices[origin.matrix()].leading;
    return {origin.element() / leading, origin.element() % leading};
  }
  [[nodiscard]] ElementBox box_of(const std::vector<Origin>& elements, Role role) const {
    ElementBox box;
    for (const Origin& origin : elements) {
      if (model().matrices[origin.matrix()].view.role != role) continue;
      box.add(place(origin).row, place(origin).col);
    }
    return box;
  }
  RecordingCanvas drawn(std::uint32_t event) {
    context_.selection.event = event;
    RecordingCanvas canvas;
    draw_view(View::kTiling, canvas, kArea, context_);
    EXPECT_EQ(canvas.complaint(kArea, 11), "");
    EXPECT_EQ(canvas.crossed_label(), "");
    return canvas;
  }

  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
  std::vector<Travel> travels_;
};

// PTX ISA, "ldmatrix": lane l gets elements 2 (l % 4) and the next one of row l / 4; of column l /
// 4 where it transposes, as it does for B.
TEST_F(MatrixTravel, ALdmatrixSpreadsEachMatrixOverTheWarp) {
  open("gemm/tensor_core");
  for (const Role role : {Role::kA, Role::kB}) {
    const std::vector<Travel> loads = of(Leg::kSharedToRegisters, role);
    ASSERT_GT(loads.size(), 16u);
    for (const Travel& load : loads) {
      EXPECT_EQ(load.matrices, 4u);
      EXPECT_EQ(load.elements.size(), 8u);
      ASSERT_EQ(load.lanes.size(), 256u);
      std::vector<Origin> all;
      for (const auto& [lane, origin] : load.lanes) all.push_back(origin);
      const ElementBox box = box_of(all, role);
      EXPECT_EQ(box.count(), 256u) << "each element once";
      for (const auto& [lane, origin] : load.lanes) {
        const std::uint64_t row = (place(origin).row - box.row) % 8;
        const std::uint64_t col = (place(origin).col - box.col) % 8;
        const auto holder = role == Role::kA ? 4 * row + col / 2 : 4 * col + row / 2;
        ASSERT_EQ(static_cast<std::uint64_t>(lane), holder) << row << " " << col;
      }
    }
  }
}

TEST_F(MatrixTravel, AnArrowLeadsToTheOperandThatTheMatricesBecomePartOf) {
  open("gemm/tensor_core");
  const std::vector<Travel> loads = of(Leg::kSharedToRegisters, Role::kB);
  const RecordingCanvas canvas = drawn(loads[loads.size() / 2].event);
  EXPECT_TRUE(canvas.says("shared memory → registers")) << canvas.all_text();
  const RecordingCanvas none = drawn(loads.back().event + 40);
  EXPECT_GT(canvas.lines.size(), none.lines.size());
}

// The registers that an ldmatrix fills are those of a product to come, not of the last one.
TEST_F(MatrixTravel, AnLdmatrixFillsRegistersOfTheNextProductThatReadsThem) {
  open("gemm/tensor_core");
  std::size_t seen = 0;
  std::size_t filled = 0;
  for (const Role role : {Role::kA, Role::kB}) {
    for (const Travel& load : of(Leg::kSharedToRegisters, role)) {
      if (++seen % 5 != 0) continue;
      context_.selection.event = load.event;
      const TilingMoment moment = tiling_moment(context_);
      const auto product = warp_product(context_, moment);
      ASSERT_TRUE(product);
      if (product->filled.empty()) {
        // Loaded ahead of the loop's end: nobody multiplies it.
        const LaneFlow rest =
            follow_lane(*study_, flow(), 0, kLane, load.event, flow().warp_events[0].back());
        EXPECT_FALSE(rest.matrix_product) << "at " << load.event;
        continue;
      }
      ++filled;
      EXPECT_FALSE(product->past);
      EXPECT_GT(product->event, load.event);
      const LaneFlow lane = follow_lane(*study_, flow(), 0, kLane, 0, product->event);
      ASSERT_TRUE(lane.matrix_product);
      ASSERT_EQ(lane.matrix_product->event, product->event);
      for (const std::size_t number : product->filled) {
        EXPECT_EQ(number < product->of_a, role == Role::kA) << "a's, then b's";
        const Origin held = role == Role::kA ? lane.matrix_product->left[number]
                                             : lane.matrix_product->right[number - product->of_a];
        EXPECT_EQ(std::ranges::count(load.elements, held), 1) << "what the ldmatrix brought";
      }
      RecordingCanvas canvas;
      Pen pen(canvas, context_);
      const ThreadPicture picture = draw_warp_product(pen, {0, 0, 500, 500}, moment, *product);
      ASSERT_EQ(picture.operands.size(), 1u);
      const auto& [matrix, box] = picture.operands.front();
      EXPECT_EQ(model().matrices[matrix].view.role, role);
      const bool left = box.right() <= picture.cells.x;
      EXPECT_EQ(left, role == Role::kA) << "a lies left of d, b above it";
      EXPECT_TRUE(canvas.says("is next")) << canvas.all_text();
    }
  }
  EXPECT_GT(filled, 15u);
}

TEST_F(MatrixTravel, AProductIsOfTheSliceThatItsRegistersHold) {
  open("gemm/tensor_core");
  std::size_t seen = 0;
  const std::vector<std::uint32_t>& events = flow().warp_events[0];
  for (const std::uint32_t event : events) {
    if (flow().steps[study_->trace->events[event].instruction].kind !=
        CopyStep::Kind::kMatrixProduct) {
      continue;
    }
    if (++seen % 37 != 0) continue;
    const LaneFlow lane = follow_lane(*study_, flow(), 0, kLane, 0, event);
    ASSERT_TRUE(lane.matrix_product);
    EXPECT_EQ(lane.matrix_product->event, event);
    EXPECT_EQ(place(lane.matrix_product->left.front()).col / 16,
              place(lane.matrix_product->right.front()).row / 16)
        << "the same 16 of k";
    context_.selection.event = event;
    const auto parts = tiling_moment(context_).multiplied_parts;
    ASSERT_EQ(parts.size(), 2u);
    const ElementBox& a = parts[0].second;
    const ElementBox& b = parts[1].second;
    EXPECT_EQ(model().matrices[parts[0].first].view.role, Role::kA);
    EXPECT_EQ(a.rows * a.cols, 256u);
    EXPECT_EQ(a.row % 16 + a.col % 16, 0u) << "whole fragments";
    EXPECT_EQ(b.rows, 16u);
    EXPECT_EQ(b.cols, 8u);
    EXPECT_EQ(b.row, a.col);
    EXPECT_EQ(b.col % 8, 0u);
  }
  EXPECT_GT(seen, 37u);
}

TEST_F(MatrixTravel, AWarpGroupsProductReadsItsOperandsFromSharedMemory) {
  open("gemm/warpgroup");
  std::vector<Travel> products;
  std::ranges::copy_if(travels_, std::back_inserter(products),
                       [](const Travel& travel) { return travel.leg == Leg::kSharedToTensorCore; });
  ASSERT_EQ(products.size(), 16u) << "256 of k, 16 at a time";
  for (std::size_t i = 0; i < products.size(); ++i) {
    const ElementBox a = box_of(products[i].elements, Role::kA);
    const ElementBox b = box_of(products[i].elements, Role::kB);
    EXPECT_EQ(a.col, 16 * i);
    EXPECT_EQ(a.cols, 16u);
    EXPECT_EQ(a.rows, 16u) << "those of the first of 4 warps";
    EXPECT_EQ(b.row, 16 * i);
    EXPECT_EQ(b.rows, 16u);
    EXPECT_EQ(b.cols, 256u);
    EXPECT_EQ(products[i].elements.size(), a.count() + b.count());
  }
  const RecordingCanvas canvas = drawn(products[9].event);
  EXPECT_TRUE(canvas.says("A 16 × 16, B 16 × 256 → tensor core")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("multiply")) << "the stage that it reads\n" << canvas.all_text();
}

const std::string kBulk = R"(
__device__ void copy_row(float* to, const float* from, unsigned bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(
          (unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bar) : "memory");
}
__global__ void product(const float* p, const float* q, float* r, int m, int n, int k) {
  __shared__ __align__(16) float ps[16][16];
  __shared__ __align__(16) float qs[16][16];
  __shared__ unsigned long long full;
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&full);
  const int y = blockIdx.y * 16, x = blockIdx.x * 16;
  const bool first = threadIdx.x == 0 && threadIdx.y == 0;
  if (first) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    if (first) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(bar) : "memory");
      for (int i = 0; i < 16; ++i) {
        copy_row(ps[i], p + (y + i) * k + t, bar);
        copy_row(qs[i], q + (t + i) * n + x, bar);
      }
    }
    for (unsigned done = 0; done == 0;) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
                   " selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar), "r"(t / 16 % 2) : "memory");
    }
    for (int i = 0; i < 16; ++i) sum += ps[threadIdx.y][i] * qs[i][threadIdx.x];
    __syncthreads();
  }
  r[(y + threadIdx.y) * n + x + threadIdx.x] = sum;
})";

TEST_F(MatrixTravel, ABulkCopyBringsWhatOneLaneAsksForToAll) {
  LaunchText launch;
  launch.grid = "4,3";
  launch.block = "16,16";
  launch.arguments = {"f32[48x96]=random:1",
                      "f32[96x64]=random:2",
                      "f32[48x64]=zero",
                      "i32:48",
                      "i32:64",
                      "i32:96"};
  StudyRequest request;
  const auto instance = launch_file({"own.cu", kBulk}, launch, "");
  ASSERT_TRUE(instance.ok()) << to_string(instance.error());
  request.instance = *instance;
  request.block = 5;
  const auto study = study_block(request, {});
  ASSERT_TRUE(study.ok()) << to_string(study.error());
  study_ = *study;
  context_.study = study_.get();
  context_.prepared = prepare(*study_);
  context_.selection.block = 5;
  context_.selection.lane = kLane;
  follow();
  EXPECT_EQ(study_->trace->bulk_copies.size(), 6u * 32) << "6 tiles of 16 rows of both";
  ASSERT_EQ(model().movement, Movement::kProduct) << "what lies in shared memory was followed";
  EXPECT_EQ(model().find(Role::kA)->view.name, "p");
  EXPECT_EQ(model().find(Role::kA)->read_in_step.front().rows, 16u);
  const std::vector<Travel> copies = of(Leg::kGlobalToShared, Role::kA);
  ASSERT_EQ(copies.size(), 6u * 16);
  for (const Travel& copy : copies) {
    EXPECT_TRUE(copy.in_bulk);
    EXPECT_EQ(copy.elements.size(), 16u) << "all are told, whichever lane is chosen";
    EXPECT_EQ(copy.lanes.front().first, 0) << "the one that asked";
  }
  const RecordingCanvas canvas = drawn(copies[20].event);
  EXPECT_TRUE(canvas.says("in bulk")) << canvas.all_text();
}

}  // namespace
}  // namespace tilescope
