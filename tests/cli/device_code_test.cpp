// Cubins, fat binaries and programs as input of trace.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "kernel/compile/assemble.h"
#include "kernel/compile/compile.h"
#include "kernel/compile/nvcc.h"
#include "program.h"

namespace tilescope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kSource = R"(struct Shift { float by; int times[3]; };
__constant__ float weight[4];
__global__ void other(int* x) { x[threadIdx.x] += 1; }
extern "C" __global__ void shifted(const float* in, float* out, int n, Shift shift) {
  __shared__ float row[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  row[threadIdx.x * 2] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (i < n) out[i * 2] = row[threadIdx.x * 2] * weight[i % 4] + shift.by * shift.times[1];
}
int main() { shifted<<<1, 1>>>(nullptr, nullptr, 0, Shift{}); }
)";
constexpr const char* kLaunch =
    " --kernel shifted --grid 4 --block 128 --arg f32[512]=iota --arg f32[1024]=zero --arg i32:512 "
    "--arg '{f32:1.5, i32:1, i32:2, i32:3}' --json";

class DeviceCode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!disassembler()) GTEST_SKIP() << "there is no nvdisasm";
    folder_ = fs::temp_directory_path() / ("tilescope-device-code-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(file("shifted.cu")) << kSource;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  // A cubin of kSource by NVRTC.
  [[nodiscard]] bool write_cubin(const std::string& name, int compute_capability) const {
    CompileRequest request;
    request.instance.file_name = "shifted.cu";
    request.instance.source = kSource;
    request.instance.kernel = "shifted";
    request.compute_capability = compute_capability;
    request.want_cubin = true;
    const auto compiled = compile(request, {});
    if (!compiled) return false;
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(compiled->cubin.data()),
               static_cast<std::streamsize>(compiled->cubin.size()));
    return true;
  }
  [[nodiscard]] bool make(const std::string& options, const std::string& name) const {
    const std::string command = nvcc()->string() + " " + options + " -o " + file(name) + " " +
                                file("shifted.cu") + " > /dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  }
  [[nodiscard]] ProgramRun trace(const std::string& name, const std::string& more = "") const {
    return run_tilescope("trace " + file(name) + kLaunch + more);
  }
  static json metrics(const ProgramRun& run) {
    EXPECT_EQ(run.status, 0) << run.errors;
    const json document = json::parse(run.output, nullptr, false);
    return document.is_discarded() ? json() : document["metrics"];
  }

  fs::path folder_;
};

// The same counters and the same results as from the source that it was made of.
TEST_F(DeviceCode, ACubinAloneIsExecuted) {
  for (const int capability : {80, 90, 100}) {
    const std::string architecture = "sm_" + std::to_string(capability);
    if (!write_cubin("shifted.cubin", capability)) continue;
    const json of_cubin = metrics(trace("shifted.cubin", " --out 1=" + file("a")));
    const json of_source =
        metrics(trace("shifted.cu", " --arch " + architecture + " --out 1=" + file("b")));
    EXPECT_EQ(of_cubin, of_source) << architecture;
    std::ifstream a(file("a")), b(file("b"));
    const std::string bytes{std::istreambuf_iterator<char>(a), {}};
    EXPECT_EQ(bytes.size(), 4096U);
    EXPECT_EQ(bytes, std::string(std::istreambuf_iterator<char>(b), {})) << architecture;
  }
}

TEST_F(DeviceCode, ACubinOfAnotherArchitectureIsShownForThat) {
  ASSERT_TRUE(write_cubin("shifted.cubin", 80));
  const ProgramRun run = trace("shifted.cubin");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find("machine code for sm_80"), std::string::npos) << run.errors;
}

TEST_F(DeviceCode, PtxInsideIsPreferred) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const std::string both = "-gencode arch=compute_80,code=[compute_80,sm_80] ";
  const json of_source = metrics(trace("shifted.cu", " --as-written --arch sm_80"));
  for (const auto& [options, name] :
       {std::pair("-fatbin ", "a.fatbin"), {"-c ", "a.o"}, {"", "program"}}) {
    ASSERT_TRUE(make(both + options, name)) << name;
    EXPECT_EQ(metrics(trace(name, " --as-written --arch sm_80")), of_source) << name;
  }
}

TEST_F(DeviceCode, WhatHasNoneIsAMistakeOfTheCommandLine) {
  for (const std::string program : {"/bin/sh"}) {
    const ProgramRun run = run_tilescope("trace " + program);
    EXPECT_EQ(run.status, 1) << run.errors;
    EXPECT_NE(run.errors.find("no device code"), std::string::npos) << run.errors;
  }
}

TEST_F(DeviceCode, AnArchitectureThatIsTooOldIsTold) {
  ASSERT_TRUE(write_cubin("old.cubin", 80));
  std::fstream cubin(file("old.cubin"), std::ios::in | std::ios::out | std::ios::binary);
  cubin.seekp(48);  // e_flags of an ELF file of 64 bits
  const char flags[] = {70, 70, 0, 0};
  cubin.write(flags, sizeof flags);
  cubin.close();
  const ProgramRun run = trace("old.cubin");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("the cubin is for sm_70"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace tilescope
