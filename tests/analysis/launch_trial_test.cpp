// Guessed launches, tried on a few blocks.
#include "analysis/study/launch_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/study/trial_run.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

LaunchTrial tried(const std::string& source, bool with_machine_code = false) {
  const KernelFile file{"mine.cu", source};
  const auto trial =
      try_launch({file, guess_launch(file), {}, testing::device(90), with_machine_code}, {});
  EXPECT_TRUE(trial.ok()) << to_string(trial.error());
  return trial ? *trial : LaunchTrial{};
}

const ArgumentForm& argument(const LaunchTrial& trial, const std::string& name) {
  const auto found = std::ranges::find(trial.launch.arguments, name, &ArgumentForm::name);
  EXPECT_NE(found, trial.launch.arguments.end()) << name;
  return *found;
}

TEST(LaunchTrial, ARightGuessStays) {
  const LaunchTrial trial = tried(R"(
__global__ void scale(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
})");
  EXPECT_EQ(trial.corrections, "");
  EXPECT_GT(trial.warp_instructions, 4096.0 * 8 * 5);
}

TEST(LaunchTrial, WhatIsReadIsRandom) {
  const LaunchTrial trial = tried(R"(
__global__ void add(float* sum, float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
})");
  EXPECT_EQ(argument(trial, "sum").fill, "zero");
  EXPECT_TRUE(argument(trial, "a").fill.starts_with("random:"));
  EXPECT_TRUE(argument(trial, "b").fill.starts_with("random:"));
  EXPECT_EQ(trial.corrections, "a from zeros to random numbers; b from zeros to random numbers");
}

// All blocks would do the same at the same places.
TEST(LaunchTrial, AKernelThatAsksForNoBlockHasOne) {
  const LaunchTrial trial = tried(R"(
__global__ void scale(float* a) { a[threadIdx.x] = 3.0f * a[threadIdx.x]; })");
  EXPECT_EQ(trial.launch.grid, "1");
  EXPECT_NE(trial.corrections.find("grid"), std::string::npos) << trial.corrections;
}

// No device launches it, whatever the file says.
TEST(LaunchTrial, ABlockOfTooManyRegistersIsHalved) {
  const LaunchTrial trial = tried(R"(
__global__ void many(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) a[k] = in[i + k];
  for (int r = 0; r < n; ++r) {
#pragma unroll
    for (int k = 0; k < 96; ++k) a[k] = a[k] * a[(k + 1) % 96] + in[r];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum += a[k];
  out[i] = sum;
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 8192 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  many<<<4, 1024>>>(in, out, 16);
})",
                                  true);
  EXPECT_EQ(trial.launch.block, "512");
  EXPECT_EQ(trial.launch.grid, "8");
}

TEST(LaunchTrial, AKernelThatOnlyPrintsDoesLess) {
  const LaunchTrial prints = tried(R"(
extern "C" __device__ int printf(const char*, ...);
__global__ void greet(int n) { for (int i = 0; i < n; ++i) printf("%d", i); })");
  const LaunchTrial copies = tried(R"(
__global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; })");
  EXPECT_GT(prints.warp_instructions, 0);
  EXPECT_LT(prints.warp_instructions, copies.warp_instructions);
}

// What the file allocates is what the kernel has: beyond it is a mistake of the kernel's.
TEST(LaunchTrial, ABufferThatTheFileAllocatesStays) {
  const LaunchTrial trial = tried(R"(
__global__ void spread(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[2 * i] = in[i];
}
int main() {
  const int n = 5000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  spread<<<(n + 255) / 256, 256>>>(in, out, n);
})");
  EXPECT_EQ(argument(trial, "out").count, "5000");
  EXPECT_FALSE(trial.is_made_up);
}

