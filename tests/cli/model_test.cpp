#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(ModelCheck, ComparesModelledWithMeasuredTimes) {
  const ProgramRun run =
      run_tilescope("model check --kernel copy/plain --kernel gemm/naive --points 2 --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const json found = json::parse(run.output);
  EXPECT_EQ(found["gpu"], "NVIDIA H200");
  ASSERT_EQ(found["kernels"].size(), 5U);  // two of kernels, two of families, all
  ASSERT_EQ(found["points"].size(), 4U);
  EXPECT_EQ(found["kernels"][4]["kernel"], "all");
  EXPECT_EQ(found["kernels"][4]["points"], 4);
  double sum = 0;
  for (const json& point : found["points"]) {
    const double measured = point["measured_seconds"];
    const double modelled = point["modelled_seconds"];
    EXPECT_GT(modelled, 0.1 * measured);
    EXPECT_LT(modelled, 10 * measured);
    sum += std::abs(modelled / measured - 1);
  }
  EXPECT_NEAR(found["kernels"][4]["mean_error"].get<double>(), sum / 4, 1e-9);
}

TEST(ModelCheck, PrintsATable) {
  const ProgramRun run = run_tilescope("model check --kernel copy/plain --points 1");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("cold runs of NVIDIA H200"), std::string::npos);
  EXPECT_NE(run.output.find("\ncopy/plain "), std::string::npos);
  EXPECT_NE(run.output.find("\nall "), std::string::npos);
}

TEST(ModelCheck, GivesWhatEachPointIsComputedFrom) {
  const ProgramRun run = run_tilescope("model check --kernel copy/plain --points 2 --features");
  ASSERT_EQ(run.status, 0) << run.errors;
  std::istringstream lines(run.output);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json point = json::parse(line);
    EXPECT_GT(point["work"]["issued"].get<double>(), 0);
    EXPECT_GT(point["bounds"]["seconds"]["DRAM bandwidth"].get<double>(), 0);
  }
  EXPECT_EQ(count, 2);
}

