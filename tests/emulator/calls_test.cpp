// Recursion and calls through pointers, compiled by NVRTC as people write them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "emulator/emulate.h"
#include "kernel/compile/compile.h"

namespace tilescope {
namespace {

struct Ran {
  std::vector<int> out;
  std::vector<Finding> findings;
  bool complete = false;
};

// One block of 64 threads of k(int* out, const int* in).
Ran run_kernel(const std::string& source, const std::vector<int>& in) {
  Ran ran;
  KernelInstance instance;
  instance.id = instance.file_name = "calls.cu";
  instance.source = source;
  instance.kernel = "k";
  instance.block = {64, 1, 1};
  const auto compiled = compile({instance, 90, false}, {});
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
  if (!compiled) return ran;
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, source);
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return ran;
  EXPECT_TRUE((*program)->unsupported().empty()) << compiled->ptx;
  DeviceMemory memory;
  Launch launch;
  launch.block = {64, 1, 1};
  for (const auto& values : {std::vector<int>(64, 0), in}) {
    auto contents = std::make_shared<std::vector<std::byte>>(values.size() * 4);
    std::memcpy(contents->data(), values.data(), contents->size());
    launch.arguments.push_back(
        memory.buffers()[memory.add("m", ElementType::kI32, contents)].address);
  }
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  EXPECT_TRUE(run.ok());
  if (!run) return ran;
  ran.findings = run->findings;
  ran.complete = run->complete;
  ran.out.resize(64);
  std::memcpy(ran.out.data(), memory.buffers()[0].contents->data(), 256);
  return ran;
}

std::vector<int> numbers() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[static_cast<std::size_t>(i)] = (i * 37 + 11) % 64;
  return values;
}

void expect_clean(const Ran& ran) {
  for (const Finding& finding : ran.findings) ADD_FAILURE() << finding.message;
  EXPECT_TRUE(ran.complete);
}

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST(Calls, AFunctionCallsItself) {
  const Ran ran = run_kernel(R"(
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void k(int* out, const int* in) { out[threadIdx.x] = fibonacci(in[threadIdx.x] % 12); })",
                             numbers());
  expect_clean(ran);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], fibonacci(numbers()[i] % 12)) << i;
}

TEST(Calls, TwoFunctionsCallEachOther) {
  const Ran ran = run_kernel(R"(
__device__ __noinline__ int odd(int n, int depth);
__device__ __noinline__ int even(int n, int depth) { if (n == 0) return 1000 + depth; int r = odd(n - 1, depth + 1); return r + n; }
__device__ __noinline__ int odd(int n, int depth) { if (n == 0) return 2000 + depth; int r = even(n - 1, depth + 1); return r - n; }
extern "C" __global__ void k(int* out, const int* in) { out[threadIdx.x] = even(in[threadIdx.x], 0); })",
                             numbers());
  expect_clean(ran);
  for (std::size_t i = 0; i < 64; ++i) {
    const int n = numbers()[i];
    int want = (n % 2 == 0 ? 1000 : 2000) + n;
    for (int d = 0; d < n; ++d) want += d % 2 == 0 ? n - d : -(n - d);
    EXPECT_EQ(ran.out[i], want) << i;
  }
}

// Each depth has arrays of its own, and pointers into a caller's stay good.
TEST(Calls, RecursionHandsDownPointersIntoItsOwnFrames) {
  const Ran ran = run_kernel(R"(
__device__ __noinline__ int down(const int* above, int depth, int n) {
  int mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = above[(i + depth) & 3] + depth + i;
  if (n == 0) return mine[1] * 7 + mine[3];
  const int below = down(mine, depth + 1, n - 1);
  return below + mine[n & 3] + above[depth & 3];
}
extern "C" __global__ void k(int* out, const int* in) {
  int first[4] = {in[threadIdx.x], 2, 3, (int)threadIdx.x};
  out[threadIdx.x] = down(first, 0, in[threadIdx.x] % 9);
})",
                             numbers());
  expect_clean(ran);
  struct Host {
    static int down(const int* above, int depth, int n) {
      int mine[4];
      for (int i = 0; i < 4; ++i) mine[i] = above[(i + depth) & 3] + depth + i;
      if (n == 0) return mine[1] * 7 + mine[3];
      const int below = down(mine, depth + 1, n - 1);
      return below + mine[n & 3] + above[depth & 3];
    }
  };
  for (std::size_t i = 0; i < 64; ++i) {
    const int first[4] = {numbers()[i], 2, 3, static_cast<int>(i)};
    EXPECT_EQ(ran.out[i], Host::down(first, 0, numbers()[i] % 9)) << i;
  }
}

