// Whole programs where there is a GPU: tilescope exec measures, emulates, or does both.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/paths.h"
#include "gpu_device/device_fixture.h"
#include "kernel/compile/nvcc.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr const char* kProgram = R"(#include <cstdio>
__global__ void scale(float* data, float factor) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
int main() {
  float* data;
  cudaMallocManaged(&data, 4096);
  for (int i = 0; i < 1024; ++i) data[i] = i;
  for (int step = 0; step < 3; ++step) scale<<<8, 128>>>(data, 2.0f);
  cudaDeviceSynchronize();
  std::printf("the last one is %g\n", data[1023]);
  cudaFree(data);
}
)";

class ProgramOnDevice : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    std::ofstream(folder_ / "mine.cu") << kProgram;
  }
  // Its exit status and all that it prints.
  [[nodiscard]] std::pair<int, std::string> exec(const std::string& arguments) const {
    const auto tilescope = program_file().parent_path().parent_path() / "tilescope";
    const std::string line = fmt::format("'{}' exec {} 2>&1", tilescope.string(), arguments);
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return {-1, ""};
    std::string output;
    std::array<char, 4096> chunk{};
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe))
      output.append(chunk.data(), got);
    return {WEXITSTATUS(::pclose(pipe)), output};
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] json report() const {
    const auto text = read_file(file("report.json"), 1 << 20);
    return text ? json::parse(*text, nullptr, false) : json();
  }
  static void expect_times(const json& measured, int launches) {
    EXPECT_EQ(measured["launches"], launches);
    EXPECT_GT(measured["least_seconds"].get<double>(), 0);
    EXPECT_LT(measured["most_seconds"].get<double>(), 1e-2);
    EXPECT_GE(measured["total_seconds"].get<double>(),
              launches * measured["least_seconds"].get<double>());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ProgramOnDevice, AnyProgramIsMeasured) {
  const auto program = program_file().parent_path() / "driver_launches";
  const auto [status, output] =
      exec(fmt::format("'{}' --gpu --json -o '{}'", program.string(), file("report.json")));
  ASSERT_EQ(status, 0) << output;
  EXPECT_NE(output.find("the last one is 8"), std::string::npos) << output;
  const json found = report();
  ASSERT_EQ(found["launches"].size(), 1U) << found.dump();
  EXPECT_EQ(found["launches"][0]["kernel"], "scale");
  expect_times(found["launches"][0]["measured"], 3);
}

class CompiledOnDevice : public ProgramOnDevice {
 protected:
  void SetUp() override {
    ProgramOnDevice::SetUp();
    if (!IsSkipped() && !nvcc()) GTEST_SKIP() << "there is no nvcc, which compiles the program";
  }
};

TEST_F(CompiledOnDevice, IsMeasuredAndEmulatedInOneReport) {
  const auto [status, output] =
      exec(fmt::format("'{}' --json -o '{}'", file("mine.cu"), file("report.json")));
  ASSERT_EQ(status, 0) << output;
  const std::string line = "the last one is 8184\n";
  const std::size_t printed = output.find(line);
  ASSERT_NE(printed, std::string::npos) << output;
  EXPECT_EQ(output.find(line, printed + 1), std::string::npos) << "printed once, by the GPU's run";
  const json found = report();
  EXPECT_EQ(found["device"], device().name) << "so that modelled and measured times are of one GPU";
  ASSERT_EQ(found["launches"].size(), 1U) << found.dump();
  const json& launch = found["launches"][0];
  expect_times(launch["measured"], 3);
  EXPECT_EQ(launch["launches"], 3);
  EXPECT_TRUE(launch.contains("modelled"));
  EXPECT_EQ(found["gpu"]["exit_status"], 0);
  EXPECT_TRUE(found["gpu"]["not_emulated"].empty());
}

TEST_F(CompiledOnDevice, TellsTimesApartInItsTable) {
  const auto [status, output] = exec(fmt::format("'{}'", file("mine.cu")));
  ASSERT_EQ(status, 0) << output;
  EXPECT_NE(output.find("◇ modelled"), std::string::npos) << output;
  EXPECT_NE(output.find("● measured"), std::string::npos) << output;
}

TEST_F(CompiledOnDevice, KeepsItsLaunchesWithTheirData) {
  const auto [status, output] =
      exec(fmt::format("'{}' --save '{}'", file("mine.cu"), file("mine.tilescope")));
  ASSERT_EQ(status, 0) << output;
  EXPECT_TRUE(std::filesystem::exists(file("mine.tilescope")));
  EXPECT_EQ(std::filesystem::file_size(file("mine.tilescope.data/launch1_scale_data.bin")), 4096U);
  const auto [shown, text] = exec(fmt::format("'{}' --launch scale#2", file("mine.cu")));
  EXPECT_EQ(shown, 0) << text;
  EXPECT_NE(text.find("grid 8 x 1, block 128 x 1"), std::string::npos) << text;
}

TEST_F(CompiledOnDevice, IsOnlyEmulatedWhereThatIsAskedFor) {
  const auto [status, output] =
      exec(fmt::format("'{}' --emulate --json -o '{}'", file("mine.cu"), file("report.json")));
  ASSERT_EQ(status, 0) << output;
  EXPECT_FALSE(report().contains("gpu"));
}

}  // namespace
}  // namespace tilescope