TEST(LaunchTrial, ALaunchThatIsNotTheFilesOwnIsMadeUp) {
  const std::string kernel = R"(
__global__ void gather(const float* in, const int* from, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[from[i]];
})";
  EXPECT_TRUE(tried(kernel).is_made_up);
  EXPECT_TRUE(tried(kernel + R"(
int main() {
  float *in, *out; int* from;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 4000);
  cudaMalloc(&from, 4000);
  gather<<<4, 256>>>(in, from, out, 1000);
})")
                  .is_made_up)
      << "nothing says what the indices are";
  EXPECT_TRUE(tried(R"(
__global__ void twice(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
void run(float* in, float* out) { twice<<<4, 256>>>(in, out); })")
                  .is_made_up)
      << "nothing says how large the buffers are";
}

TEST(LaunchTrial, ABufferThatIsExceededGrows) {
  const LaunchTrial trial = tried(R"(
__global__ void spread(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[4 * i + 3] = in[i];
})");
  EXPECT_EQ(argument(trial, "out").count, "4194304");
  EXPECT_EQ(argument(trial, "in").count, "1048576");
}

// A pixel of three bytes: the plane stays, and the buffer grows. Only one that is stored beyond
// tells of a grid too large.
TEST(LaunchTrial, APlaneThatReadsBeyondItsInputsKeepsItsGrid) {
  const LaunchTrial trial = tried(R"(
__global__ void grey(const unsigned char* in, unsigned char* out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= cols || y >= rows) return;
  int i = y * cols + x;
  out[i] = (in[3 * i] + in[3 * i + 1] + in[3 * i + 2]) / 3;
})");
  EXPECT_EQ(trial.launch.grid, "64,64");
  EXPECT_EQ(argument(trial, "in").count, "4194304");
}

TEST(LaunchTrial, OffsetsOfRowsAreOneMoreThanTheRows) {
  const LaunchTrial trial = tried(R"(
__global__ void multiply(int n, const int* row_ptr, const int* cols, const float* values,
                         const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += values[k] * x[cols[k]];
  y[row] = sum;
})");
  EXPECT_EQ(argument(trial, "row_ptr").text(), "i32[1048577]=i * 4");
  EXPECT_EQ(argument(trial, "values").count, "4194304");
  EXPECT_NE(trial.corrections.find("row_ptr from a ramp to rows of four"), std::string::npos);
}

// 4 MiB for each block, and no number says how many there are.
TEST(LaunchTrial, ALineOfBlocksThatCoverMuchShrinks) {
  const LaunchTrial trial = tried(R"(
__global__ void stream(const float* in, float* out) {
  const float* mine = in + blockIdx.x * 256 * 4096 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 4096; i += 16) sum += mine[i * 256] + mine[(i + 15) * 256];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
})");
  EXPECT_EQ(trial.launch.grid, "16");
  EXPECT_EQ(argument(trial, "in").count, "16777216");
}

TEST(LaunchTrial, OfOverloadedKernelsOneRuns) {
  const LaunchTrial trial = tried(R"(
__global__ void scale(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
__global__ void scale(double* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; })");
  EXPECT_EQ(argument(trial, "x").type, "f32");
  EXPECT_GT(trial.warp_instructions, 0);
}

// Two threads with one place would race, and that they have one was made up.
TEST(LaunchTrial, PlacesThatAreStoredIntoAreAllDifferent) {
  const LaunchTrial trial = tried(R"(
__global__ void scatter(const float* in, float* out, const int* place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[place[i]] = in[i];
})");
  EXPECT_EQ(argument(trial, "place").fill, "iota");
  EXPECT_EQ(trial.corrections, "place from a ramp to places of their own");
}

// A sum that is changed in place loses changes wherever two elements are alike, as they may be.
TEST(LaunchTrial, WhatIsChangedInPlaceStillRaces) {
  const LaunchTrial trial = tried(R"(
__global__ void count(const int* in, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[in[i]] += 1;
})");
  EXPECT_EQ(argument(trial, "in").fill, "ramp");
}

// 24 KiB, between the 16 that are too few and the 32 that they are doubled to.
TEST(LaunchTrial, SharedMemoryIsAsMuchAsIsAccessed) {
  const LaunchTrial trial = tried(R"(
extern __shared__ float tile[];
__global__ void turned(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < 6144; k += blockDim.x) tile[k] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[6143 - threadIdx.x];
})");
  EXPECT_EQ(trial.launch.dynamic_shared, "24576");
}

