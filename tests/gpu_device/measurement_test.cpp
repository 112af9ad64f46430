// What the worker answers on a real GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "device_fixture.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

class Measuring : public OnDevice {
 protected:
  void expect_right(const std::string& id, const ParameterSet& changes,
                    const std::string& size) const {
    const auto result = run(catalogue_request(id, changes, size));
    ASSERT_TRUE(result.ok()) << id << " " << size << ": " << to_string(result.error());
    EXPECT_TRUE(result->correct) << id << " " << size;
    ASSERT_TRUE(result->max_error.has_value());
    EXPECT_LE(*result->max_error, result->tolerance) << id << " " << size;
    EXPECT_EQ(result->kernel.count, 3);
    EXPECT_GT(result->kernel.median_seconds, 0);
    ASSERT_TRUE(result->reference.has_value());
    EXPECT_GT(result->reference->median_seconds, 0);
  }
};

constexpr const char* kGemmText =
    "extern \"C\" __global__ void k(const float* A, const float* B, float* C, int M, int N, int K, "
    "float alpha, float beta) {\n"
    "  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "  if (row >= M || col >= N) return;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < KEND; ++k) sum += A[row * K + k] * B[k * N + col];\n"
    "  C[row * N + col] = FINAL;\n}\n";

std::string gemm_text(const std::string& end, const std::string& final_value) {
  return "#define KEND (" + end + ")\n#define FINAL (" + final_value + ")\n" + kGemmText;
}

TEST_F(Measuring, TheDeviceSaysWhatItIs) {
  EXPECT_FALSE(device().name.empty());
  EXPECT_GE(device().compute_capability, 75);
  EXPECT_GT(device().multiprocessors, 0);
  EXPECT_GT(device().max_clock_hz, 1e8);
  EXPECT_GT(device().l2_bytes, 0u);
  EXPECT_TRUE(!device().cublas.empty() || !device().cublas_problem.empty());
}

TEST_F(Measuring, EveryCatalogueKernelIsRightAtRaggedSizes) {
  for (const char* id : {"gemm/naive", "gemm/shared_tile", "gemm/register_tile"}) {
    for (const char* size : {"1x1x1", "33x65x17", "129x130x131", "256"}) expect_right(id, {}, size);
  }
  for (const char* id : {"transpose/naive", "transpose/tiled"}) {
    for (const char* size : {"1x1", "1x77", "33x65", "257x129", "512"}) expect_right(id, {}, size);
  }
}

TEST_F(Measuring, AGemmThatForgetsItsLastProductIsWrong) {
  const RunRequest good = catalogue_request("gemm/naive", {}, "64x64x256");
  const auto right = run(with_source(good, gemm_text("K", "alpha * sum")));
  ASSERT_TRUE(right.ok()) << to_string(right.error());
  EXPECT_TRUE(right->correct);
  const auto wrong = run(with_source(good, gemm_text("K - 1", "alpha * sum")));
  ASSERT_TRUE(wrong.ok()) << to_string(wrong.error());
  EXPECT_FALSE(wrong->correct);
  EXPECT_GT(*wrong->max_error, wrong->tolerance);
}

TEST_F(Measuring, WhatAKernelDoesNotWriteIsWrong) {
  const RunRequest good = catalogue_request("gemm/naive", {}, "64x64x16");
  const auto result = run(with_source(
      good,
      gemm_text("K", "alpha * sum); if (row == 5 && col == 7) C[row * N + col] = (0.0f/0.0f")));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_FALSE(result->correct);
  EXPECT_TRUE(std::isnan(*result->max_error));
  const auto nothing = run(with_source(
      good,
      "extern \"C\" __global__ void k(const float*, const float*, float*, int, int, int, float, "
      "float) {}"));
  ASSERT_TRUE(nothing.ok()) << to_string(nothing.error());
  EXPECT_FALSE(nothing->correct);
}

TEST_F(Measuring, BetaTakesCAsItWas) {
  RunRequest request = catalogue_request("gemm/naive", {}, "64x96x32");
  ASSERT_TRUE(set_factors({{"alpha", 2}, {"beta", -0.5}}, &request.instance).ok());
  for (int again = 0; again < 2; ++again) {
    const auto result = run(request);
    ASSERT_TRUE(result.ok()) << to_string(result.error());
    EXPECT_TRUE(result->correct) << *result->max_error << " " << result->tolerance;
  }
  const auto wrong = run(with_source(request, gemm_text("K", "alpha * sum")));
  ASSERT_TRUE(wrong.ok()) << to_string(wrong.error());
  EXPECT_FALSE(wrong->correct);
}

TEST_F(Measuring, AFileOfOnesOwnRunsAndIsTimedWithoutAVerdict) {
  const auto result = run(source_request(
      "extern \"C\" __global__ void k(float* p, float s) { int i = blockIdx.x * blockDim.x + "
      "threadIdx.x; p[i] = p[i] * s; }",
      {1024}, {256}, {"f32[262144]=iota", "f32:1.0"}));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_FALSE(result->max_error.has_value());
  EXPECT_FALSE(result->reference.has_value());
  EXPECT_TRUE(result->correct);
  EXPECT_GT(result->kernel.median_seconds, 0);
}

