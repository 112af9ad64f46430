
#include "kernel/guess/launch_guess.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/launch/launch_form.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

LaunchForm guess(const std::string& source, const std::string& kernel = "") {
  return guess_launch({"file.cu", source}, kernel);
}
std::vector<std::string> texts(const LaunchForm& form) {
  std::vector<std::string> all;
  for (const ArgumentForm& argument : form.arguments) all.push_back(argument.text());
  return all;
}
using Texts = std::vector<std::string>;

TEST(LaunchGuess, CoversALineOfElements) {
  const LaunchForm form = guess(
      "__global__ void scale(const float* __restrict__ in, float* out, int n, float by) {\n"
      "  out[threadIdx.x] = by * in[threadIdx.x];\n}\n");
  EXPECT_EQ(form.kernel, "scale");
  EXPECT_EQ(form.block, "256");
  EXPECT_EQ(form.grid, "4096");
  EXPECT_EQ(texts(form),
            (Texts{"f32[1048576]=random:1", "f32[1048576]=zero", "i32:1048576", "f32:1"}));
  EXPECT_EQ(form.arguments[0].declared, "const float*");
}

TEST(LaunchGuess, AnAliasMayStandForAnAlias) {
  EXPECT_EQ(texts(guess("typedef u_int32_t u32;\ntypedef u32 Index;\n"
                        "__global__ void k(const Index* x, Index n) {\n"
                        "  if (threadIdx.x < n) (void)x[threadIdx.x]; }\n")),
            (Texts{"u32[1048576]=ramp", "u32:1048576"}));
}

TEST(LaunchGuess, NamesAKernelByTheNamespaceThatItsDefinitionNames) {
  const LaunchForm form = guess(
      "namespace outer { namespace inner { __global__ void copy(float* x); }\n"
      "__global__ void inner::copy(float* x) { x[threadIdx.x] = 1; } }\n");
  EXPECT_EQ(form.kernel, "outer::inner::copy");
  EXPECT_EQ(texts(form), (Texts{"f32[1048576]=zero"}));
}

TEST(LaunchGuess, WhatThreadsPlacesAreComparedWithIsASize) {
  const auto grid_of = [](const std::string& condition) {
    return texts(
        guess("__global__ void k(float* x, int imax, int jmax, int by) {\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  int j = blockIdx.y * blockDim.y + threadIdx.y, above = j + 1;\n" +
              condition + " x[j * 8 + i] = by; }\n"));
  };
  const Texts both{"f32[1048576]=zero", "i32:1024", "i32:1024", "i32:1"};
  EXPECT_EQ(grid_of("if (i < imax - 1 && above < jmax)"), both);
  EXPECT_EQ(grid_of("if (i >= imax || j >= jmax) return;"), both);
  EXPECT_EQ(grid_of("int cells = imax * jmax; if (j * imax + i >= 8 || i >= cells) return;"), both);
  EXPECT_EQ(grid_of("if (i >= imax && j >= jmax)")[1], "i32:1") << "a distance, not how many";
}

TEST(LaunchGuess, GivesAPlaneToAKernelWithAY) {
  const LaunchForm form = guess(
      "__global__ void transpose(double *out, const double *in, unsigned rows, unsigned cols) {\n"
      "  int y = blockIdx.y * blockDim.y + threadIdx.y; }\n");
  EXPECT_EQ(form.block, "16,16");
  EXPECT_EQ(form.grid, "64,64");
  EXPECT_EQ(texts(form),
            (Texts{"f64[1048576]=zero", "f64[1048576]=random:2", "u32:1024", "u32:1024"}));
}

TEST(LaunchGuess, TakesTheBlockThatTheFileLaunches) {
  const std::string kernel = "template <int T> __global__ void k(int* p, int shift) {}\n";
  EXPECT_EQ(guess(kernel + "void f() { k<32><<<9, 64, 512>>>(0, 1); }").kernel, "k<32>");
  EXPECT_EQ(guess(kernel + "void f() { k<32><<<9, 64, 512>>>(0, 1); }").block, "64");
  EXPECT_EQ(guess(kernel + "void f() { k<32><<<9, 64, 512>>>(0, 1); }").dynamic_shared, "512");
  EXPECT_EQ(guess(kernel + "const int W = 8;\nvoid f() { dim3 b(W, 2 * W); k<1><<<n, b>>>(p, 1); }")
                .block,
            "W, 2*W");
  EXPECT_EQ(guess(kernel + "const int T = 8;\nvoid f() { dim3 b(T, 2 * T); k<1><<<n, b>>>(p, 1); }")
                .block,
            "8,16")
      << "T is another number in the kernel";
  EXPECT_EQ(guess(kernel + "void f(int n) { k<1><<<n, dim3(n, 4)>>>(p, 1); }").block, "256");
  EXPECT_EQ(guess(kernel).arguments[1].value, "1");
}

// A kernel alone, without the code that launches it.
TEST(LaunchGuess, TakesNoNumberOfTheLaunchForAnArgumentsName) {
  const std::string kernel =
      "#ifndef WIDE\n#define WIDE 64\n#endif\n"
      "__global__ void scale(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n";
  EXPECT_EQ(guess(kernel + "void f(float* a) { scale<<<9, WIDE>>>(a, a, 9); }").grid, "9");
  EXPECT_EQ(guess(kernel + "void f(float* a, int m) { scale<<<m, WIDE>>>(a, a, m); }").grid, "n");
}

// Numbers that say not how much there is are as the host hands them; a stride is one of these where
// elements lie in a line.
TEST(LaunchGuess, TakesTheNumbersThatTheFileHandsOver) {
  const std::string kernel =
      "__global__ void scaled(const float* x, float* y, int n, int stride, float a, int mode) {}\n";
  const auto values = [](const LaunchForm& form) {
    std::string all;
    for (const ArgumentForm& argument : form.arguments) {
      if (!argument.is_buffer) all += argument.value + " ";
    }
    return all;
  };
  const LaunchForm handed =
      guess_launch({"a.cu", kernel + "int main() { int n = 1 << 20, *p; const int kMode = 3;\n"
                                     "  scaled<<<n / 256 / 8, 256>>>(x, y, n, 8, 2.5f, kMode); }"});
  EXPECT_EQ(values(handed), "1048576 8 2.5 3 ");
  EXPECT_EQ(handed.grid, "n / 256 / 8");
  const LaunchForm guessed = guess_launch({"a.cu", kernel});
  EXPECT_EQ(values(guessed), "1048576 2 1 1 ");
  EXPECT_EQ(guessed.grid, "2048") << "the last element is one of the buffer's";
  const LaunchForm plane = guess_launch(
      {"a.cu", "__global__ void turn(float* x, int rows, int stride) { x[threadIdx.y] = 0; }"});
  EXPECT_EQ(values(plane), "1024 1024 ") << "the length of a row";
}

