#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;

TEST(ModelCheck, ComparesModelledWithMeasuredTimes) {
  const ProgramRun run =
      run_tilescope("model check --kernel copy/plain --kernel gemm/naive --points 2 --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const json found = json::parse(run.output);
  EXPECT_EQ(found["gpu"], "NVIDIA H200");
  ASSERT_EQ(found["kernels"].size(), 3U);
  ASSERT_EQ(found["points"].size(), 4U);
  EXPECT_EQ(found["kernels"][2]["kernel"], "all");
  EXPECT_EQ(found["kernels"][2]["points"], 4);
  double sum = 0;
  for (const json& point : found["points"]) {
    const double measured = point["measured_seconds"];
    const double modelled = point["modelled_seconds"];
    EXPECT_GT(modelled, 0.1 * measured);
    EXPECT_LT(modelled, 10 * measured);
    sum += std::abs(modelled / measured - 1);
  }
  EXPECT_NEAR(found["kernels"][2]["mean_error"].get<double>(), sum / 4, 1e-9);
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
