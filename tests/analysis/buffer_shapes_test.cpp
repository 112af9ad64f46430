// Shapes of buffers whose launch gives a length alone, found in what the kernel does with them.
#include "analysis/study/buffer_shapes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/launch/file_launch.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

std::string shapes_of(KernelInstance instance) {
  StudyRequest request;
  request.instance = std::move(instance);
  request.block = request.instance.grid.count() > 5 ? 5 : 0;
  request.workers = 2;
  const auto study = study_block(request, {});
  if (!study) return to_string(study.error());
  std::string text;
  const auto shapes = buffer_shapes(**study);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Argument& argument = (*study)->instance.arguments[i];
    if (!argument.is_pointer) continue;
    if (!text.empty()) text += ' ';
    text += shapes[i] ? fmt::format("{}={}x{}", argument.name, shapes[i]->rows, shapes[i]->leading)
                      : argument.name + "=line";
  }
  return text;
}

std::string shapes_of(const std::string& source, const std::string& grid, const std::string& block,
                      const std::vector<std::string>& arguments) {
  LaunchText launch;
  launch.grid = grid;
  launch.block = block;
  launch.arguments = arguments;
  const auto instance = launch_file({"own.cu", source}, launch, "");
  return instance ? shapes_of(*instance) : to_string(instance.error());
}

const std::string kProduct = R"(
__global__ void product(const float* x, const float* y, float* z, int m, int n, int k) {
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += x[r * k + i] * y[i * n + c];
  z[r * n + c] = sum;
})";

TEST(BufferShapes, APitchThatIsAnArgumentIsFound) {
  EXPECT_EQ(shapes_of(kProduct, "4,3", "16,16",
                      {"f32[4608]=random:1", "f32[6144]=random:2", "f32[3072]=zero", "i32:48",
                       "i32:64", "i32:96"}),
            "x=48x96 y=96x64 z=48x64");
}

TEST(BufferShapes, ATileThatThreadsShareByDivisionIsFoundToo) {
  const std::string source = R"(
__global__ void scale(float* a, int n) {
  int t = threadIdx.x;
  for (int i = 0; i < 4; ++i)
    a[(blockIdx.y * 32 + t / 32 * 4 + i) * n + blockIdx.x * 32 + t % 32] *= 2;
})";
  EXPECT_EQ(shapes_of(source, "4,4", "256", {"f32[65536]=iota", "i32:128"}), "a=512x128");
}

TEST(BufferShapes, WithoutAnArgumentAPlaneOfThreadsTells) {
  const std::string source = R"(
__global__ void product(const float* x, const float* y, float* z) {
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 128; ++i) sum += x[r * 128 + i] * y[i * 128 + c];
  z[r * 128 + c] = sum;
})";
  EXPECT_EQ(shapes_of(source, "8,8", "16,16",
                      {"f32[16384]=random:1", "f32[16384]=random:2", "f32[16384]=zero"}),
            "x=128x128 y=128x128 z=128x128");
}

TEST(BufferShapes, ARowForEachBlockIsFoundByWhereItEnds) {
  const std::string source = R"(
__global__ void twice(const float* in, float* out, int rows, int cols) {
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    out[blockIdx.x * cols + i] = 2 * in[blockIdx.x * cols + i];
})";
  EXPECT_EQ(
      shapes_of(source, "32", "64", {"f32[6400]=iota", "f32[6400]=zero", "i32:32", "i32:200"}),
      "in=32x200 out=32x200");
}

TEST(BufferShapes, LinesStayLines) {
  const std::string axpy = R"(
__global__ void axpy(const float* x, float* y, int n, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] += a * x[i];
})";
  EXPECT_EQ(shapes_of(axpy, "8", "64", {"f32[8192]=iota", "f32[8192]=zero", "i32:8192", "f32:2"}),
            "x=line y=line");
  const std::string gather = R"(
__global__ void gather(const float* x, const int* at, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[at[i] & 4095];
})";
  EXPECT_EQ(shapes_of(gather, "16", "256",
                      {"f32[4096]=iota", "i32[4096]=random:3", "f32[4096]=zero", "i32:4096"}),
            "x=line at=line y=line");
}

TEST(BufferShapes, WhatTheLaunchSaysStands) {
  EXPECT_EQ(shapes_of(kProduct, "4,3", "16,16",
                      {"f32[1x4608]=random:1", "f32[48 x 128]=random:2", "f32[3072]=zero", "i32:48",
                       "i32:64", "i32:96"}),
            "x=line y=48x128 z=48x64");
}

// The catalogue knows its shapes: found without them, they are the same, or nothing is said.
TEST(BufferShapes, TheCataloguesAreFoundAgain) {
  int found = 0;
  int of = 0;
  for (const CatalogueEntry& kernel : testing::catalogue().entries) {
    ParameterSet extents;
    if (kernel.problem->multiplies()) {
      extents = {{"M", 256}, {"N", 384}, {"K", 128}};
    } else if (kernel.problem->reference == ReferenceKind::kTranspose) {
      extents = {{"ROWS", 256}, {"COLS", 384}};
    } else {
      continue;
    }
    auto instance = instantiate(kernel, {}, extents, testing::device(90));
    if (!instance) continue;
    const std::vector<Argument> given = instance->arguments;
    for (Argument& argument : instance->arguments) {
      argument.rows = argument.cols = argument.leading = 0;
    }
    StudyRequest request;
    request.instance = *instance;
    request.workers = 2;
    const auto study = study_block(request, {});
    ASSERT_TRUE(study.ok()) << kernel.id;
    const auto shapes = buffer_shapes(**study);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i].is_pointer) continue;
      ++of;
      if (!shapes[i]) continue;
      ++found;
      EXPECT_EQ(shapes[i]->leading, given[i].leading) << kernel.id << " " << given[i].name;
    }
  }
  EXPECT_GT(found * 10, of * 9) << found << " of " << of;
}

}  // namespace
}  // namespace tilescope