// What the launch names is followed through the host's code: to the last value before it, through
// casts and functions that round up, and to what the function around it is called with.
TEST(LaunchGuess, FollowsTheNamesOfALaunch) {
  const std::string kernel =
      "__global__ void scale(float* out, const float* in, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n";
  const LaunchForm wrapped =
      guess(kernel +
            "void other() { dim3 block(7); scale<<<3, unknown>>>(a, b, c); }\n"
            "void run(float* a, const float* b, int rows, int cols, const int threads) {\n"
            "  const size_t all = (size_t)rows * cols;\n"
            "  dim3 const block{static_cast<unsigned>(threads), 1U};\n"
            "  const dim3 blocks(ceil((float)all / block.x));\n"
            "  scale<<<blocks, block>>>(a, b, (int)all);\n}\n"
            "int main() { int rows = 1 << 9, cols; cols = 300; run(x, y, rows, cols, 96); }\n");
  EXPECT_EQ(wrapped.block, "96");
  EXPECT_EQ(wrapped.grid, "ceil_div(n, 96)");
  EXPECT_EQ(wrapped.arguments[2].text(), "i32:153600");

  const LaunchForm nearest = guess(
      kernel +
      "void first() { dim3 block(32, 8); int blocks = 9; }\n"
      "void second(int n) {\n  dim3 block;\n  block.x = 64;\n  int blocks = div_up(n, block.x);\n"
      "  scale<<<blocks, block>>>(a, b, n);\n}\n"
      "void third() { dim3 block(512); }\n");
  EXPECT_EQ(nearest.block, "64");
  EXPECT_EQ(nearest.grid, "ceil_div(n, 64)");

  const LaunchForm pointed = guess(
      "namespace mine { template <int W> __global__ void fill(int* p) {} }\n"
      "void run(int* p) {\n  constexpr int W = 24;\n  auto* kernel = &mine::fill<2 * W>;\n"
      "  allow(kernel, 7);\n  kernel<<<5, W>>>(p);\n}\n");
  EXPECT_EQ(pointed.kernel, "mine::fill<48>");
  EXPECT_EQ(pointed.block, "24");
  EXPECT_EQ(pointed.grid, "5");

  // A function of the kernel's name is no launch of it, and what an if rules out is none.
  const LaunchForm chosen = guess(
      "template <int T> __global__ void sum(float* out, int n) {}\n"
      "void sum(float* p, int edge) {\n"
      "  if (edge == 16) { sum<16><<<2, dim3(16, 16)>>>(p, 5); }\n"
      "  else { sum<32><<<3, dim3(edge, edge)>>>(p, 5); }\n}\n"
      "int main() { float* p; sum(p, 32); }\n");
  EXPECT_EQ(chosen.kernel, "sum<32>");
  EXPECT_EQ(chosen.block, "32,32");
  EXPECT_EQ(chosen.grid, "3");

  // Nor is one that only warms the device up.
  const LaunchForm second = guess(
      "__global__ void sum(float* out, int rows, int cols) {}\n"
      "int main() { int nx, ny; nx = ny = 1 << 8; dim3 g(nx / 32, ny / 8), b(32, 8);\n"
      "  sum<<<1, b>>>(p, 1, 1); sum<<<g, b>>>(p, nx, ny); }\n");
  EXPECT_EQ(second.grid, "rows / 32, cols / 8");
  EXPECT_EQ(second.arguments[1].value, "256");

  // The kernel's own names mean something else than the host's.
  const LaunchForm clash = guess(
      "template <int T> __global__ void fill(int* p, int n, int all) {}\n"
      "int main() { const int n = 64, T = 32; int all = 4096;\n"
      "  fill<2 * T><<<all / n, T>>>(p, 7, all); }\n");
  EXPECT_EQ(clash.kernel, "fill<64>");
  EXPECT_EQ(clash.grid, "all / 64");
  EXPECT_EQ(clash.block, "32");

  // Names that lead to themselves, and to more names each time, lead nowhere.
  EXPECT_EQ(guess(kernel + "void f(float a, int n) { n = n; a = b; b = a;\n"
                           "  scale<<<n * n, 64>>>(x, y, b); g(n * n * n * n * n, n); }\n"
                           "void g(int n, int m) { n = n * m * n * m * n * m; f(n * n, n); }\n")
                .block,
            "64");

  // A grid that nobody can read covers all with blocks whose length has a slider.
  const LaunchForm covered = guess("#define THREADS 96\n" + kernel +
                                   "void run(int n) { scale<<<plan(n), THREADS>>>(a, b, n); }\n");
  EXPECT_EQ(covered.block, "THREADS");
  EXPECT_EQ(covered.grid, "ceil_div(1048576, THREADS)");

  // A block that nobody can read is the one that is guessed, wherever it is named.
  const LaunchForm unknown =
      guess(kernel +
            "void run(int n, int width) { scale<<<(n + width - 1) / width, width>>>(a, b, "
            "n); }\n");
  EXPECT_EQ(unknown.block, "256");
  EXPECT_EQ(unknown.grid, "(n + 256 - 1) / 256");
}

// Whoever wrote the launch knows which numbers fit together and how much memory they need.
TEST(LaunchGuess, TakesALaunchWhoseNumbersAreAllWritten) {
  const std::string file =
      "__global__ void fold(float* out, const double* in, int n, int radius) {}\n"
      "int main() {\n  const int n = 5000, radius = 3;\n  double* in; float* out;\n"
      "  size_t bytes = (n + 2 * radius) * sizeof(double);\n"
      "  cudaMalloc((void**)&in, bytes);\n  CHECK(cudaMalloc(&out, n * sizeof(*out)));\n"
      "  fold<<<40, 128>>>(out, in, n, radius);\n}\n";
  const LaunchForm form = guess(file);
  EXPECT_EQ(form.grid, "40");
  EXPECT_EQ(form.block, "128");
  EXPECT_EQ(texts(form), (Texts{"f32[1048576]=zero", "f64[5006]=random:2", "i32:5000", "i32:3"}));

  // One of them is not known, or they are too many: sizes that any kernel can be seen at.
  const LaunchForm typed = guess(
      "__global__ void fold(float* out, const float* in, int n) {}\n"
      "int main(int c, char** v) { int n = atoi(v[1]); fold<<<40, 128>>>(a, b, n); }\n");
  EXPECT_EQ(typed.grid, "8192");
  EXPECT_EQ(typed.arguments[2].value, "1048576");
  EXPECT_EQ(guess("__global__ void fold(float* out, int n) {}\n"
                  "int main() { fold<<<1 << 20, 1024>>>(a, 1 << 30); }\n")
                .grid,
            "1024");
}

TEST(LaunchGuess, APitchFollowsFromTheAllocationOfItsRows) {
  const LaunchForm form = guess(
      "__global__ void fold(float* out, size_t pitch, const float* in, int rows) {}\n"
      "int main() {\n  const int n = 200, rows = 3;\n  float *in, *out;\n  size_t step;\n"
      "  cudaMallocPitch(&out, &step, n * sizeof(float), rows);\n"
      "  cudaMalloc(&in, n * sizeof(float));\n"
      "  dim3 grid(1), block(8, 4);\n  fold<<<grid, block>>>(out, step, in, rows);\n}\n");
  EXPECT_EQ(form.grid, "1");
  EXPECT_EQ(form.block, "8,4");
  EXPECT_EQ(form.arguments[1].value, "1024");
  EXPECT_EQ(form.arguments[3].value, "3");
}

// 512 MiB: an eighth of them, and of the blocks, is enough to look at.
TEST(LaunchGuess, TakesAPartOfALongLine) {
  const auto form_of = [](const std::string& grid) {
    return guess(
        "const int kEach = 16;\n"
        "__global__ void fold(float* out, const float* in, unsigned n) {}\n"
        "int main() {\n  const int n = 1 << 26;\n  float *in, *out;\n"
        "  cudaMalloc(&in, n * sizeof(float));\n  cudaMalloc(&out, n * sizeof(float));\n"
        "  fold<<<" +
        grid + ", 256>>>(out, in, n);\n}\n");
  };
  EXPECT_EQ(texts(form_of("n / 256")),
            (Texts{"f32[8388608]=zero", "f32[8388608]=random:2", "u32:8388608"}));
  EXPECT_EQ(form_of("n / 256").grid, "n / 256");
  EXPECT_EQ(form_of("262144 / kEach").grid, "2048");
  // Nothing says how much is allocated: as much as there is.
  const LaunchForm handed = guess(
      "__global__ void fold(float4* out, int n) {}\n"
      "void run(float4* p) { const int n = 1 << 25; fold<<<n / 64, 64>>>(p, n); }\n");
  EXPECT_EQ(texts(handed), (Texts{"f32[16777216]=zero", "i32:4194304"}));
  const LaunchForm sized = guess(
      "typedef double real;\nconst int N = 100000000;\nconst size_t M = sizeof(real) * N;\n"
      "__global__ void fold(real* in, real* out) {}\n"
      "int main() { real *in, *out; cudaMalloc(&in, M); fold<<<N / 128, 128>>>(in, out); }\n");
  EXPECT_EQ(sized.grid, "48828");
  EXPECT_EQ(texts(sized), (Texts{"f64[6250000]=zero", "f64[6250000]=zero"}));
}

