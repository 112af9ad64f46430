// What a kernel of the user's own computes, found in what its threads multiply and store.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/file_launch.h"
#include "scene/prepared.h"
#include "scene/recording_canvas.h"
#include "scene/tiling/tiling_model.h"
#include "scene/view.h"
#include "scene/views.h"

namespace tilescope {
namespace {

std::shared_ptr<const KernelStudy> own_study(const std::string& source, const std::string& grid,
                                             const std::string& block,
                                             const std::vector<std::string>& arguments) {
  LaunchText launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = arguments;
  StudyRequest request;
  const auto instance = launch_file({"own.cu", source}, launch, "");
  EXPECT_TRUE(instance.ok());
  request.instance = *instance;
  request.block = 5;
  const auto study = study_block(request, {});
  EXPECT_TRUE(study.ok());
  return *study;
}

const std::string kShared = R"(
__global__ void product(const float* p, const float* q, float* r, int m, int n, int k) {
  __shared__ float ps[16][16], qs[16][16];
  int y = blockIdx.y * 16 + threadIdx.y, x = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    ps[threadIdx.y][threadIdx.x] = p[y * k + t + threadIdx.x];
    qs[threadIdx.y][threadIdx.x] = q[(t + threadIdx.y) * n + x];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ps[threadIdx.y][i] * qs[i][threadIdx.x];
    __syncthreads();
  }
  r[y * n + x] = sum;
})";

TEST(OwnProblem, AProductHasItsRolesAndIsDrawnAsOne) {
  const auto study = own_study(
      kShared, "4,3", "16,16",
      {"f32[4608]=random:1", "f32[6144]=random:2", "f32[3072]=zero", "i32:48", "i32:64", "i32:96"});
  const auto prepared = prepare(*study);
  const TilingModel& model = *prepared->tiling;
  EXPECT_EQ(model.problem, Problem::kGemm);
  ASSERT_NE(model.find(Role::kA), nullptr);
  EXPECT_EQ(model.find(Role::kA)->view.name, "p");
  EXPECT_EQ(model.find(Role::kB)->view.name, "q");
  EXPECT_EQ(model.find(Role::kC)->view.name, "r");
  ViewContext context;
  context.study = study.get();
  context.prepared = prepared;
  context.selection.block = 5;
  context.selection.event = static_cast<std::uint32_t>(study->trace->events.size() * 3 / 4);
  const Rect area{0, 0, 1176, 640};
  RecordingCanvas canvas;
  draw_view(View::kTiling, canvas, area, context);
  EXPECT_TRUE(canvas.says("p 16 × 16")) << canvas.all_text();
  EXPECT_TRUE(canvas.says("into r[16][16]")) << canvas.all_text();
  EXPECT_EQ(canvas.complaint(area, 11), "");
}

TEST(OwnProblem, ATransposeIsNoCopy) {
  const auto source = [](const std::string& from) {
    return R"(
__global__ void move(const float* a, float* b, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  b[)" + from +
           R"(] = a[y * w + x];
})";
  };
  const std::vector<std::string> arguments = {"f32[6144]=iota", "f32[6144]=zero", "i32:64",
                                              "i32:96"};
  const auto transposed = own_study(source("x * h + y"), "4,6", "16,16", arguments);
  EXPECT_EQ(prepare(*transposed)->tiling->problem, Problem::kTranspose);
  const auto copied = own_study(source("y * w + x"), "4,6", "16,16", arguments);
  EXPECT_EQ(prepare(*copied)->tiling->problem, std::nullopt);
}

// Threads multiply elements of two matrices, but no row with a column.
TEST(OwnProblem, AnotherSumOfProductsIsNoProductOfMatrices) {
  const std::string source = R"(
__global__ void dots(const float* a, const float* b, float* c, int n) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[y * n + i] * b[x * n + i];
  c[y * n + x] = sum;
})";
  const auto study =
      own_study(source, "4,4", "16,16",
                {"f32[4096]=random:1", "f32[4096]=random:2", "f32[4096]=zero", "i32:64"});
  EXPECT_EQ(prepare(*study)->tiling->problem, std::nullopt);
}

}  // namespace
}  // namespace tilescope