// It was doubled to the most that a block has before the size shrank.
TEST(LaunchTrial, SharedMemoryIsForTheSizeInTheEnd) {
  const LaunchTrial trial = tried(R"(
extern __shared__ char text[];
__global__ void copy(const char* in, char* out, int length) {
  if (threadIdx.x == 0) for (int k = 0; k <= length; ++k) text[k] = in[k];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = text[threadIdx.x];
})");
  EXPECT_EQ(argument(trial, "length").value, "1024");
  EXPECT_GE(std::stoi(trial.launch.dynamic_shared), 1024);
  EXPECT_LE(std::stoi(trial.launch.dynamic_shared), 4096);
}

TEST(LaunchTrial, ATemplateOfNarrowTypesAloneGetsOne) {
  const LaunchTrial trial = tried(R"(
#include <cuda_fp16.h>
template <class T> struct Pair;
template <> struct Pair<__half> { using type = __half2; };
template <class T> __global__ void doubled(const T* in, T* out, int n) {
  using Two = typename Pair<T>::type;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) ((Two*)out)[i] = __hadd2(((const Two*)in)[i], ((const Two*)in)[i]);
})");
  EXPECT_EQ(trial.launch.kernel, "doubled<__half>");
  EXPECT_EQ(argument(trial, "in").type, "f16");
}

TEST(LaunchTrial, PlacesThatAreCountedFromOneAreTheFirst) {
  const LaunchTrial trial = tried(R"(
__global__ void taken(const float* in, const int* places, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[places[i] - 1];
})");
  EXPECT_EQ(argument(trial, "places").fill, "1");
}

// 512 x 512 x 512 floats are more than a look needs.
TEST(LaunchTrial, AVolumeOfTheFilesOwnShrinks) {
  const LaunchTrial trial = tried(R"(
#define EDGE 512
__global__ void smoothed(const float* in, float* out, int w, int h, int d) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < (long)w * h * d) out[i] = 0.5f * in[i];
}
void run(const float* in, float* out) {
  smoothed<<<EDGE * EDGE * EDGE / 256, 256>>>(in, out, EDGE, EDGE, EDGE);
})");
  EXPECT_LE(std::stoull(argument(trial, "w").value), 256U);
}

// An extent is tried for `c`, in vain: the count is again what it was.
TEST(LaunchTrial, WhatFollowsANumberFollowsItBack) {
  const LaunchTrial trial = tried(R"(
__global__ void taken(int count, const float* in, float* out, int a, int b, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}
void run(const float* in, float* out, int a_, int b_, int c_) {
  const int rows = a_ * c_;
  const int count = rows * b_;
  taken<<<(count + 255) / 256, 256>>>(count, in, out, a_, b_, c_);
})");
  const auto value = [&](const char* name) { return std::stoll(argument(trial, name).value); };
  EXPECT_EQ(value("count"), value("a") * value("b") * value("c"));
}

// One thread that looks at all pairs of the file's own 4096 places.
TEST(LaunchTrial, ALoopOfTheFilesOwnSizesIsShortened) {
  const LaunchTrial trial = tried(R"(
__global__ void nearest(const float* in, float* out, int n, int m) {
  for (int i = 0; i < n; ++i) {
    float least = 1e30f;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < m; ++k) least = fminf(least, fabsf(in[i] - in[j] * in[k]));
    out[i] = least;
  }
}
void run(const float* in, float* out) { nearest<<<1, 1>>>(in, out, 1024, 512); }
)");
  EXPECT_LT(std::stoull(argument(trial, "m").value), 512U);
}

TEST(LaunchTrial, ASizeThatNoMemoryHoldsShrinksAndTheGridWithIt) {
  const LaunchTrial trial = tried(R"(
__global__ void rows(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += in[(size_t)i * n + j];
  out[i] = sum;
})");
  EXPECT_EQ(argument(trial, "n").value, "1024");
  EXPECT_EQ(trial.launch.grid, "4");
}