// A batch of eight has no smaller part than one.
TEST(LaunchGuess, ALineWhoseLengthTheKernelNamesStaysWhole) {
  const LaunchForm form = guess(
      "const int N = 1 << 25;\n"
      "__global__ void k(const float* x, float* y) {\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N;\n"
      "       i += blockDim.x * gridDim.x) y[threadIdx.x] += x[i]; }\n"
      "int main() { float *x, *y; cudaMalloc(&x, N * 4); cudaMalloc(&y, 1024);\n"
      "  k<<<64, 256>>>(x, y); }");
  EXPECT_EQ(form.grid, "64");
  EXPECT_EQ(form.arguments[0].count, "33554432");
}

TEST(LaunchGuess, APartOfALongLineIsNeverEmpty) {
  const LaunchForm form = guess(
      "__global__ void losses(float* out, const float* in, int batch, int steps, int words) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < batch * steps) out[i] = in[i * words];\n}\n"
      "int main() {\n  int batch = 8, steps = 1024, words = 50000;\n  float *in, *out;\n"
      "  cudaMalloc(&in, batch * steps * words * sizeof(float));\n"
      "  cudaMalloc(&out, batch * steps * sizeof(float));\n"
      "  const int N = batch * steps;\n  losses<<<N / 256, 256>>>(out, in, batch, steps, "
      "words);\n}\n");
  EXPECT_EQ(form.arguments[2].value, "1");
  EXPECT_EQ(form.arguments[4].value, "50000");
}

// Heads of 64 features and tiles of 32 of them, all of it for a sequence of any length.
TEST(LaunchGuess, NumbersThatTheHostComputesFollowTheOthers) {
  LaunchForm form = guess(
      "__global__ void attend(const float* q, int N, int d, int tiles, int tile, float* o) {\n"
      "  extern __shared__ float rows[];\n"
      "  const float* mine = q + (blockIdx.x * gridDim.y + blockIdx.y) * N * d;\n"
      "  for (int i = 0; i < tiles; ++i)\n"
      "    for (int x = 0; x < d; ++x) rows[threadIdx.x * d + x] = mine[i * tile * d + x];\n}\n"
      "void run(Tensor q, Tensor o) {\n"
      "  const int tile = 32, heads = q.size(1), batch = q.size(0);\n"
      "  const int N = q.size(2), d = q.size(3);\n"
      "  const int tiles = ceil((float)N / tile);\n"
      "  const int bytes = 3 * tile * d * sizeof(float);\n"
      "  dim3 grid(batch, heads);\n  dim3 block(tile);\n"
      "  attend<<<grid, block, bytes>>>(q.data(), N, d, tiles, tile, o.data());\n}\n");
  const auto value = [&](std::size_t i) { return form.arguments[i].value; };
  EXPECT_EQ(value(1), "1024");
  EXPECT_EQ(value(2), "64");
  EXPECT_EQ(value(3), "32");
  EXPECT_EQ(value(4), "32");
  EXPECT_EQ(form.grid, "8, 8");
  EXPECT_EQ(form.dynamic_shared, "(3 * tile * d * 4)");
  form.arguments[1].value = "256";
  follow_others(&form);
  EXPECT_EQ(value(3), "8");
}

// A block has more elements to itself than it can have threads.
TEST(LaunchGuess, ATileMayBeLongerThanABlock) {
  const LaunchForm form = guess(
      "#define EACH 8192\n__global__ void folded(const float* in, float* sums, int n) {\n"
      "  int start = blockIdx.x * EACH;\n"
      "  for (int j = threadIdx.x; j < EACH; j += blockDim.x)\n"
      "    if (start + j < n) sums[blockIdx.x] += in[start + j];\n}\n");
  EXPECT_EQ(form.grid, "ceil_div(1048576, EACH)");
}

// What fits the buffers is taken also where the host does not tell the other numbers.
TEST(LaunchGuess, TakesTheSizesThatTheHostKnows) {
  const LaunchForm form = guess(
      "__global__ void blurred(unsigned char* out, int tile_width, int width, int height) {\n"
      "  int y = blockIdx.y; out[y * width + blockIdx.x * tile_width + threadIdx.x] = 0;\n}\n"
      "void run(unsigned char* p, int w, int h) {\n"
      "  blurred<<<dim3(w / 80, h), 32>>>(p, 80, w, h);\n}\n");
  EXPECT_EQ(form.arguments[1].value, "80");
  EXPECT_EQ(form.arguments[2].value, "1024");
}

TEST(LaunchGuess, AFilterIsSmallWhateverTheSizeIs) {
  const LaunchForm form = guess(
      "__global__ void filter(const float* in, float* out, int mask_width, int radius, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  for (int j = 0; j < mask_width; ++j) if (i + j < n) out[i] += in[i + j];\n}\n");
  EXPECT_EQ(texts(form),
            (Texts{"f32[1048576]=random:1", "f32[1048576]=zero", "i32:5", "i32:2", "i32:1048576"}));
}

TEST(LaunchGuess, TakesTheThreadsOfWhatAKernelCalls) {
  const std::string tiled =
      "template <int W> __device__ void tiled(const float* in, float* out, int n) {\n"
      "  int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * W + threadIdx.y;\n"
      "  out[y * n + x] = in[x * n + y];\n}\n";
  const LaunchForm form =
      guess(tiled +
            "extern \"C\" __global__ void by_16(const float* in, float* out, int n) {\n"
            "  tiled<16>(in, out, n);\n}\n");
  EXPECT_EQ(form.block, "16,16");
  EXPECT_EQ(form.grid, "64,64");
  EXPECT_EQ(
      guess(tiled + "__global__ void other(float* out, int n) { out[threadIdx.x] = n; }").block,
      "256");
}

TEST(LaunchGuess, ComputesWhatMacrosAndFunctionsOfTheHostGive) {
  const std::string kernel = "__global__ void k(float* x, int n) { x[threadIdx.x] = n; }\n";
  EXPECT_EQ(guess("#define LESSER(a, b) (a < b ? a : b)\n" + kernel +
                  "const int N = 4096 * 8;\nconst int T = 128;\n"
                  "const int BLOCKS = LESSER(64, (N + T - 1) / T);\n"
                  "int main() { float* x; cudaMalloc(&x, N * 4); k<<<BLOCKS, T>>>(x, N); }")
                .grid,
            "64 < ((n + T - 1) / T) ? 64 : ((n + T - 1) / T)");
  EXPECT_EQ(
      guess(kernel + "inline int blocks_for(int n, int threads = 96) {\n"
                     "  const int wanted = (n + threads - 1) / threads;\n"
                     "  return std::min(wanted, 4096);\n}\n"
                     "void run(float* x) { int n = 9600; k<<<blocks_for(n, 96), 96>>>(x, n); }")
          .grid,
      "min(((n + 96 - 1) / 96), 4096)");
  EXPECT_EQ(
      guess(kernel + "int chosen() { int n = 4096; n = asked_of(n); return n; }\n"
                     "void run(float* x) { int n = 8192; n = chosen(); k<<<32, 256>>>(x, n); }")
          .arguments[1]
          .value,
      "8192")
      << "what another function gives is not known";
}

