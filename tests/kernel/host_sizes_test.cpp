// Sizes that host code says in other words than a number: containers, structures, what a program
// takes where it is given no arguments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/guess/launch_guess.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {
namespace {

using Texts = std::vector<std::string>;

LaunchForm guess(const std::string& source) { return guess_launch({"file.cu", source}); }
Texts texts(const LaunchForm& form) {
  Texts all;
  for (const ArgumentForm& argument : form.arguments) all.push_back(argument.text());
  return all;
}

const std::string kCopy =
    "__global__ void copy(const float* in, float* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i];\n}\n";

TEST(HostSizes, AreThoseOfContainers) {
  const LaunchForm form = guess(kCopy +
                                "void launch(const std::vector<float>& host) {\n"
                                "  float *a, *b;\n"
                                "  cudaMalloc(&a, host.size() * sizeof(float));\n"
                                "  cudaMalloc(&b, sizeof(float) * host.size());\n"
                                "  int n = host.size();\n"
                                "  copy<<<(n + 127) / 128, 128>>>(a, b, n);\n}\n"
                                "int main() { const int w = 30; std::vector<float> v(w * 100);\n"
                                "  launch(v); }\n");
  EXPECT_EQ(texts(form), (Texts{"f32[3000]=random:1", "f32[3000]=zero", "i32:3000"}));
  EXPECT_EQ(form.block, "128");
  EXPECT_TRUE(form.is_written);
}

TEST(HostSizes, AreThoseOfThrustsVectors) {
  const LaunchForm form = guess(kCopy +
                                "int main() { int n = 500;\n"
                                "  thrust::device_vector<float> a(n), b(2 * n);\n"
                                "  copy<<<4, 128>>>(thrust::raw_pointer_cast(a.data()),\n"
                                "                   b.data().get(), n); }\n");
  EXPECT_EQ(texts(form), (Texts{"f32[500]=random:1", "f32[1000]=zero", "i32:500"}));
}

TEST(HostSizes, FollowAResizedVectorAndAnArray) {
  const std::string rest =
      "  float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
      "  copy<<<1, 256>>>(a, b, n); }\n";
  EXPECT_EQ(
      guess(kCopy + "int main() { std::vector<float> v; v.resize(200); int n = v.size();\n" + rest)
          .arguments[2]
          .value,
      "200");
  EXPECT_EQ(guess(kCopy + "int main() { std::array<float, 240> v; int n = v.size();\n" + rest)
                .arguments[2]
                .value,
            "240");
}

TEST(HostSizes, AreThoseOfAProgramWithoutArguments) {
  const LaunchForm form = guess(kCopy +
                                "int main(int argc, char** argv) {\n"
                                "  int n = argc > 1 ? atoi(argv[1]) : 5000;\n"
                                "  float *a, *b;\n"
                                "  cudaMalloc(&a, n * sizeof(float));\n"
                                "  cudaMalloc(&b, n * sizeof(float));\n"
                                "  copy<<<(n + 255) / 256, 256>>>(a, b, n); }\n");
  EXPECT_EQ(texts(form), (Texts{"f32[5000]=random:1", "f32[5000]=zero", "i32:5000"}));
}

TEST(HostSizes, AreThoseOfArrays) {
  const LaunchForm form = guess("#define N 300\n" + kCopy +
                                "int main() {\n"
                                "  const int rows = 2;\n"
                                "  unsigned char other[4];\n"
                                "  float first[rows][N], second[N / 3];\n"
                                "  float *a, *b;\n"
                                "  cudaMalloc(&a, sizeof(first));\n"
                                "  cudaMalloc(&b, sizeof second);\n"
                                "  cudaMemcpy(a, first, sizeof(first), cudaMemcpyHostToDevice);\n"
                                "  copy<<<1, 128>>>(a, b, sizeof(other)); }\n");
  EXPECT_EQ(texts(form), (Texts{"f32[600]=random:1", "f32[100]=zero", "i32:4"}));
}

// A kernel that goes on where its threads end is launched with as many as the file says.
TEST(HostSizes, AGridOfNumbersStandsWhereTheKernelStridesByIt) {
  const std::string stride =
      "__global__ void sum(const float* in, float* out, int n) {\n"
      "  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)\n"
      "    atomicAdd(out, in[i]);\n}\n"
      "void launch(float* in, float* out, int n) { sum<<<64, 256>>>(in, out, n); }\n";
  EXPECT_EQ(guess(stride).grid, "64");
  EXPECT_EQ(
      guess(kCopy + "void f(float* a, float* b, int n) { copy<<<64, 256>>>(a, b, n); }\n").grid,
      "4096");
}

TEST(HostSizes, AreThoseThatAreWrittenIntoStructures) {
  const std::string kernel =
      "struct Vec { float x, y, z; };\n"
      "struct Matrix { int rows, cols, stride; float* cells; };\n"
      "struct Settings { Vec shift; float scale; int count; };\n"
      "__global__ void move(Matrix m, Vec* points, Settings s) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < s.count) points[i].x += m.cells[m.stride] * s.shift.y;\n}\n";
  const LaunchForm form = guess(kernel +
                                "int main() { const int n = 700;\n"
                                "  Matrix m; m.rows = m.cols = m.stride = 3;\n"
                                "  cudaMalloc((void**)&m.cells, 9 * sizeof(float));\n"
                                "  Vec* p; cudaMalloc(&p, n * sizeof(Vec));\n"
                                "  Settings s{{1, 2.5f, 3}, 4.0f, n};\n"
                                "  move<<<(n + 127) / 128, 128>>>(m, p, s); }\n");
  EXPECT_EQ(texts(form), (Texts{"i32:3", "i32:3", "i32:3", "f32[9]=zero", "f32[2100]=zero", "f32:1",
                                "f32:2.5", "f32:3", "f32:4", "i32:700"}));
  EXPECT_TRUE(form.is_written);
}

TEST(HostSizes, AreThoseOfTheAllocationBeforeTheLaunch) {
  const LaunchForm form = guess(kCopy +
                                "int main() {\n"
                                "  auto small = [&] { float* a; float* b; cudaMalloc(&a, 400);\n"
                                "    cudaMalloc(&b, 400); other(a, b); };\n"
                                "  auto large = [&] { float* a; float* b; cudaMalloc(&a, 4000);\n"
                                "    cudaMalloc(&b, 8000); copy<<<4, 256>>>(a, b, 1000); };\n"
                                "  small(); large(); }\n");
  EXPECT_EQ(texts(form), (Texts{"f32[1000]=random:1", "f32[2000]=zero", "i32:1000"}));
}

TEST(HostSizes, ALaunchOfOneThreadStaysOne) {
  const std::string walk = "__global__ void walk(int* data, int left, int right) {}\n";
  EXPECT_EQ(guess(walk + "void run(int* d) { walk<<<1, 1>>>(d, 0, last(d)); }").grid, "1");
  EXPECT_NE(guess(walk + "void run(int* d) { walk<<<1, 64>>>(d, 0, last(d)); }").grid, "1");
}

TEST(HostSizes, OfAKernelThatLaunchesItselfAreTheHosts) {
  const LaunchForm form = guess(
      "__global__ void halve(float* x, int n, int depth) {\n"
      "  if (depth < 4) halve<<<1, 32>>>(x, n / 2, depth + 1);\n}\n"
      "void run() { float* x; cudaMalloc(&x, 4000); halve<<<4, 256>>>(x, 1000, 3); }\n");
  EXPECT_EQ(form.block, "256");
  EXPECT_EQ(texts(form), (Texts{"f32[1000]=zero", "i32:1000", "i32:3"}));
}

TEST(HostSizes, AxesMayBeWrittenInOneGo) {
  const LaunchForm form = guess(kCopy +
                                "#define EDGE 128\n"
                                "int main() { float *a, *b; int n = 1000; dim3 grid, block;\n"
                                "  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
                                "  block.x = EDGE; block.y = block.z = 1;\n"
                                "  grid.x = (n + EDGE - 1) / EDGE; grid.y = grid.z = 1;\n"
                                "  copy<<<grid, block>>>(a, b, n); }\n");
  EXPECT_EQ(form.block, "128");
  EXPECT_EQ(texts(form), (Texts{"f32[1000]=random:1", "f32[1000]=zero", "i32:1000"}));
  EXPECT_EQ(form.grid.find(','), std::string::npos) << form.grid;
  EXPECT_TRUE(form.is_written);
}

// What a variable holds counts where the launch stands, not where it is declared.
TEST(HostSizes, AnExtentIsWhatWasAssignedLast) {
  const LaunchForm form = guess(kCopy +
                                "int main() { float *a, *b; int n = 1000; dim3 threads(16, 16);\n"
                                "  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
                                "  dim3 blocks = dim3(4, 4); other<<<blocks, threads>>>(a);\n"
                                "  threads = 64; blocks = (n + 63) / 64;\n"
                                "  copy<<<blocks, threads>>>(a, b, n); }\n");
  EXPECT_EQ(form.block, "64");
  EXPECT_EQ(form.grid, "(n + 63) / 64");
  EXPECT_TRUE(form.is_written);
}

TEST(HostSizes, ExtentsOfAnotherFunctionAreNotTaken) {
  const LaunchForm form = guess(kCopy +
                                "void first() { dim3 threads(16, 16); }\n"
                                "void run(float* a, float* b, int n) { int threads = 128;\n"
                                "  copy<<<n / threads, threads>>>(a, b, n); }\n");
  EXPECT_EQ(form.block, "128");
}

// Of rows of which nobody says how many there are, as many as a block can have.
TEST(HostSizes, AGuessedSizeShrinksUntilSharedMemoryFits) {
  const LaunchForm form = guess(
      "__global__ void attend(float* out, int num_heads, int rows) {\n"
      "  extern __shared__ float keys[]; out[threadIdx.x] = keys[num_heads * rows]; }\n"
      "void run(float* out, int num_heads, int rows) {\n"
      "  size_t keys = 64 * rows * sizeof(float), scores = num_heads * rows * sizeof(float);\n"
      "  attend<<<8, 128, keys + scores>>>(out, num_heads, rows); }\n");
  EXPECT_NE(form.dynamic_shared.find("rows"), std::string::npos) << form.dynamic_shared;
  const int heads = std::stoi(form.arguments[1].value);
  const int rows = std::stoi(form.arguments[2].value);
  EXPECT_LE((64 + heads) * rows * 4, 227 << 10);
  EXPECT_GE(rows, 256);
}

TEST(HostSizes, AGuessedSizeFitsItsType) {
  const LaunchForm form = guess(
      "__global__ void pack(short* out, unsigned short width, unsigned short n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = width; }\n");
  for (const ArgumentForm& argument : form.arguments) {
    if (argument.is_buffer) continue;
    EXPECT_LE(std::stoi(argument.value), 65535) << argument.name;
  }
}

// A count that stands for nothing yet, as -1, is no size.
TEST(HostSizes, ANegativeNumberIsNotHandedToAnUnsignedOne) {
  const LaunchForm form = guess(
      "__global__ void fill(float* a, size_t m, size_t n) {\n"
      "  size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < m * n) a[i] = 1; }\n"
      "void run(float* a) { int m = -1; int n = -1; read(&m, &n); fill<<<8, 32>>>(a, m, n); }\n");
  EXPECT_EQ(form.arguments[1].value.find('-'), std::string::npos) << form.arguments[1].value;
  EXPECT_EQ(form.arguments[2].value.find('-'), std::string::npos) << form.arguments[2].value;
}

// The kernel's n is a part of the host's.
TEST(HostSizes, ANumberThatIsAPartOfItsNamesakeIsNoPartOfItself) {
  const LaunchForm form = guess(kCopy +
                                "void run(float* a, float* b, size_t n) {\n"
                                "  size_t part = n / 16 + (more(n) ? 1 : 0);\n"
                                "  copy<<<(part + 63) / 64, 64>>>(a, b, part); }\n");
  EXPECT_EQ(form.arguments[2].follows, "");
}

}  // namespace
}  // namespace tilescope