TEST(LaunchTrial, AnIdleLaunchGetsWork) {
  const LaunchTrial trial = tried(R"(
__global__ void some(float* out, int particles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (i - particles < 0) out[i] = i;
})");
  EXPECT_EQ(argument(trial, "particles").value, "1024") << trial.corrections;
}

// Each thread does four elements: a quarter of the blocks has something to do.
TEST(LaunchTrial, AGridOfIdleBlocksShrinks) {
  const LaunchTrial line = tried(R"(
__global__ void quads(float4* out, const float4* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) out[i] = in[i];
})");
  EXPECT_EQ(line.launch.grid, "1024");
  const LaunchTrial plane = tried(R"(
__global__ void patch(float* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < 100) out[y * width + x] = 1;
})");
  EXPECT_EQ(plane.launch.grid, "64,8");
  const LaunchTrial written = tried(R"(
__global__ void few(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
int main() { const int n = 4096; few<<<n, 64>>>(p, n); })");
  EXPECT_EQ(written.launch.grid, "64") << "n blocks, of which an element needs no block of its own";
  // Triangles need both ends of the grid.
  const LaunchTrial triangle = tried(R"(
__global__ void lower(float* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= y) out[y * width + x] = 1;
})");
  EXPECT_EQ(triangle.launch.grid, "64,64");
  // What the busy blocks do wrong does not come from the idle ones.
  const LaunchTrial racing = tried(R"(
__global__ void sift(unsigned long long n, bool* marks) {
  unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (x * x > n) return;
  for (unsigned long long y = 1; y < 64; ++y) marks[x * y % 1000] = !marks[x * y % 1000];
}
int main() { sift<<<4096, 256>>>(100000ull, p); })");
  EXPECT_EQ(racing.launch.grid, "2");
}

// Past the end by what it is told: by a rim that it does not know of it would be the kernel's
// fault.
TEST(LaunchTrial, ABufferHoldsTheRimThatTheKernelIsToldOf) {
  const auto shift = [](const std::string& name) {
    return "__global__ void shift(float* out, const float* in, int n, int " + name + ") {\n" +
           "  int i = blockIdx.x * blockDim.x + threadIdx.x + " + name + ";\n" + "  if (i < n + " +
           name + ") out[i] = in[i - 1] + in[i + 1];\n}\n";
  };
  EXPECT_EQ(argument(tried(shift("halo_x")), "in").count, "2097152");
  EXPECT_EQ(argument(tried(shift("begin")), "in").count, "1048576");
}

TEST(LaunchTrial, ABlockThatExceedsTheKernelsArraysShrinks) {
  const LaunchTrial trial = tried(R"(
__global__ void turn(float* out, const float* in, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[t ^ 1];
})");
  EXPECT_EQ(trial.launch.block, "64") << trial.corrections;
}

// What is the kernel's own mistake is left for the checks to report.
TEST(LaunchTrial, OneElementPastTheEndIsTheKernelsFault) {
  const LaunchTrial trial = tried(R"(
__global__ void difference(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];
})");
  EXPECT_EQ(argument(trial, "in").count, "1048576");
}

TEST(LaunchTrial, TheFilesOwnBlockStays) {
  const LaunchTrial trial = tried(R"(
__global__ void turn(float* out, const float* in, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x ^ 1];
}
int main() {
  float *a, *b;
  turn<<<4, 256>>>(a, b, 1024);
})");
  EXPECT_EQ(trial.launch.block, "256") << trial.corrections;
}

TEST(LaunchTrial, AStructureThatTheTextDoesNotLayOutIsTakenFromTheCompiledKernel) {
  const LaunchTrial trial = tried(R"(
struct View { union { float* data; long address; }; int count; double by; };
__global__ void scale(float* out, View view) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.count) out[i] = float(view.by) * view.data[i];
})");
  EXPECT_TRUE(argument(trial, "view+0").is_buffer);
  EXPECT_EQ(argument(trial, "view+8").type, "i32");
  EXPECT_EQ(argument(trial, "view+16").type, "f64");
  EXPECT_GT(trial.warp_instructions, 0);
}