// A variable of main is no constant of the file: what is computed of it follows what the kernel is
// handed.
TEST(LaunchGuess, AVariableOfTheHostIsNoConstant) {
  const LaunchForm form = guess(R"(
__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0; }
int main() {
  int bodies = 30000;
  const int threads = 128;
  int blocks = (bodies + threads - 1) / threads;
  k<<<blocks, threads>>>(nullptr, bodies);
})");
  EXPECT_EQ(form.grid, "(n + threads - 1) / threads");
  EXPECT_EQ(form.arguments[1].value, "30000");
}

// Whatever bounds a loop: 32 tiles of 32 rows make 1,024.
TEST(LaunchGuess, TilesOfAttentionAreSmall) {
  const LaunchForm form = guess(
      "__global__ void k(const float* q, float* o, int N, int d, int B_c, int B_r, int T_c, int "
      "T_r) {\n"
      "  for (int j = 0; j < T_c; ++j) for (int i = 0; i < B_r; ++i) o[i * B_c + j] = q[i * d + "
      "N];\n}\n");
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(form.arguments[i].value, "32") << i;
}

// Whatever it is called: it strides over the fields of a structure of arrays.
TEST(LaunchGuess, WhatTheGridIsComputedOfIsASize) {
  const LaunchForm form = guess(R"(
__global__ void k(int nelr, float* u) { int i = blockIdx.x * blockDim.x + threadIdx.x; u[i] += u[i + nelr]; }
void run(int nelr, float* u) { dim3 grid(nelr / 128), block(128); k<<<grid, block>>>(nelr, u); })");
  EXPECT_EQ(form.arguments[0].value, "1048576");
  EXPECT_EQ(form.grid, "nelr / 128");
}

// Of two kernels of one name, the one that is launched.
TEST(LaunchGuess, OfOverloadedKernelsTheLaunchedOneIsMeant) {
  const std::string kernels =
      "__global__ void scale(float* x, int n) {}\n"
      "__global__ void scale(double* x, double by, int n) {}\n";
  const LaunchForm form =
      guess(kernels + "void run(double* x, int n) { scale<<<n / 256, 256>>>(x, 2.0, n); }");
  ASSERT_EQ(form.arguments.size(), 3U);
  EXPECT_EQ(form.arguments[0].type, "f64");
  EXPECT_EQ(guess(kernels).arguments.size(), 2U);
}

TEST(LaunchGuess, ATileHasTheUsualBlocksEdge) {
  const LaunchForm form = guess(
      "__global__ void k(float* x, int n, int tileWidth, int num_tiles) {\n"
      "  for (int i = threadIdx.y; i < tileWidth; ++i) x[n * i] = num_tiles; }");
  EXPECT_EQ(form.arguments[1].value, "1024");
  EXPECT_EQ(form.arguments[2].value, "16");
}

TEST(LaunchGuess, ALineOfBlocksMayHaveTwoAxes) {
  EXPECT_EQ(guess("__global__ void k(float* x, int n) {\n"
                  "  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) x[i] = 1; }")
                .grid,
            "4096");
}

// Extents and strides fit each other.
TEST(LaunchGuess, TakesAPackedTensorAccessorApart) {
  const LaunchForm form = guess(
      "template <class scalar_t> __global__ void k(\n"
      "    torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits> in,\n"
      "    const at::PackedTensorAccessor64<int64_t, 1> places) {\n"
      "  in[blockIdx.x][threadIdx.x][0] = places[0]; }");
  EXPECT_EQ(texts(form), (Texts{"f32[1048576]=zero", "i32:64", "i32:64", "i32:64", "i32:4096",
                                "i32:64", "i32:1", "i64[1048576]=ramp", "i64:1048576", "i64:1"}));
  const auto launch = launch_text(form);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->arguments.size(), 2U);
}

TEST(LaunchGuess, AGridIsOneThatADeviceLaunches) {
  EXPECT_EQ(guess("__global__ void k(float* x, int n) {\n"
                  "  x[blockIdx.y * blockDim.y + threadIdx.y] = n; }\n"
                  "void run(float* x) { int n = 1048576; k<<<dim3(1, n), dim3(32, 1)>>>(x, n); }")
                .grid,
            "1, min(n, 65535)");
}

TEST(LaunchGuess, ReadsCallsOfTheRuntimeLibraryThatLaunch) {
  const std::string kernel =
      "template <int T> __global__ void k(const float* x, float* y, int n) { y[n] = x[T]; }\n";
  const std::string call =
      "int main() {\n"
      "  int n = 8192; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
      "  void* args[] = {&x, (void*)&y, &n};\n"
      "  dim3 grid(n / 128);\n"
      "  cudaLaunchCooperativeKernel((const void*)k<64>, grid, dim3(128), args, 512, 0);\n"
      "}\n";
  const LaunchForm form = guess(kernel + call);
  EXPECT_EQ(form.kernel, "k<64>");
  EXPECT_EQ(form.block, "128");
  EXPECT_EQ(form.grid, "n / 128");
  EXPECT_EQ(form.dynamic_shared, "512");
  EXPECT_EQ(texts(form), (Texts{"f32[8192]=random:1", "f32[8192]=zero", "i32:8192"}));
  const LaunchForm with_config = guess(kernel +
                                       "void run(const float* x, float* y) {\n"
                                       "  const int n = 4096;\n"
                                       "  cudaLaunchConfig_t config = {};\n"
                                       "  config.gridDim = dim3(n / 96);\n"
                                       "  config.blockDim = 96;\n"
                                       "  config.dynamicSmemBytes = 2 * 96;\n"
                                       "  auto chosen = k<32>;\n"
                                       "  cudaLaunchKernelEx(&config, chosen, x, y, n);\n"
                                       "}\n");
  EXPECT_EQ(with_config.kernel, "k<32>");
  EXPECT_EQ(with_config.block, "96");
  EXPECT_EQ(with_config.grid, "n / 96");
  EXPECT_EQ(with_config.dynamic_shared, "192");
  EXPECT_EQ(with_config.arguments[2].value, "4096");
}

TEST(LaunchGuess, CapitalsAreExtents) {
  const LaunchForm form = guess(
      "__global__ void norm(float* out, const float* in, int B, int T, int C) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < B * T) out[i * C] = in[i * C];\n"
      "}\nvoid run(float* a, float* b, int B, int T, int C) {\n"
      "  const int N = B * T;\n  norm<<<N / 64, 64>>>(a, b, B, T, C);\n}\n");
  EXPECT_EQ(form.grid, "(B * T) / 64");
  EXPECT_EQ(form.arguments[2].value, "4");
  EXPECT_EQ(form.arguments[3].value, "256");
  EXPECT_EQ(form.arguments[4].value, "1024");
}

TEST(LaunchGuess, ReadsADim3ThatTheCallerHands) {
  const LaunchForm form = guess(
      "__global__ void fold(float* out, int width) {}\n"
      "void run(float* out, dim3 extent, dim3 block) {\n"
      "  fold<<<extent.x / block.x, block>>>(out, extent.x);\n}\n"
      "int main() { float* out; cudaMalloc(&out, 4096); run(out, dim3(640, 8), dim3(32)); }\n");
  EXPECT_EQ(form.block, "32");
  EXPECT_EQ(form.grid, "640 / 32");
  EXPECT_EQ(form.arguments[1].value, "640");
}

