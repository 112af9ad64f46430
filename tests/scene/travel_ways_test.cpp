// The ways that data is drawn on: bulk copies of kernels that multiply nothing, those for several
// blocks of a cluster, and arrows beside labels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernel/launch/file_launch.h"
#include "scene/catalogue_study.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/labels.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"
#include "scene/model/travel.h"
#include "scene/recording_canvas.h"
#include "scene/views.h"

namespace tilescope {
namespace {

constexpr Rect kArea{0, 0, 1176, 560};

const std::string kBarriers = R"(
__device__ unsigned place(const void* at) { return (unsigned)__cvta_generic_to_shared(at); }
__device__ void init(unsigned bar) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
}
__device__ void expect(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void wait(unsigned bar) {
  for (unsigned done = 0; done == 0;) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
                 " selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(bar) : "memory");
  }
}
)";

const std::string kTurn = kBarriers + R"(
__global__ void turn(const float* in, float* out, int rows, int cols) {
  __shared__ __align__(16) float tile[32][32];
  __shared__ unsigned long long full;
  const int y = blockIdx.y * 32, x = blockIdx.x * 32;
  const bool first = threadIdx.x == 0 && threadIdx.y == 0;
  if (first) init(place(&full));
  __syncthreads();
  if (first) {
    expect(place(&full), 4096);
    for (int i = 0; i < 32; ++i) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
              place(tile[i])), "l"(in + (y + i) * cols + x), "r"(place(&full)) : "memory");
    }
  }
  wait(place(&full));
  for (int i = threadIdx.y; i < 32; i += 8) {
    out[(x + i) * rows + y + threadIdx.x] = tile[threadIdx.x][i];
  }
}
)";

const std::string kShare = kBarriers + R"(
__global__ void __cluster_dims__(2, 1, 1) share(const float* in, float* out) {
  __shared__ __align__(128) float tile[256];
  __shared__ unsigned long long full;
  const unsigned t = threadIdx.x, rank = blockIdx.x % 2;
  if (t == 0) {
    init(place(&full));
    expect(place(&full), 1024);
  }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], 512, [%2], %3;" ::"r"(place(tile + 128 * rank)),
        "l"(in + blockIdx.x / 2 * 256 + 128 * rank), "r"(place(&full)), "h"((unsigned short)3) : "memory");
  }
  wait(place(&full));
  for (unsigned i = t; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = tile[255 - i];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
})";

class OwnTravel : public ::testing::Test {
 protected:
  void open(const std::string& source, const LaunchText& launch, std::uint64_t block) {
    StudyRequest request;
    const auto instance = launch_file({"own.cu", source}, launch, "");
    ASSERT_TRUE(instance.ok()) << to_string(instance.error());
    request.instance = *instance;
    request.block = block;
    const auto study = study_block(request, {});
    ASSERT_TRUE(study.ok()) << to_string(study.error());
    study_ = *study;
    context_.study = study_.get();
    context_.prepared = prepare(*study_);
    context_.selection.block = block;
    context_.selection.lane = 5;
  }
  [[nodiscard]] const CopyFlow& flow() const { return *context_.prepared->flow; }
  [[nodiscard]] std::vector<Travel> travels(Leg leg) const {
    std::vector<Travel> found;
    for (const std::uint32_t event : flow().warp_events[0]) {
      auto travel = travel_at(*study_, flow(), event, context_.selection.lane);
      if (travel && travel->leg == leg) found.push_back(*std::move(travel));
    }
    return found;
  }
  RecordingCanvas drawn(std::uint32_t event) {
    context_.selection.event = event;
    RecordingCanvas canvas;
    draw_view(View::kTiling, canvas, kArea, context_);
    EXPECT_EQ(canvas.complaint(kArea, 11), "");
    EXPECT_EQ(canvas.crossed_label(), "");
    return canvas;
  }
  // Whether lines lead from a box that the one tooltip tells of to one that the other does.
  static bool leads(const RecordingCanvas& canvas, std::string_view from, std::string_view to) {
    const auto lies_in = [&](Point point, std::string_view words) {
      return std::ranges::any_of(canvas.hits, [&](const auto& hit) {
        return hit.second.tooltip.find(words) != std::string::npos &&
               hit.first.inset(-2).contains(point);
      });
    };
    for (const RecordingCanvas::Line& first : canvas.lines) {
      if (!lies_in(first.from, from)) continue;
      Point end = first.to;
      for (const RecordingCanvas::Line& next : canvas.lines) {
        if (next.from.x == end.x && next.from.y == end.y) end = next.to;
      }
      if (lies_in(end, to)) return true;
    }
    return false;
  }

  std::shared_ptr<const KernelStudy> study_;
  ViewContext context_;
};

TEST_F(OwnTravel, ABulkCopyOfATransposeLeadsFromItsMatrixToTheSharedArray) {
  LaunchText launch;
  launch.grid = "3,2";
  launch.block = "32,8";
  launch.arguments = {"f32[64x96]=random:1", "f32[96x64]=zero", "i32:64", "i32:96"};
  open(kTurn, launch, 4);
  const std::vector<Travel> copies = travels(Leg::kGlobalToShared);
  ASSERT_EQ(copies.size(), 32u) << "a row each";
  const RecordingCanvas canvas = drawn(copies[9].event);
  EXPECT_TRUE(canvas.says("in bulk")) << canvas.all_text();
  EXPECT_TRUE(leads(canvas, "The block reads this part of in", "in shared memory; bright"))
      << canvas.all_text();
  const std::vector<Travel> loads = travels(Leg::kSharedToRegisters);
  ASSERT_FALSE(loads.empty()) << "what a bulk copy brought is followed";
  EXPECT_TRUE(leads(drawn(loads.back().event), "in shared memory; bright", "Event "));
  const std::vector<Travel> stores = travels(Leg::kRegistersToGlobal);
  ASSERT_FALSE(stores.empty());
  EXPECT_TRUE(leads(drawn(stores.front().event), "Event ", "The block stores this part of out"));
}