TEST(Calls, LanesCallDifferentFunctionsOfATable) {
  const Ran ran = run_kernel(R"(
struct Wide { int v[5]; };
__device__ __noinline__ int add(int x, Wide w) { return x + w.v[1]; }
__device__ __noinline__ int twice(int x, Wide w) { return 2 * x + w.v[2]; }
__device__ __noinline__ int less(int x, Wide w) { return x - w.v[4]; }
typedef int (*Function)(int, Wide);
__device__ Function table[3] = {add, twice, less};
extern "C" __global__ void k(int* out, const int* in) {
  Wide w;
  for (int i = 0; i < 5; ++i) w.v[i] = 100 * i + in[threadIdx.x];
  out[threadIdx.x] = table[in[threadIdx.x] % 3](in[threadIdx.x], w) * 10 + (int)(threadIdx.x & 1);
})",
                             numbers());
  expect_clean(ran);
  for (std::size_t i = 0; i < 64; ++i) {
    const int x = numbers()[i];
    const int base = x % 3 == 0 ? x + 100 + x : x % 3 == 1 ? 2 * x + 200 + x : x - 400 - x;
    EXPECT_EQ(ran.out[i], base * 10 + static_cast<int>(i & 1)) << i;
  }
}

TEST(Calls, VirtualFunctions) {
  const Ran ran = run_kernel(R"(
struct Shape { __device__ virtual int area(int x) const = 0; };
struct Square : Shape { __device__ int area(int x) const override { return x * x; } };
struct Strip : Shape { int width; __device__ int area(int x) const override { return x * width; } };
extern "C" __global__ void k(int* out, const int* in) {
  Square square; Strip strip; strip.width = 3;
  const Shape* shape = (in[threadIdx.x] & 1) ? (const Shape*)&square : (const Shape*)&strip;
  out[threadIdx.x] = shape->area(in[threadIdx.x]);
})",
                             numbers());
  expect_clean(ran);
  for (std::size_t i = 0; i < 64; ++i) {
    const int x = numbers()[i];
    EXPECT_EQ(ran.out[i], (x & 1) != 0 ? x * x : x * 3) << i;
  }
}

// A recursive function that is reached through a pointer, and calls through one.
TEST(Calls, PointersAndRecursionTogether) {
  const Ran ran = run_kernel(R"(
typedef int (*Step)(int, int);
__device__ __noinline__ int shrink(int n, int sum);
__device__ __noinline__ int half(int n, int sum);
__device__ Step steps[2] = {half, shrink};
__device__ __noinline__ int shrink(int n, int sum) { if (n <= 0) return sum; const int own = n * 3; const int r = steps[(n - 1) & 1](n - 1, sum + n); return r + own; }
__device__ __noinline__ int half(int n, int sum) { if (n <= 0) return sum; const int own = n * 5; const int r = steps[(n / 2) & 1](n / 2, sum + 1); return r - own; }
extern "C" __global__ void k(int* out, const int* in) { out[threadIdx.x] = steps[in[threadIdx.x] & 1](in[threadIdx.x], 0); })",
                             numbers());
  expect_clean(ran);
  struct Host {
    static int step(int n, int sum) { return (n & 1) != 0 ? shrink(n, sum) : half(n, sum); }
    static int shrink(int n, int sum) { return n <= 0 ? sum : step(n - 1, sum + n) + n * 3; }
    static int half(int n, int sum) { return n <= 0 ? sum : step(n / 2, sum + 1) - n * 5; }
  };
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(ran.out[i], Host::step(numbers()[i], 0)) << i;
}

TEST(Calls, TooDeepARecursionIsSaid) {
  const Ran ran = run_kernel(R"(
__device__ __noinline__ int deep(int n) { return n == 0 ? 1 : (deep(n - 1) * 5) ^ n; }
extern "C" __global__ void k(int* out, const int* in) { out[threadIdx.x] = threadIdx.x < 32 ? deep(100000000 + in[0]) : deep(2); })",
                             numbers());
  EXPECT_FALSE(ran.complete);
  ASSERT_EQ(ran.findings.size(), 1u);
  EXPECT_EQ(ran.findings[0].kind, FindingKind::kUnsupported);
  EXPECT_NE(ran.findings[0].message.find("nested deeper"), std::string::npos);
  EXPECT_EQ(ran.out[0], 0);
  EXPECT_EQ(ran.out[40], 22);
}

}  // namespace
}  // namespace tilescope
