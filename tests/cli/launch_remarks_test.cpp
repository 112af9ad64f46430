#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

std::vector<std::string> remarks_of(const std::string& source, const std::string& options) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("kernel.cu", source);
  const ProgramRun run = run_tilescope("trace --json '" + file.string() + "' " + options);
  EXPECT_EQ(run.status, 0) << run.errors;
  const auto document = nlohmann::json::parse(run.output, nullptr, false);
  return document.value("remarks", std::vector<std::string>{});
}

constexpr const char* kSquare = R"(__global__ void square(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = n * n;
  if (i < total && i < 128)
    out[i] = in[i] * in[i];
}
)";
constexpr const char* kSquareLaunch =
    "--grid 2 --block 64 --arg f32[128]=iota f32[128]=zero --arg i32:";

TEST(LaunchRemarks, NameTheStoresThatNoThreadComesTo) {
  const auto wrapped = remarks_of(kSquare, std::string(kSquareLaunch) + "65536");
  ASSERT_EQ(wrapped.size(), 1u);
  EXPECT_NE(wrapped[0].find("no thread comes to line 5"), std::string::npos) << wrapped[0];
  EXPECT_TRUE(remarks_of(kSquare, std::string(kSquareLaunch) + "16").empty());
}

// Its results leave by the copy engine; the store that no thread comes to is for a debugger.
TEST(LaunchRemarks, KnowThatABulkCopyWrites) {
  EXPECT_TRUE(remarks_of(R"(__global__ void doubled(float* out, const float* in, int debug) {
  __shared__ alignas(16) float tile[256];
  const int first = blockIdx.x * 256;
  tile[threadIdx.x] = 2.0f * in[first + threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
                 ::"l"(out + first), "r"(from) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  if (debug != 0) out[first] = 0;
}
)",
                         "--grid 4 --block 256 --arg f32[1024]=zero f32[1024]=iota i32:0")
                  .empty());
}

constexpr const char* kScale = R"(__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2.0f;
}
)";

TEST(LaunchRemarks, CountTheThreadsThatHaveNoWork) {
  const std::string arguments = " --block 64 --arg f32[128]=iota f32[128]=zero i32:128";
  const auto idle = remarks_of(kScale, "--grid 16" + arguments);
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_NE(idle[0].find("At least 768 of the 1,024 threads have no work"), std::string::npos)
      << idle[0];
  EXPECT_TRUE(remarks_of(kScale, "--grid 3" + arguments).empty());
}

constexpr const char* kHistory = R"(__global__ void history(const int* at, float* out) {
  float held[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) held[i] = i * 0.5f;
  for (int i = 0; i < 4; ++i)
    held[INDEX & 15] += 1.0f;
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 16; ++i) sum += held[i] * (i + 1);
  out[threadIdx.x] = sum;
}
)";
constexpr const char* kHistoryLaunch =
    "--grid 1 --block 32 --arg i32[128]=iota f32[32]=zero -D INDEX=";

TEST(LaunchRemarks, NameTheLineThatIndexesALocalArray) {
  const auto indexed = remarks_of(kHistory, std::string(kHistoryLaunch) + "'at[threadIdx.x*4+i]'");
  ASSERT_EQ(indexed.size(), 1u);
  EXPECT_NE(indexed[0].find("run time alone (line 6)"), std::string::npos) << indexed[0];
  EXPECT_TRUE(remarks_of(kHistory, std::string(kHistoryLaunch) + "i").empty());
}

}  // namespace
}  // namespace tilescope