TEST(LaunchGuess, AKernelWithoutNumbersIsLaunchedAsItIsWritten) {
  EXPECT_EQ(guess("__global__ void hello() {}\nint main() { hello<<<2, 10>>>(); }").grid, "2");
  EXPECT_EQ(guess("__global__ void hello() {}\nint main() { hello<<<2, 10>>>(); }").block, "10");
}

// A header of kernels has its launch in a file that includes it.
TEST(LaunchGuess, ReadsTheLaunchOfAFileNearby) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "kernels");
  const std::string path = (folder.path() / "kernels" / "tiled.cuh").string();
  const std::string kernel =
      "template <const int TILE, typename T> __global__ void tiled(int n, T* p) {}\n";
  std::ofstream(path) << kernel;
  std::ofstream(folder.path() / "a.cu") << "void tiled();\n";
  std::ofstream(folder.path() / "b.cu") << kernel << "void f() { tiled<7, int><<<1, 7>>>(n, p); }";
  std::ofstream(folder.path() / "run.cu")
      << "#include \"kernels/tiled.cuh\"\nvoid run(int n, double* p) {\n"
         "  const uint TILE = 48;\n  tiled<TILE, double><<<CEIL_DIV(n, TILE), TILE * 2>>>(n, p);\n"
         "}\n";
  const LaunchForm form = guess_launch({path, kernel});
  EXPECT_EQ(form.kernel, "tiled<48, double>");
  EXPECT_EQ(form.block, "96");
  EXPECT_EQ(form.grid, "ceil_div(n, 48)");
  EXPECT_EQ(guess_launch({"elsewhere.cuh", kernel}).block, "256");
}

TEST(LaunchGuess, GivesAnArrayOfStructuresAsManyElementsAsOneOfNumbers) {
  const LaunchForm form = guess_launch(
      {"a.cu",
       "struct Particle { float x, y, z, vx, vy, vz, m, q; };\n"
       "__global__ void step(Particle* p, const float4* q, const double2* d, float* f, int n) {}"});
  ASSERT_EQ(form.arguments.size(), 5u);
  EXPECT_EQ(form.arguments[0].text(), "f32[8388608]=zero");
  EXPECT_EQ(form.arguments[1].text(), "f32[4194304]=random:2");
  EXPECT_EQ(form.arguments[2].text(), "f64[2097152]=random:3");
  EXPECT_EQ(form.arguments[3].text(), "f32[1048576]=zero");
  EXPECT_EQ(form.arguments[4].value, "1048576");
}

TEST(LaunchGuess, ReadsTheBlockThatTheKernelIsWrittenFor) {
  const auto block_of = [](const std::string& body, const std::string& before = "") {
    return guess(before + "\n__global__ void k(float* p, int n) {\n" + body + "\n}\n").block;
  };
  EXPECT_EQ(block_of("int i = blockIdx.x * 128 + threadIdx.x;"), "128");
  EXPECT_EQ(block_of("int i = threadIdx.x + 64 * blockIdx.x;"), "64");
  EXPECT_EQ(block_of("const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x;\n"
                     "int c = bx * T + tx, r = blockIdx.y * 8 + ty;",
                     "#define T 32"),
            "T, 8");
  EXPECT_EQ(block_of("for (int i = threadIdx.x; i < n; i += 128) p[i] = 0;"), "128");
  EXPECT_EQ(block_of("__shared__ float s[64]; s[threadIdx.x] = p[0];"), "64");
  EXPECT_EQ(block_of("int c = blockIdx.x * T + threadIdx.x, r = blockIdx.y * T + threadIdx.y;\n"
                     "for (int j = 0; j < T; j += 8) p[(r + j) * n + c] = 0;",
                     "#define T 32"),
            "T, 8");
  EXPECT_EQ(guess("__global__ void k(float* p, int n) {\n"
                  "int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;\n"
                  "for (int j = 0; j < 32; j += 8) p[(r + j) * n + c] = 0; }\n")
                .grid,
            "32,32");
  EXPECT_EQ(block_of("int i = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y;"), "128");
  EXPECT_EQ(block_of("p[blockIdx.y * n + threadIdx.x] = 0;"), "256");
  // Nothing that says it.
  for (const char* body :
       {"int i = blockIdx.x * blockDim.x + threadIdx.x;", "int i = blockIdx.x * n + threadIdx.x;",
        "int i = blockIdx.x * 128 + threadIdx.x * 4;",
        "int i = 3 * blockIdx.x * 128 + threadIdx.x;", "int i = blockIdx.x * 4096 + threadIdx.x;",
        "__shared__ float s[64]; s[threadIdx.x / 32] = 0;",
        "__shared__ float s[64][33]; s[threadIdx.x][0] = 0;",
        "for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = 0;"}) {
    EXPECT_EQ(block_of(body), "256") << body;
  }
  EXPECT_EQ(guess("__global__ void __launch_bounds__(64) k(float* p) {\n"
                  "  p[blockIdx.x * 128 + threadIdx.x] = 0; }\n")
                .block,
            "64");
}

TEST(LaunchGuess, TheBoundsOfAKernelDecideItsBlock) {
  const auto of_ptx = [](const std::string& bounds, const std::string& body = "") {
    return guess_launch({"k.ptx",
                         ".version 9.0\n.target sm_90\n.visible .entry k(\n"
                         "\t.param .u64 k_param_0\n)\n" +
                             bounds + "\n{\n" + body + "\tret;\n}\n"},
                        "");
  };
  EXPECT_EQ(of_ptx("").block, "256");
  EXPECT_EQ(of_ptx(".reqntid 96").block, "96");
  EXPECT_EQ(of_ptx(".reqntid 8, 4, 2").block, "8,4,2");
  EXPECT_EQ(of_ptx(".maxntid 128, 1, 1\n.minnctapersm 2").block, "128");
  EXPECT_EQ(of_ptx(".maxntid 16, 8, 1").block, "16,8");
  EXPECT_EQ(of_ptx(".maxntid 64", "\t.reg .b32 %r<2>;\n\tmov.u32 %r1, %tid.y;\n").block, "8,8");
  EXPECT_EQ(of_ptx(".maxntid 1024, 1, 1\n.reqntid 32, 1, 1").block, "32");
  EXPECT_EQ(of_ptx(".explicitcluster\n.reqnctapercluster 3, 2, 1").grid, "4098, 2");

  const auto of_cuda = [](const std::string& head, const std::string& host = "") {
    return guess(head + " k(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n" + host);
  };
  EXPECT_EQ(of_cuda("__global__ void __launch_bounds__(128, 2)").block, "128");
  EXPECT_EQ(
      of_cuda("__global__ void __launch_bounds__(128)", "void f(float* p) { k<<<8, 64>>>(p); }")
          .block,
      "64");
  EXPECT_EQ(
      of_cuda("__global__ void __launch_bounds__(128)", "void f(float* p) { k<<<8, 512>>>(p); }")
          .block,
      "128");
  EXPECT_EQ(of_cuda("__global__ void __block_size__((32, 4, 1))").block, "32,4");
  EXPECT_EQ(of_cuda("__global__ void __cluster_dims__(8, 1, 1)").grid, "4096");
  EXPECT_EQ(of_cuda("__global__ void __cluster_dims__(1, 2, 1)").grid, "4096, 2");
  EXPECT_EQ(guess("template <int T> __global__ void __launch_bounds__(T) k(float* p) {}\n"
                  "void f(float* p) { k<64><<<8, n>>>(p); }")
                .block,
            "64");
}