// Each thread compares what the copy brought with the element that should be there.
TEST_F(Measuring, ATensorMapIsMadeOfItsBuffer) {
  if (device().compute_capability < 90) GTEST_SKIP() << "tensor maps need an sm_90";
  const auto result = run(source_request(R"(
struct alignas(64) Map { char bytes[128]; };
extern "C" __global__ void k(const __grid_constant__ Map map) {
  __shared__ alignas(128) float box[16][32];
  __shared__ alignas(8) unsigned long long full;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&full));
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(box));
  const int x = 32 * blockIdx.x, y = 16 * blockIdx.y;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 2048;" ::"r"(bar));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(place), "l"(&map), "r"(x), "r"(y), "r"(bar));
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
               "@!p bra again; }" ::"r"(bar) : "memory");
  for (int row = 0; row < 16; ++row) {
    const bool outside = y + row >= 40;
    const float wanted = outside ? 0.0f : static_cast<float>((y + row) * 96 + x + threadIdx.x);
    if (box[row][threadIdx.x] != wanted) __trap();
  }
})",
                                         {3, 3}, {32}, {"tensormap:f32+box32x16[96x40]=iota"}));
  EXPECT_TRUE(result.ok()) << to_string(result.error());
}

TEST_F(Measuring, ColdIsSlowerThanWarmWhereAllFitsTheL2) {
  // 32 MiB: large enough that what is brought takes longer than a launch, small enough for the L2.
  RunRequest request = catalogue_request("copy/wide", {}, "2048");
  request.timing.samples = 30;
  const auto cold = run(request);
  request.timing.cold = false;
  const auto warm = run(request);
  ASSERT_TRUE(cold.ok() && warm.ok());
  EXPECT_TRUE(cold->cold);
  EXPECT_FALSE(warm->cold);
  EXPECT_LT(warm->kernel.median_seconds, cold->kernel.median_seconds);
}

TEST_F(Measuring, StopsSamplingAtItsTime) {
  RunRequest request = catalogue_request("gemm/naive", {}, "1024");
  request.timing.samples = 1'000'000;
  request.timing.max_seconds = 0.3;
  const auto result = run(request);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_GT(result->kernel.count, 10);
  EXPECT_LT(result->kernel.count, 1'000'000);
  EXPECT_EQ(static_cast<std::size_t>(result->kernel.count), result->kernel.samples.size());
}

TEST_F(Measuring, AKernelsOwnPrintfDoesNotDisturbTheAnswers) {
  const auto result = run(source_request(
      "extern \"C\" int printf(const char*, ...);\n"
      "extern \"C\" __global__ void k(int* p) { printf(\"hello %d\\n\", p[0]); p[0] = 1; }",
      {4}, {32}, {"i32[1]"}));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  expect_in_order();
}

TEST_F(Measuring, PtxTextRunsToo) {
  RunRequest request = source_request(
      "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }", {1}, {32}, {"i32[32]"});
  auto text_only = std::make_shared<CompiledKernel>(*request.compiled);
  text_only->cubin.clear();
  request.compiled = text_only;
  const auto result = run(request);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
}

TEST_F(Measuring, StopsWhenTheMedianIsKnown) {
  RunRequest request = catalogue_request("gemm/naive", {}, "1024");
  request.timing.samples = 100'000;
  request.timing.max_seconds = 20;
  request.timing.relative_error = 0.05;
  const auto result = run(request);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_LT(result->kernel.count, 1'000);
  EXPECT_LE(result->kernel.relative_error, 0.05);
}

TEST_F(Measuring, SaysWhatTheGpuWasLike) {
  const auto result = run(catalogue_request("transpose/tiled", {}, "1024"));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  ASSERT_TRUE(result->conditions.temperature_after_celsius.has_value());
  EXPECT_GT(*result->conditions.temperature_after_celsius, 10);
  EXPECT_LT(*result->conditions.temperature_after_celsius, 110);
  ASSERT_TRUE(result->other.has_value());  // cuBLAS's own transpose
  EXPECT_EQ(result->other_name, "cuBLAS Sgeam");
  EXPECT_GT(result->other->median_seconds, 0);
}

TEST_F(Measuring, ReadsTheReferencesCountersToo) {
  RunRequest request = catalogue_request("gemm/prefetch", {}, "512");
  request.counters = {"smsp__inst_executed.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                      "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio"};
  request.reference_counters = true;
  const auto result = run(request);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(result->unknown_counters, std::vector<std::string>{});
  EXPECT_EQ(result->reference_name, "cuBLAS SGEMM, FP32");
  ASSERT_EQ(result->reference_counters.size(), 3U);
  for (const auto& [name, value] : result->counters) {
    EXPECT_NE(value, result->reference_counters.at(name)) << name;  // other kernels
  }
  EXPECT_GT(result->reference_counters.at("smsp__inst_executed.sum"), 512.0 * 512 * 512 / 32 / 64);
}

TEST_F(Measuring, ReadsCountersInsteadOfTiming) {
  RunRequest request = catalogue_request("transpose/naive", {}, "1024");
  request.counters = {"smsp__inst_executed_op_global_ld.sum",
                      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "no__such_counter.sum"};
  const auto result = run(request);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(result->kernel.count, 0);
  EXPECT_EQ(result->counters.at("smsp__inst_executed_op_global_ld.sum"), 1024.0 * 1024 / 32);
  EXPECT_EQ(result->counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 1024.0 * 1024);
  EXPECT_EQ(result->unknown_counters, std::vector<std::string>{"no__such_counter.sum"});
  expect_in_order();
}

}  // namespace
}  // namespace tilescope