TEST(ModelRange, IsGivenWhereTheDataDecidesWhichAtomicsMeet) {
  const ProgramRun run = run_tilescope("trace histogram/global_atomics --sample --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const json modelled = json::parse(run.output)["modelled"];
  const double seconds = modelled["seconds"];
  EXPECT_LT(modelled["range"]["least_seconds"].get<double>(), 0.7 * seconds);
  EXPECT_GT(modelled["range"]["most_seconds"].get<double>(), 1.4 * seconds);
  EXPECT_FALSE(
      json::parse(run_tilescope("trace copy/wide --sample --json").output)["modelled"].contains(
          "range"));
  const ProgramRun ada = run_tilescope("trace copy/wide --sample --arch sm_89");
  EXPECT_NE(ada.output.find("as nothing was measured on this architecture"), std::string::npos)
      << ada.output;
}

// Runs with a worker that only pretends to have a GPU, and with a data folder of the test's own.
class Calibration : public ::testing::Test {
 protected:
  void SetUp() override {
    worker_ = fs::read_symlink("/proc/self/exe").parent_path() / "tests_gpu";
    if (!fs::exists(worker_)) GTEST_SKIP() << "tests_gpu, which serves as the worker, is not built";
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("TILESCOPE_WORKER");
  }
  [[nodiscard]] ProgramRun calibrate(const std::string& worker, const std::string& options = "",
                                     const std::string& before = "") {
    const std::string command = "'" + worker_.string() + "' --fake-worker " + worker;
    ::setenv("TILESCOPE_WORKER", command.c_str(), 1);
    return run_tilescope("model calibrate " + options, before);
  }
  [[nodiscard]] fs::path kept() const {
    return folder_.path() / "tilescope/gpus/NVIDIA_H100_80GB_HBM3.json";
  }
  [[nodiscard]] bool nothing_is_kept() const {
    const fs::path gpus = folder_.path() / "tilescope/gpus";
    return !fs::exists(gpus) || fs::is_empty(gpus);
  }

 private:
  testing::TemporaryFolder folder_;
  fs::path worker_;
};

// The worker takes the times of an H100 that is as the model has it.
TEST_F(Calibration, FindsTheRatesThatTheGpuHas) {
  const ProgramRun run = calibrate("measures_h100", "--json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const json device = json::parse(run.output)["devices"][0];
  EXPECT_EQ(device["name"], "NVIDIA H100 80GB HBM3");
  EXPECT_NEAR(device["boost_clock_hz"].get<double>(), 1.98e9, 1e6);
  const json& rates = device["measured"];
  const auto is_near = [&](const char* name, double expected) {
    EXPECT_NEAR(rates[name].get<double>() / expected, 1, 0.01) << name;
  };
  is_near("launch_seconds", 3.17e-6);
  is_near("block_start_clocks", 1.2);
  is_near("warp_start_clocks", 5.6);
  is_near("barrier_clocks", 14);
  is_near("barrier_warp_clocks", 2);
  is_near("shared_latency", 29);
  is_near("l1_latency", 40.3);
  is_near("l2_latency", 311);
  is_near("dram_latency", 690);
  is_near("l2_sectors", 0.964);
  is_near("dram_bytes_per_second", 2.7e12);
  is_near("atomic_address_clocks", 1.46);
  is_near("tensor_flop", 2460);
  EXPECT_TRUE(fs::exists(kept()));
}

TEST_F(Calibration, IsUsedByEveryModelledTimeFromThenOn) {
  const std::string trace = "trace copy/wide --size 4096x4096 --sample";
  const ProgramRun before = run_tilescope(trace + " --json");
  ASSERT_EQ(before.status, 0) << before.errors;
  EXPECT_EQ(json::parse(before.output)["modelled"]["device"], "NVIDIA H200");
  const ProgramRun run = calibrate("measures_h100");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("DRAM, read and written"), std::string::npos);
  EXPECT_NE(run.output.find("2,700 GB/s"), std::string::npos) << run.output;
  const ProgramRun after = run_tilescope(trace + " --json");
  ASSERT_EQ(after.status, 0) << after.errors;
  const json modelled = json::parse(after.output)["modelled"];
  EXPECT_EQ(modelled["device"], "NVIDIA H100 80GB HBM3");
  EXPECT_FALSE(modelled["calibrated"].get<std::string>().empty());
  // Bound by the DRAM: an H200 copies 0.88 of 4.8 TB/s.
  const double ratio = modelled["seconds"].get<double>() /
                       json::parse(before.output)["modelled"]["seconds"].get<double>();
  EXPECT_GT(ratio, 1.3);
  EXPECT_LT(ratio, 0.88 * 4.8 / 2.7 + 0.05);
  EXPECT_NE(run_tilescope(trace).output.find("modelled on NVIDIA H100 80GB HBM3, calibrated 20"),
            std::string::npos);
  const ProgramRun check = run_tilescope("model check --kernel copy/plain --points 1");
  EXPECT_NE(check.output.find("cold runs of NVIDIA H200\n"), std::string::npos) << check.output;
}

TEST_F(Calibration, KeepsNothingOfWhatWentWrong) {
  const ProgramRun none = calibrate("no_device");
  EXPECT_NE(none.status, 0);
  EXPECT_NE(none.errors.find("libcuda.so.1 is not installed"), std::string::npos) << none.errors;
  const ProgramRun shared = calibrate("measures_h100_shared");
  EXPECT_NE(shared.status, 0);
  EXPECT_EQ(shared.errors,
            "tilescope: another program computed on NVIDIA H100 80GB HBM3 while it was measured. "
            "End what else runs there and try again\n");
  const ProgramRun dead = calibrate("measures_h100_dying");
  EXPECT_NE(dead.status, 0);
  EXPECT_EQ(std::ranges::count(dead.errors, '\n'), 1) << dead.errors;
  ::signal(SIGINT, SIG_DFL);  // a shell's background job has it ignored
  const ProgramRun stopped =
      calibrate("measures_h100", "", "timeout --foreground --preserve-status -s INT 1 ");
  EXPECT_EQ(stopped.status, 130);
  EXPECT_EQ(stopped.errors, "tilescope: interrupted; nothing was kept\n");
  EXPECT_TRUE(nothing_is_kept());
}

TEST_F(Calibration, SaysWhichFileIsDamaged) {
  ASSERT_EQ(calibrate("measures_h100").status, 0);
  std::ofstream(kept()) << "{\"devices\": [{\"name\": \"NVIDIA H100 80GB HBM3\"}]}";
  const ProgramRun run = run_tilescope("list --devices");
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.errors.find("NVIDIA_H100_80GB_HBM3.json"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("Delete the file"), std::string::npos) << run.errors;
}

TEST(ModelCheck, DrawsModelledOverMeasuredTimes) {
  const testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "model.svg").string();
  const ProgramRun run = run_tilescope("model check --kernel copy/plain --points 2 -o " + file);
  ASSERT_EQ(run.status, 0) << run.errors;
  std::ifstream in(file);
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(svg.find("2 cold runs: mean error "), std::string::npos);
  std::size_t points = 0;
  for (std::size_t at = svg.find("copy/plain "); at != std::string::npos;
       at = svg.find("copy/plain ", at + 1)) {
    ++points;
  }
  EXPECT_EQ(points, 2U);  // a tooltip each
  const ProgramRun wrong = run_tilescope("model check --points 1 -o model.txt");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.errors.find("Use a file name ending in .svg"), std::string::npos);
}

TEST(ModelCheck, SaysWhatIsWrong) {
  const ProgramRun kernel = run_tilescope("model check --kernel gemm/fast");
  EXPECT_EQ(kernel.status, 1);
  EXPECT_EQ(kernel.errors,
            "tilescope: there is no kernel or family 'gemm/fast'. tilescope list prints them\n");
  EXPECT_EQ(run_tilescope("model check --records nowhere.json").status, 1);
  EXPECT_NE(run_tilescope("model check --fitted --hold-out").status, 0);
}

}  // namespace
}  // namespace tilescope