// A tile of C whose threads are a line, as many write it.
TEST(LaunchGuess, ReadsATileThatALineOfThreadsTakesApart) {
  const auto form = [](const char* numbers, const char* arguments, const char* body) {
    return guess(std::string("template <") + numbers +
                     "> __global__ void k(int M, int N, int K, const float* A, float* C) {\n" +
                     body + "}\n",
                 std::string("k<") + arguments + ">");
  };
  const LaunchForm coalesced = form("const uint B", "32",
                                    "const uint r = blockIdx.x * B + (threadIdx.x / B);\n"
                                    "const uint c = blockIdx.y * B + (threadIdx.x % B);\n");
  EXPECT_EQ(coalesced.kernel, "k<32>");
  EXPECT_EQ(coalesced.block, "B * B");
  EXPECT_EQ(coalesced.grid, "ceil_div(1024, B), ceil_div(1024, B)");
  const LaunchForm shared = form("int B", "16",
                                 "const uint r = blockIdx.x; const uint c = blockIdx.y;\n"
                                 "int x = threadIdx.x % B, y = threadIdx.x / B;\n"
                                 "A += r * B * K; C += r * B * N + c * B;\n");
  EXPECT_EQ(shared.block, "B * B");
  EXPECT_EQ(shared.grid, "ceil_div(1024, B), ceil_div(1024, B)");
  const LaunchForm line = form("int BM, int BN, int BK", "64, 32, 8",
                               "const uint r = blockIdx.y; const uint c = blockIdx.x;\n"
                               "A += r * BM * K; C += r * BM * N + c * BN;\n"
                               "assert(BM * BK == blockDim.x);\n");
  EXPECT_EQ(line.block, "BM*BK");
  EXPECT_EQ(line.grid, "ceil_div(1024, BN), ceil_div(1024, BM)");
  const LaunchForm plane = form("int BM, int BN, int TM", "128, 64, 8",
                                "const uint results = BM * BN;\n"
                                "const uint threads = results / (TM * TM);\n"
                                "assert(blockDim.x == threads);\n"
                                "C += blockIdx.y * BM * N + blockIdx.x * BN;\n");
  EXPECT_EQ(plane.block, "128") << "a number of its own cannot be set";
  EXPECT_EQ(plane.grid, "ceil_div(1024, BN),ceil_div(1024, BM)");
  // Lanes of a warp are no tile.
  EXPECT_EQ(guess("__global__ void k(float* p, int n) {\n"
                  "int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; }\n")
                .block,
            "256");
}

TEST(LaunchGuess, GivesEachBlockItsRow) {
  for (const char* body : {"const float* row = in + blockIdx.x * n;",
                           "int row = blockIdx.x; float a = in[row * n + threadIdx.x];"}) {
    const LaunchForm form =
        guess(std::string("__global__ void k(const float* in, float* out, int n) {") + body + "}");
    EXPECT_EQ(form.grid, "1024") << body;
    EXPECT_EQ(form.arguments[2].value, "1024") << body;
  }
  const LaunchForm form =
      guess("__global__ void k(const float* in, int n) { float a = in[blockIdx.x * n * 64]; }");
  EXPECT_EQ(form.grid, "16");
}

TEST(LaunchGuess, KeepsToLaunchBounds) {
  EXPECT_EQ(guess("#define W 4\n__global__ void __launch_bounds__(W * 32, 2) k(float* p) {}").block,
            "128");
  EXPECT_EQ(
      guess("__global__ __launch_bounds__(1024) void k(float* p) { p[threadIdx.y] = 0; }").block,
      "32,32");
}

TEST(LaunchGuess, GivesEachThreadAnElementOfDynamicShared) {
  EXPECT_EQ(
      guess("__global__ void k(float* p) { extern __shared__ double cache[]; }").dynamic_shared,
      "2048");
}

TEST(LaunchGuess, SaysWhatItCannotMake) {
  const LaunchForm form =
      guess("struct P { int a : 3; };\n__global__ void k(P options, float4* p) {}");
  EXPECT_EQ(form.arguments[1].text(), "f32[4194304]=zero");
  const auto launch = launch_text(form);
  ASSERT_FALSE(launch.ok());
  EXPECT_NE(launch.error().message.find("options is a P"), std::string::npos);
}

TEST(LaunchGuess, ReadsAnEntryOfPtx) {
  const LaunchForm form =
      guess_launch({"k.ptx",
                    ".version 8.0\n.target sm_80\n.visible .entry scale(\n"
                    "  .param .u64 scale_param_0,\n  .param .u32 scale_param_1,\n"
                    "  .param .f32 scale_param_2\n)\n.maxntid 128, 1, 1\n{\n"
                    "  ret;\n}\n"});
  EXPECT_EQ(form.kernel, "scale");
  EXPECT_EQ(form.block, "128");
  EXPECT_EQ(texts(form), (Texts{"f32[1048576]=zero", "i32:1", "f32:1"}));
}

LaunchForm guess_entry(const std::string& parameters, const std::string& body) {
  return guess_launch(
      {"k.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(" + parameters +
                    ")\n{\n\t.reg .pred %p<4>;\n\t.reg .f32 %f<9>;\n\t.reg .b32 %r<10>;\n"
                    "\t.reg .f64 %fd<9>;\n\t.reg .b64 %rd<9>;\n" +
                    body + "\tret;\n}\n"});
}

// Its parameters' names say nothing: what the kernel does with them does.
TEST(LaunchGuess, ReadsFromPtxHowMuchThereIsAndWhatIsRead) {
  const LaunchForm form = guess_entry(
      ".param .u32 k_param_0, .param .f32 k_param_1, .param .u64 k_param_2, .param .u64 k_param_3",
      "\tld.param.u32 \t%r2, [k_param_0];\n"
      "\tld.param.f32 \t%f1, [k_param_1];\n\tld.param.u64 \t%rd1, [k_param_2];\n"
      "\tld.param.u64 \t%rd2, [k_param_3];\n\t.loc\t1 2 3\n\tmov.u32 \t%r3, %ctaid.x;\n"
      "\tmov.u32 \t%r5, %tid.x;\n\tmad.lo.s32 \t%r1, %r3, 256, %r5;\n"
      "\tsetp.ge.s32 \t%p1, %r1, %r2;\n\t@%p1 bra \t$L__BB0_2;\n"
      "\tcvta.to.global.u64 \t%rd3, %rd2;  // y\n\tcvta.to.global.u64 \t%rd4, %rd1;\n"
      "\tmul.wide.s32 \t%rd5, %r1, 8;\n\tadd.s64 \t%rd6, %rd5, %rd4;\n"
      "\tld.global.nc.f64 \t%fd2, [%rd6];\n\tadd.s64 \t%rd7, %rd3, %rd5;\n"
      "\tst.global.f32 \t[%rd7+4], %f3;\n$L__BB0_2:\n");
  EXPECT_EQ(texts(form),
            (Texts{"i32:1048576", "f32:1", "f64[1048576]=random:3", "f32[1048576]=zero"}));
  EXPECT_EQ(form.grid, "4096");
  EXPECT_EQ(form.arguments[2].name, "param_2");
}

