#include <gtest/gtest.h>

#include <stop_token>

#include "gpu/kernel_module.h"
#include "kernel/compile/compile.h"

namespace tilescope {
namespace {

std::vector<std::byte> cubin_of(const std::string& source) {
  CompileRequest request;
  request.instance.id = request.instance.file_name = "k.cu";
  request.instance.source = source;
  request.instance.kernel = std::string("k");
  request.want_cubin = true;
  auto compiled = compile(request, std::stop_token());
  return compiled ? compiled->cubin : std::vector<std::byte>();
}

std::vector<std::byte> some_cubin() {
  return cubin_of("extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }");
}

TEST(CubinCheck, SeesVariablesThatOutlastALaunch) {
  const std::vector<std::byte> plain = some_cubin();
  if (plain.empty()) GTEST_SKIP() << "no NVRTC on this machine";
  EXPECT_FALSE(has_variables(plain));
  const std::string body =
      "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = atomicAdd(&count, 1); }";
  EXPECT_TRUE(has_variables(cubin_of("__device__ int count;\n" + body)));
  EXPECT_TRUE(has_variables(cubin_of("__device__ int count = 3;\n" + body)));
}

TEST(CubinCheck, PassesWhatTheCompilerMadeAndNothingShorter) {
  const std::vector<std::byte> cubin = some_cubin();
  if (cubin.empty()) GTEST_SKIP() << "no NVRTC on this machine";
  EXPECT_TRUE(is_whole_cubin(cubin));
  for (std::size_t length = 0; length + 64 < cubin.size(); length += 61) {
    EXPECT_FALSE(is_whole_cubin(std::span(cubin).first(length))) << length;
  }
}

TEST(CubinCheck, RefusesOtherFiles) {
  EXPECT_FALSE(is_whole_cubin({}));
  EXPECT_FALSE(is_whole_cubin(std::vector<std::byte>(4096, std::byte{0x7f})));
}

TEST(CubinCheck, SurvivesEveryChangedHeaderByte) {
  std::vector<std::byte> cubin = some_cubin();
  if (cubin.empty()) GTEST_SKIP() << "no NVRTC on this machine";
  int refused = 0;
  for (std::size_t at = 0; at < 64; ++at) {
    const std::byte before = cubin[at];
    cubin[at] = ~before;
    refused += is_whole_cubin(cubin) ? 0 : 1;
    cubin[at] = before;
  }
  EXPECT_GT(refused, 8);
}

}  // namespace
}  // namespace tilescope