TEST_F(OwnTravel, ACopyForAllBlocksOfAClusterIsFollowedIntoTheTracedOne) {
  for (const std::uint64_t block : {0u, 3u}) {
    LaunchText launch;
    launch.grid = "4";
    launch.block = "64";
    launch.arguments = {"f32[512]=random:1", "f32[1024]=zero"};
    open(kShare, launch, block);
    const std::vector<BulkCopy>& copies = study_->trace->bulk_copies;
    ASSERT_EQ(copies.size(), 2u) << "its own half and the other block's";
    const auto own = std::ranges::count_if(copies, [](const BulkCopy& c) { return c.lane < 32; });
    EXPECT_EQ(own, 1);
    const auto last = static_cast<std::uint32_t>(study_->trace->events.size());
    for (std::uint64_t word = 0; word < 256; ++word) {
      const Origin origin = flow().shared_word(word, last);
      ASSERT_TRUE(origin.known()) << word;
      EXPECT_EQ(origin.element(), block / 2 * 256 + word);
    }
    const std::vector<Travel> loads = travels(Leg::kSharedToRegisters);
    ASSERT_FALSE(loads.empty());
    const std::vector<Travel> travels_in = travels(Leg::kGlobalToShared);
    ASSERT_FALSE(travels_in.empty());
    EXPECT_TRUE(drawn(travels_in.front().event).says("in bulk"));
  }
}

// Notes the pieces of arrows, which alone have this width and a matrix's colour.
class ArrowPieces final : public ForwardingCanvas {
 public:
  using ForwardingCanvas::ForwardingCanvas;
  void line(Point from, Point to, Paint paint, float width) override {
    const bool is_matrix = paint.role == ColourRole::kFirst || paint.role == ColourRole::kSecond;
    if (width == 1.5f && is_matrix) pieces.push_back({from, to});
    target().line(from, to, paint, width);
  }
  // Two pieces of one straight line: it was parted where a label stands.
  [[nodiscard]] bool parted() const {
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const auto& [a, b] = pieces[i - 1];
      const auto& [c, d] = pieces[i];
      const float gap = std::hypot(c.x - b.x, c.y - b.y);
      const float turn = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
      const float off = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
      if (gap > 1 && std::abs(turn) < 1 && std::abs(off) < 1) return true;
    }
    return false;
  }
  // A piece that runs through the box, not to its side.
  [[nodiscard]] bool crosses(const Rect& box) const {
    return std::ranges::any_of(pieces, [&](const auto& piece) {
      const auto [first, last] = stretch_in(piece.first, piece.second, box.inset(2));
      return first < last;
    });
  }
  [[nodiscard]] float lowest() const {
    float y = 0;
    for (const auto& [a, b] : pieces) y = std::max({y, a.y, b.y});
    return y;
  }
  std::vector<std::pair<Point, Point>> pieces;
};

// At the sizes of the view in a window of 1920 x 1080 and of 1280 x 720.
TEST(Arrows, PassNoLabel) {
  for (const char* id : {"gemm/warpgroup", "gemm/tensor_core", "gemm/prefetch"}) {
    std::string why;
    const auto study = catalogue_study(id, {}, {{"M", 512}, {"N", 512}, {"K", 512}}, &why);
    ASSERT_NE(study, nullptr) << why;
    ViewContext context = catalogue_context(*study);
    const CopyFlow& flow = *context.prepared->flow;
    for (const Rect& area : {Rect{0, 0, 1176, 560}, Rect{0, 0, 992, 290}}) {
      std::size_t seen = 0;
      std::size_t parted = 0;
      std::size_t number = 0;
      std::string where;
      for (const std::uint32_t event : flow.warp_events[0]) {
        const auto travel = travel_at(*study, flow, event, context.selection.lane);
        if (!travel || travel->leg == Leg::kRegistersToGlobal || number++ % 11 != 0) continue;
        context.selection.event = event;
        RecordingCanvas recorded;
        ArrowPieces canvas(recorded);
        draw_view(View::kTiling, canvas, area, context);
        seen += canvas.pieces.empty() ? 0U : 1U;
        for (const auto& [box, hit] : recorded.hits) {
          if (!hit.tooltip.starts_with("Stage ")) continue;
          EXPECT_FALSE(canvas.crosses(box)) << id << " " << area.w << " " << event << hit.tooltip;
        }
        EXPECT_LT(canvas.lowest(), area.bottom() - 60) << "the rule above the summary is no way";
        if (canvas.parted()) {
          ++parted;
          where = fmt::format("event {}:", event);
          for (const auto& [a, b] : canvas.pieces) {
            where += fmt::format(" ({:.0f} {:.0f})-({:.0f} {:.0f})", a.x, a.y, b.x, b.y);
          }
        }
        if (seen > 60) break;
      }
      EXPECT_GT(seen, 8u) << id << " at " << area.w;
      EXPECT_EQ(parted, 0u) << id << " at " << area.w << " of " << seen << ", " << where;
    }
  }
}

}  // namespace
}  // namespace tilescope
