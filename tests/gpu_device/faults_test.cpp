// Kernels that go wrong on a real GPU: each is reported within its deadline with what it did, and
// the next kernel runs.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "device_fixture.h"

namespace tilescope {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

class Faults : public OnDevice {
 protected:
  // The run fails within `seconds` with these words, and the worker is in order afterwards.
  void expect_reported(const RunRequest& request, const std::string& words, double seconds) const {
    const auto start = steady_clock::now();
    const auto result = run(request);
    EXPECT_LT(duration<double>(steady_clock::now() - start).count(), seconds);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kKernel);
    EXPECT_TRUE(result.error().message.starts_with("test.cu")) << result.error().message;
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
    expect_in_order();
  }
};

TEST_F(Faults, AnEndlessLoopIsStoppedAtItsDeadline) {
  RunRequest request = source_request(
      "extern \"C\" __global__ void k(volatile int* p) { while (p[0] == 0) p[1] = p[1] + 1; }", {1},
      {1}, {"i32[2]=zero"});
  request.timing.deadline_seconds = 2;
  expect_reported(request, "did not finish within 2 s: it was stopped", 3);
}

TEST_F(Faults, AWriteFarOutsideIsAnIllegalAddress) {
  expect_reported(source_request("extern \"C\" __global__ void k(int* p) { p[1LL << 40] = 1; }",
                                 {1}, {1}, {"i32[64]"}),
                  "illegal address", 5);
}

TEST_F(Faults, AWriteJustBehindTheEndIsFound) {
  expect_reported(
      source_request("extern \"C\" __global__ void k(int* p, int n) { int i = blockIdx.x * "
                     "blockDim.x + threadIdx.x; if (i <= n) p[i] = i; }",
                     {2}, {64}, {"i32[100]", "i32:100"}),
      "writes outside arg0, 0 bytes after its end", 5);
}

TEST_F(Faults, AWriteJustBeforeTheStartIsFound) {
  expect_reported(source_request("extern \"C\" __global__ void k(int* p) { p[-1] = 1; }", {1}, {1},
                                 {"i32[64]"}),
                  "writes outside arg0, 1 bytes before its start", 5);
}

TEST_F(Faults, AMisalignedAccessIsNamed) {
  expect_reported(
      source_request("extern \"C\" __global__ void k(char* p) { *(volatile int*)(p + 1) = 1; }",
                     {1}, {1}, {"i8[64]"}),
      "misaligned address", 5);
}

TEST_F(Faults, ATrapIsNamed) {
  expect_reported(
      source_request("extern \"C\" __global__ void k(int* p) { if (p[0] == 0) __trap(); }", {1},
                     {1}, {"i32[1]=zero"}),
      "the kernel ", 5);
}

TEST_F(Faults, TooManyArgumentsAreRefusedWithoutHarm) {
  const auto result = run(source_request("extern \"C\" __global__ void k(int* p) { p[0] = 1; }",
                                         {1}, {1}, {"i32[1]", "i32:5"}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "test.cu takes 1 argument, not 2");
  expect_in_order();
}

TEST_F(Faults, TooFewArgumentsAreRefusedWithoutHarm) {
  const auto result =
      run(source_request("extern \"C\" __global__ void k(int* p, long long n) { p[0] = (int)n; }",
                         {1}, {1}, {"i32[1]"}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "test.cu takes 2 arguments, not 1");
}

TEST_F(Faults, AnArgumentOfAnotherSizeIsRefused) {
  RunRequest request =
      source_request("extern \"C\" __global__ void k(int* p, long long n) { p[0] = (int)n; }", {1},
                     {1}, {"i32[1]", "i64:5"});
  request.instance.arguments[1].type = ElementType::kI32;
  const auto result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message,
            "test.cu: argument 2 has 4 bytes, the kernel's parameter has 8");
}

TEST_F(Faults, TooMuchSharedMemoryIsRefusedWithTheLimit) {
  RunRequest request = source_request(
      "extern \"C\" __global__ void k(int* p) { extern __shared__ int s[]; s[0] = 1; p[0] = s[0]; "
      "}",
      {1}, {1}, {"i32[1]"});
  request.instance.dynamic_shared_bytes = 1 << 20;
  const auto result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("dynamic shared memory"), std::string::npos);
  expect_in_order();
}

TEST_F(Faults, DamagedCodeIsRefused) {
  RunRequest request =
      source_request("extern \"C\" __global__ void k(int* p) { p[0] = 1; }", {1}, {1}, {"i32[1]"});
  auto damaged = std::make_shared<CompiledKernel>(*request.compiled);
  damaged->cubin.resize(damaged->cubin.size() / 2);
  request.compiled = damaged;
  const auto result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().message.starts_with("cannot load test.cu")) << result.error().message;
  expect_in_order();
}

TEST_F(Faults, AskingForMoreMemoryThanThereIsSaysSo) {
  const auto result = run(source_request("extern \"C\" __global__ void k(float* p) { p[0] = 1; }",
                                         {1}, {1}, {"f32[1]"}));
  EXPECT_TRUE(result.ok());
  RunRequest request = source_request("extern \"C\" __global__ void k(float* p) { p[0] = 1; }", {1},
                                      {1}, {"f32[1]"});
  request.instance.arguments[0].written = true;  // poisoned, not filled: no host memory either
  request.instance.problem = Problem();
  request.instance.arguments[0].buffer.count = std::uint64_t{1} << 37;
  const auto refused = run(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kMachine);
  EXPECT_NE(refused.error().message.find("memory is full"), std::string::npos)
      << refused.error().message;
  expect_in_order();
}

}  // namespace
}  // namespace tilescope
