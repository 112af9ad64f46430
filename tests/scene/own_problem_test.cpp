// What a kernel of the user's own computes, found in what its threads multiply and store.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "kernel/launch/file_launch.h"
#include "scene/model/prepared.h"
#include "scene/model/shared_layout.h"
#include "scene/model/tiling_model.h"
#include "scene/recording_canvas.h"
#include "scene/view/view.h"
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

// The whole grid counted, as the window and --whole-grid have it.
std::shared_ptr<const KernelStudy> counted(const std::shared_ptr<const KernelStudy>& study) {
  const auto grid = run_grid(*study, 1, {});
  EXPECT_TRUE(grid.ok());
  return with_grid(study, *grid);
}

double reads_of(const KernelStudy& study, std::string_view name) {
  const auto prepared = prepare(study);
  for (const TiledMatrix& matrix : prepared->tiling->matrices) {
    if (matrix.view.name == name) return matrix.grid_reads_per_element;
  }
  ADD_FAILURE() << name;
  return 0;
}

// A buffer that is larger than what the kernel reads of it.
TEST(OwnProblem, ReadsAreCountedByTheElementsThatAreRead) {
  const std::string every_block =
      "__global__ void k(const float* x, float* y) {\n"
      "  y[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x];\n}\n";
  const auto study = own_study(every_block, "64", "32", {"f32[2048]=random:1", "f32[2048]=zero"});
  EXPECT_EQ(reads_of(*study, "x"), 0) << "not known before all blocks are counted";
  const auto whole = counted(study);
  EXPECT_EQ(reads_of(*whole, "x"), 64);
  ASSERT_EQ(whole->counters->reach.size(), 2U);
  EXPECT_EQ(whole->counters->reach[0], (BufferReach{32, 4, 0}));
  EXPECT_EQ(whole->counters->reach[1], (BufferReach{0, 0, 256}));

  const std::string in_turns =
      "__global__ void k(const float* x, float* y) {\n"
      "  int i = blockIdx.x * 32 + threadIdx.x;\n"
      "  y[i] = x[i & 63] + x[(i + 1) & 63];\n}\n";
  EXPECT_EQ(
      reads_of(*counted(own_study(in_turns, "64", "32", {"f32[4096]=random:1", "f32[2048]=zero"})),
               "x"),
      2 * 2048 / 64);
  const std::string spread =
      "__global__ void k(const double* x, float* y) {\n"
      "  int i = blockIdx.x * 32 + threadIdx.x;\n"
      "  y[i] = x[8 * i];\n}\n";
  const auto every_eighth =
      counted(own_study(spread, "8", "32", {"f64[2048]=random:1", "f32[256]=zero"}));
  EXPECT_EQ(reads_of(*every_eighth, "x"), 1);
  EXPECT_EQ(every_eighth->counters->reach[0], (BufferReach{256, 256, 0}));
}

// The arrays of a file's other kernels are not the kernel's.
TEST(OwnProblem, SharedArraysAreThoseThatTheKernelUses) {
  const std::string source = R"(
__device__ float folded(float x) {
  __shared__ float sums[32];
  sums[threadIdx.x & 31] = x;
  __syncthreads();
  return sums[(threadIdx.x + 1) & 31];
}
__global__ void before(float* p) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void shown(float* p) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = p[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  p[threadIdx.y * 32 + threadIdx.x] = folded(tile[threadIdx.x][threadIdx.y]);
})";
  LaunchText launch;
  launch.kernel = "shown";
  launch.grid = "1";
  launch.block = "32,32";
  launch.arguments = {"f32[1024]=random:1"};
  StudyRequest request;
  request.instance = *launch_file({"own.cu", source}, launch, "");
  const auto study = study_block(request, {});
  ASSERT_TRUE(study.ok());
  std::vector<std::string> names;
  const auto prepared = prepare(**study);
  for (const SharedRegion& region : prepared->shared->regions) {
    names.push_back(region.declaration);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"sums", "tile[32][33]"}));
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
  EXPECT_EQ(model.movement, Movement::kProduct);
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
  EXPECT_EQ(prepare(*transposed)->tiling->movement, Movement::kTranspose);
  const auto copied = own_study(source("y * w + x"), "4,6", "16,16", arguments);
  EXPECT_EQ(prepare(*copied)->tiling->movement, Movement::kOther);
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
  EXPECT_EQ(prepare(*study)->tiling->movement, Movement::kOther);
}

}  // namespace
}  // namespace tilescope