// Loads that name bits, copies, and stores of what came through shared memory.
TEST(LaunchGuess, ReadsFromPtxWhatBitsAre) {
  const std::string parameters =
      ".param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2";
  const std::string loads =
      "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
      "ld.param.u64 %rd3, [k_param_2];\n";
  EXPECT_EQ(texts(guess_entry(parameters,
                              loads + "ld.global.v2.b32 {%r1, %r2}, [%rd1];\n"
                                      "selp.b32 %r3, %r1, %r2, %p1;\nadd.rn.bf16x2 %r4, %r3, %r3;\n"
                                      "ld.global.b32 %r5, [%rd2];\nadd.f32 %r6, %r5, %r5;\n"
                                      "st.global.v2.b32 [%rd3], {%r4, %r4};\n")),
            (Texts{"bf16[1048576]=random:1", "f32[1048576]=random:2", "bf16[1048576]=zero"}));
  EXPECT_EQ(texts(guess_entry(
                parameters,
                loads + "cp.async.cg.shared.global [%r1], [%rd1], 16;\n"
                        "cp.async.cg.shared.global [%r1], [%rd2], 16;\n"
                        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                        "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};\n"
                        "cvt.rn.f16x2.f32 %r7, %f1, %f2;\nst.shared.b32 [%r8], %r7;\n"
                        "ld.shared.b32 %r9, [%r8];\nst.global.b32 [%rd3], %r9;\n")),
            (Texts{"f16[1048576]=random:1", "f16[1048576]=random:2", "f16[1048576]=zero"}));
}

TEST(LaunchGuess, TakesANumberOf64BitsForNoPointer) {
  const LaunchForm form =
      guess_entry(".param .u64 k_param_0, .param .u64 k_param_1, .param .u64 k_param_2",
                  "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n"
                  "ld.param.u64 %rd8, [k_param_2];\ncvt.u64.u32 %rd3, %r1;\n"
                  "setp.le.u64 %p1, %rd2, %rd3;\nsetp.eq.s64 %p2, %rd1, 0;\n"
                  "mad.lo.s64 %rd5, %rd2, %rd3, %rd1;\natom.global.add.u32 %r9, [%rd1], 1;\n");
  // A pointer may be compared with null, and one that nothing is done with stays one.
  EXPECT_EQ(texts(form), (Texts{"i32[1048576]=zero", "i64:1048576", "f32[1048576]=zero"}));
}

TEST(LaunchGuess, ReadsTheHeadersOfTheProject) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "include");
  std::ofstream(folder.path() / "include/sizes.h")
      << "#pragma once\n#define LANES 96\nstruct Pair { float* values; int count; };\n";
  const std::string path = (folder.path() / "user.cu").string();
  const std::string source =
      "#include \"sizes.h\"\n__global__ void __launch_bounds__(LANES) k(Pair pair) {}\n";
  std::ofstream(path) << source;
  const LaunchForm form = guess_launch({path, source});
  EXPECT_EQ(form.block, "96");
  ASSERT_EQ(form.arguments.size(), 2U);
  EXPECT_EQ(form.arguments[1].name, "pair.count");
}

TEST(LaunchGuess, ReadsWhatTheIncludingFileHasBeforeThisOne) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "kernels");
  std::ofstream(folder.path() / "program.cu")
      << "using real = double;\n#ifdef A\n#include \"kernels/piece.cuh\"\n#endif\n"
         "using real = float;\nint main() { k<<<8, 64>>>(0, 5); }\n";
  const std::string path = (folder.path() / "kernels/piece.cuh").string();
  const std::string source = "__global__ void k(real* values, real by) {}\n";
  std::ofstream(path) << source;
  const LaunchForm form = guess_launch({path, source});
  EXPECT_EQ(form.block, "64");
  ASSERT_EQ(form.arguments.size(), 2U);
  EXPECT_EQ(form.arguments[0].type, "f64");
}

TEST(LaunchGuess, TakesForASizeWhatBoundsAndIsMultiplied) {
  const LaunchForm form = guess(
      "__global__ void k(float* out, int q, int taps, int w2) {\n"
      "  for (int i = 0; i < taps; ++i) out[i * q] = out[w2 * i];\n"
      "  if (threadIdx.x >= q) out[0] = 1;\n}\n");
  EXPECT_EQ(form.arguments[1].value, std::to_string(1 << 20));
  EXPECT_EQ(form.arguments[2].value, "1") << "a loop alone";
  EXPECT_EQ(form.arguments[3].value, "1") << "a product alone";
}

TEST(LaunchGuess, LeavesOutWhatAnIfdefLeavesOut) {
  const std::string kernel =
      "#ifdef WIDE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
      "__global__ void k(real by) {}\n";
  EXPECT_EQ(guess(kernel).arguments[0].type, "f32");
  EXPECT_EQ(guess("#define WIDE\n" + kernel).arguments[0].type, "f64");
}

TEST(LaunchGuess, GivesATextureToWhatReadsIt) {
  const auto of = [](const std::string& read, const std::string& host = "") {
    return guess("__global__ void k(float* out, cudaTextureObject_t image) {\n  out[0] = " + read +
                 ";\n}\n" + host)
        .arguments[1]
        .text();
  };
  EXPECT_EQ(of("tex2D<float>(image, 0.5f, 0.5f)"), "texture:f32[1024x1024]=random:2");
  EXPECT_EQ(of("tex2D<uchar4>(image, 0.5f, 0.5f).x"), "texture:u8x4[1024x1024]=random:2");
  EXPECT_EQ(of("tex1Dfetch<float4>(image, 3).y"), "texture:f32x4+fetch[1048576]=random:2");
  EXPECT_EQ(of("tex3D<float>(image, 1, 2, 3)"), "texture:f32[128x128x64]=random:2");
  EXPECT_EQ(of("tex2D<float>(image, 0, 0)",
               "void f() { cudaTextureDesc d; d.filterMode = cudaFilterModeLinear;\n"
               "  d.normalizedCoords = true; }\n"),
            "texture:f32+linear+normalised[1024x1024]=random:2");
  EXPECT_EQ(guess("__global__ void k(cudaSurfaceObject_t to) {\n"
                  "  surf2Dwrite(make_uchar4(1, 2, 3, 4), to, 4 * sizeof(uchar4), 0);\n}\n")
                .arguments[0]
                .text(),
            "surface:u8x4[1024x1024]=zero");
}

TEST(LaunchGuess, GivesPtxABlockForEachRowOfAStride) {
  const std::string begin =
      ".version 8.4\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 p_0, .param .u32 p_1, .param .align 8 .b8 p_2[16])\n{\n"
      "\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<8>;\n\tld.param.u64 %rd1, [p_0];\n"
      "\tld.param.u32 %r1, [p_1];\n\tld.param.u64 %rd2, [p_2];\n\tld.param.u32 %r4, [p_2+8];\n"
      "\tcvta.to.global.u64 %rd3, %rd2;\n\tmov.u32 %r2, %ctaid.x;\n";
  const LaunchForm rows =
      guess_launch({"k.ptx", begin + "\tmul.lo.s32 %r3, %r2, %r1;\n\tret;\n}\n"});
  EXPECT_EQ(rows.grid, "1024");
  ASSERT_EQ(rows.arguments.size(), 4U);
  EXPECT_EQ(rows.arguments[1].value, "1024");
  EXPECT_TRUE(rows.arguments[2].is_buffer) << "the pointer of a structure";
  EXPECT_EQ(rows.arguments[3].member, (StructureMember{2, 8, 16}));
  const LaunchForm none = guess_launch({"k.ptx", begin + "\tadd.s32 %r3, %r2, %r1;\n\tret;\n}\n"});
  EXPECT_EQ(none.grid, "4096");
  EXPECT_EQ(none.arguments[1].value, "1");
}

TEST(LaunchGuess, TakesTheFirstValueOfALoopsCounter) {
  const LaunchForm form = guess(
      "__global__ void eliminate(double* m, int row, int n) { m[threadIdx.x] = row; }\n"
      "int main() {\n"
      "  int n; std::cin >> n;\n"
      "  double* dev; cudaMalloc(&dev, n * (n + 1) * sizeof(double));\n"
      "  for (int row = 0; row < n; ++row) eliminate<<<(n + 127) / 128, 128>>>(dev, row, n);\n"
      "}\n");
  EXPECT_EQ(texts(form), (Texts{"f64[1049600]=zero", "i32:0", "i32:1024"}));
}