TEST(TrialRun, BlocksOfTooManyAccessesAreSlow) {
  const KernelFile file{"mine.cu", R"(
__global__ void each(float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum = fmaf(sum, sum, out[threadIdx.x]);
  out[threadIdx.x] = sum;
})"};
  LaunchText text;
  text.grid = text.block = "1";
  text.arguments = {"f32[32]=zero", "i32:1048576"};
  auto instance = launch_file(file, text);
  ASSERT_TRUE(instance.ok());
  StudyRequest request;
  request.instance = *std::move(instance);
  const auto study = prepare_study(request, {});
  ASSERT_TRUE(study.ok());
  const auto slow = run_trial(**study, {.accesses = 1}, {});
  ASSERT_TRUE(slow.ok());
  EXPECT_TRUE(slow->is_slow);
  EXPECT_EQ(slow->faults(), 1u);
  const auto whole = run_trial(**study, {.accesses = 1U << 30}, {});
  ASSERT_TRUE(whole.ok());
  EXPECT_FALSE(whole->is_slow);
  EXPECT_TRUE(whole->touched[0].loaded && whole->touched[0].stored);
}

// Whether a launch of the form has no problem in its tried blocks.
bool runs_clean(const KernelFile& file, const LaunchForm& form) {
  const auto text = launch_text(form);
  auto instance = text ? launch_file(file, *text) : text.error();
  if (!instance) return false;
  StudyRequest request;
  request.instance = *std::move(instance);
  const auto study = prepare_study(request, {});
  const auto run = study ? run_trial(**study, {}, {}) : study.error();
  return run && run->any_access && run->findings.empty();
}

TEST(LaunchTrial, EachPointerOfABufferLeadsToABufferOfItsOwn) {
  const KernelFile file{"rows.cu", R"(
__global__ void add(const float** in, float** out, int n, int batch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < batch; ++k) if (i < n) out[k][i] = 2 * in[k][i];
})"};
  const auto trial = try_launch({file, guess_launch(file), {}, testing::device(90)}, {});
  ASSERT_TRUE(trial.ok()) << to_string(trial.error());
  const ArgumentForm& in = argument(*trial, "in");
  ASSERT_EQ(in.behind.size(), 1u);
  EXPECT_EQ(in.behind[0].name, "in[]");
  EXPECT_TRUE(in.behind[0].fill.starts_with("random:")) << in.text();
  EXPECT_EQ(argument(*trial, "out").behind.at(0).fill, "zero");
  EXPECT_TRUE(runs_clean(file, trial->launch));
}

TEST(LaunchTrial, BuffersThatPointersLeadToGrowWithWhatIsAccessed) {
  const KernelFile file{"lists.cu", R"(
struct Row { int length; float* values; };
__global__ void clear(Row* rows) { rows[blockIdx.x % 37].values[threadIdx.x * 100] = 0; })"};
  const auto trial = try_launch({file, guess_launch(file), {}, testing::device(90)}, {});
  ASSERT_TRUE(trial.ok()) << to_string(trial.error());
  const ArgumentForm& rows = argument(*trial, "rows");
  EXPECT_GE(std::stoi(rows.count), 26);  // of the last block, 4095
  ASSERT_EQ(rows.behind.size(), 2u);
  EXPECT_EQ(rows.behind[1].name, "rows[].values");
  EXPECT_GE(std::stoi(rows.behind[1].count), 25501);
  EXPECT_NE(trial->corrections.find("rows[].values from 4,096 to "), std::string::npos)
      << trial->corrections;
  EXPECT_TRUE(runs_clean(file, trial->launch));
}

TEST(LaunchTrial, AListEnds) {
  const KernelFile file{"nodes.cu", R"(
template <typename T> struct Node { T value; Node* next; };
struct Heads { Node<float>* first[2]; int count; };
__global__ void sum(const Heads heads, float* out) {
  float sum = 0;
  for (const Node<float>* at = heads.first[threadIdx.x % 2]; at; at = at->next) sum += at->value;
  out[threadIdx.x] = sum;
})"};
  const auto trial = try_launch({file, guess_launch(file), {}, testing::device(90)}, {});
  ASSERT_TRUE(trial.ok()) << to_string(trial.error());
  EXPECT_TRUE(runs_clean(file, trial->launch));
}

TEST(LaunchTrial, AnArrayOfArraysIsABufferOfNumbers) {
  const KernelFile arrays{
      "arrays.cu", "__global__ void clear(float a[][8], float (*b)[8]) { a[0][0] = b[0][0]; }"};
  EXPECT_EQ(guess_launch(arrays).arguments[0].declared, "float*");
  EXPECT_EQ(guess_launch(arrays).arguments[1].declared, "float*");
  EXPECT_TRUE(guess_launch(arrays).arguments[0].behind.empty());
}

// What a class with virtual functions holds is not read from the text.
TEST(LaunchTrial, WhereAClassOfUnknownMembersLeadsOnlyTheHostKnows) {
  const KernelFile file{"shapes.cu", R"(
class Shape { public: __device__ virtual float at(float x) const { return next ? next->at(x) : x; } Shape* next; };
__global__ void draw(float* out, const Shape* first) { out[threadIdx.x] = first->at(threadIdx.x); })"};
  const auto trial = try_launch({file, guess_launch(file), {}, testing::device(90)}, {});
  ASSERT_FALSE(trial.ok());
  EXPECT_NE(trial.error().message.find("first holds pointers"), std::string::npos)
      << to_string(trial.error());
}

TEST(LaunchTrial, APlaneOfLargeTilesGetsFewerBlocks) {
  const LaunchTrial trial = tried(R"(
__global__ void copy(float* out, const float* in, int rows, int cols) {
  int y = (blockIdx.y * blockDim.y + threadIdx.y) * 4, x = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  for (int i = 0; i < 16; ++i) out[(y + i / 4) * cols + x + i % 4] = in[(y + i / 4) * cols + x + i % 4];
})");
  EXPECT_EQ(trial.launch.grid, "16,16");
  EXPECT_EQ(argument(trial, "out").count, std::to_string(1 << 20));
}

TEST(LaunchTrial, AnOffsetThatExceedsIsZero) {
  const LaunchTrial trial = tried(R"(
__global__ void copy(float* out, const float* in, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + first];
})");
  EXPECT_EQ(argument(trial, "first").value, "0");
  EXPECT_EQ(trial.corrections, "first from 1 to 0");
}

TEST(LaunchTrial, ContentsThatAreNoIndicesAreZero) {
  const LaunchTrial trial = tried(R"(
__global__ void count(int* bins, const unsigned char* text, int n) {
  __shared__ int own[8];
  if (threadIdx.x < 8) own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[text[i]], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
})");
  EXPECT_EQ(argument(trial, "text").fill, "zero");
  EXPECT_NE(trial.corrections.find("text from a ramp to zeros"), std::string::npos)
      << trial.corrections;
}

TEST(LaunchTrial, ATextureIsRead) {
  const LaunchTrial trial = tried(R"(
__global__ void copy(float* out, cudaTextureObject_t image, int width, int height) {
  int y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
})");
  EXPECT_EQ(argument(trial, "image").text(), "texture:f32[1024x1024]=random:2");
  EXPECT_EQ(trial.corrections, "");
}

TEST(LaunchTrial, WhatDoesNotCompileIsAnErrorWithItsLine) {
  const KernelFile file{"mine.cu", "__global__ void k(float* a) {\n  a[0] = missing;\n}"};
  const auto trial = try_launch({file, guess_launch(file), {}, testing::device(90)}, {});
  ASSERT_FALSE(trial.ok());
  EXPECT_EQ(trial.error().place.line, 2);
}

}  // namespace
}  // namespace tilescope