TEST(LaunchGuess, BuffersAreAsLargeAsTheHostAllocatesThemForTheSizes) {
  const LaunchForm form = guess(
      "__global__ void grey(const unsigned char* rgb, unsigned char* out, int w, int h) {\n"
      "  int y = threadIdx.y; out[y * w] = rgb[3 * y * w]; }\n"
      "void run(Image image) {\n"
      "  unsigned char *a, *b; int w = image.read(), h = image.read();\n"
      "  cudaMalloc(&a, 3 * w * h); cudaMalloc(&b, w * h);\n"
      "  grey<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);\n"
      "}\n");
  ASSERT_EQ(form.arguments.size(), 4U);
  EXPECT_EQ(form.arguments[0].count, "3145728");
  EXPECT_EQ(form.arguments[1].count, "1048576");
}

TEST(LaunchGuess, AMemberOfTheHostsThatTheGridIsComputedOfIsASize) {
  const LaunchForm form = guess(
      "__global__ void step(float* x, float dt, int pairs) { x[threadIdx.x] += dt; }\n"
      "void run(World* world, float* x) {\n"
      "  step<<<(world->pairs + 127) / 128, 128>>>(x, 0.5f, world->pairs);\n}\n");
  ASSERT_EQ(form.arguments.size(), 3U);
  EXPECT_EQ(form.arguments[2].value, "1048576");
}

TEST(LaunchGuess, ComplexNumbersOfCudasLibrariesAreTwoNumbers) {
  const LaunchForm form = guess(
      "#include <cuComplex.h>\n"
      "__global__ void scale(cuComplex by, cuDoubleComplex* x, int n) { x[n].x *= by.x; }\n");
  EXPECT_EQ(texts(form), (Texts{"f32:1", "f32:1", "f64[2097152]=zero", "i32:1048576"}));
}

// As many elements as before, however many axes share them.
TEST(LaunchGuess, SizesThatAreMultipliedShareTheElements) {
  const auto size = [](const std::string& source) { return guess(source).arguments[1].value; };
  const std::string begin = "__global__ void k(float* p, int N, int C, int H, int W) {\n";
  EXPECT_EQ(size(begin + "  int all = N * C * H * W; if (threadIdx.x < all) p[0] = 1; }\n"), "32");
  EXPECT_EQ(size(begin + "  p[((N * C + threadIdx.x) * H + 1) * W] = 1; }\n"), "32");
  EXPECT_EQ(size(begin + "  p[(threadIdx.x * H + 1) * W] = 1; }\n"), "1024");
  EXPECT_EQ(size("__global__ void k(float* p, int n) { p[n * n - 1] = 1; }\n"), "1024");
  EXPECT_EQ(size("__global__ void k(float* p, int n) { int m = n / 2; p[m] = 1; }\n"), "1048576");
  // What only the host multiplies counts, too.
  EXPECT_EQ(size("__global__ void k(float* p, int n) { p[n - 1] = 1; }\n"
                 "void run(float* p, int m) { k<<<(m * m + 255) / 256, 256>>>(p, m); }\n"),
            "1024");
}

TEST(LaunchGuess, AKernelWithAZHasAVolumeOrLayers) {
  const LaunchForm volume = guess(
      "__global__ void k(float* p, int nx, int ny, int nz) {\n"
      "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  int z = blockIdx.z * blockDim.z + threadIdx.z;\n  p[(z * ny + y) * nx] = 1; }\n");
  EXPECT_EQ(volume.grid, "4,4,64");
  EXPECT_EQ(volume.arguments[3].value, "64");
  const LaunchForm layers = guess(
      "__global__ void k(float* p, int width, int height) {\n"
      "  p[(blockIdx.z * height + threadIdx.y + blockIdx.y) * width] = 1; }\n");
  EXPECT_EQ(layers.grid, "64,64,4");
}

TEST(LaunchGuess, TheAxesOfAVectorOfSizesAreSizes) {
  const LaunchForm form = guess(
      "__global__ void k(float* p, int3 dims, int3 seed) {\n"
      "  p[(blockIdx.z * dims.y + threadIdx.y + blockIdx.y + threadIdx.z) * dims.x] = dims.z; }\n");
  EXPECT_EQ(texts(form),
            (Texts{"f32[1048576]=zero", "i32:64", "i32:64", "i32:64", "i32:1", "i32:1", "i32:1"}));
}

// The host's names for a block that is not known, and for what it asks an object.
TEST(LaunchGuess, AGridFollowsNamesOfTheHost) {
  const std::string kernel =
      "__global__ void k(float* p, int n) { p[blockIdx.y * n + threadIdx.y] = 1; }\n";
  EXPECT_EQ(guess(kernel + "void run(float* p, int n, int edge) {\n"
                           "  dim3 block(edge, edge);\n  int blocks = (n + edge - 1) / edge;\n"
                           "  k<<<dim3(blocks, blocks), block>>>(p, n);\n}\n")
                .grid,
            "(n + 16 - 1) / 16, (n + 16 - 1) / 16");
  EXPECT_EQ(guess(kernel + "void run(Image& image, float* p) {\n"
                           "  dim3 grid(image.width() / 8, image.width() / 4);\n"
                           "  k<<<grid, dim3(8, 4)>>>(p, image.width());\n}\n")
                .grid,
            "n / 8, n / 4");
}

TEST(LaunchGuess, ConstantsThatTheHostFillsHaveASize) {
  const std::string source =
      "__constant__ int width_c, seed;\n__constant__ float factors[9];\n"
      "__global__ void k(float* p) {\n"
      "  if (threadIdx.y < width_c) p[blockIdx.y] = factors[0]; }\n";
  const LaunchForm form = guess(source);
  EXPECT_EQ(form.parameters, (ParameterSet{{"width_c", 1024}}));
  const auto launched = launch_file({"file.cu", source}, *launch_text(form));
  ASSERT_TRUE(launched.ok());
  EXPECT_NE(launched->source.find("int width_c = 1024, seed;"), std::string::npos)
      << launched->source;
}

TEST(LaunchGuess, KeepsFieldsWhoseParametersStay) {
  LaunchForm form = guess("__global__ void k(float* p, int n) {}");
  form.grid = "7";
  form.arguments[1].value = "99";
  const LaunchForm now =
      follow_signature(form, {"file.cu", "__global__ void k(float* p, int m, int n) {}"});
  EXPECT_EQ(now.grid, "7");
  EXPECT_EQ(texts(now), (Texts{"f32[1048576]=zero", "i32:1024", "i32:99"}));
  EXPECT_EQ(follow_signature(form, {"file.cu", "__global__ void k(float* p,"}).grid, "7");
}

TEST(LaunchGuess, SurvivesWhatIsNoKernel) {
  for (const char* source : {"", "(", "__global__", "__global__ void", "__global__ void k(",
                             "__global__ void k(<<<>>>){", "#define", "__launch_bounds__(",
                             "__global__ void k(int a[) { extern __shared__ }", "k<<<"}) {
    (void)guess(source);
    (void)guess_launch({"k.ptx", std::string(".entry ") + source}, "k");
  }
  for (const char* rest :
       {"(.param .u64 k_)\n{", "(.param .u64 k_){ld.param.u64 %rd1, [k_];}", "(.param)",
        "(.param .u32 n,)\n{\nld.param.u32 %r1, [n];\nsetp.lt.u32 %p, %r1"}) {
    (void)guess_launch({"k.ptx", std::string(".entry k") + rest}, "k");
  }
}

}  // namespace
}  // namespace tilescope
