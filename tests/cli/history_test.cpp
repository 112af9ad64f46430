#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "build_config.h"
#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// The program with a data folder of its own.
class HistoryCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("XDG_DATA_HOME")) before_ = before;
    ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty()) {
      ::unsetenv("XDG_DATA_HOME");
    } else {
      ::setenv("XDG_DATA_HOME", before_.c_str(), 1);
    }
  }
  static nlohmann::json runs(const std::string& arguments) {
    const ProgramRun run = run_tilescope("history --json " + arguments);
    EXPECT_EQ(run.status, 0) << run.errors;
    return nlohmann::json::parse(run.output)["runs"];
  }

  testing::TemporaryFolder folder_;
  std::string before_;
};

TEST_F(HistoryCommand, ImportsListsFiltersAndExports) {
  const ProgramRun imported = run_tilescope("history --import assets/recorded/h200.json");
  ASSERT_EQ(imported.status, 0) << imported.errors;
  const std::size_t all = runs("--limit 0").size();
  EXPECT_GT(all, 500U);
  EXPECT_EQ(runs("--limit 7").size(), 7U);
  EXPECT_EQ(runs("").size(), 50U);
  const auto some = runs("gemm/register_tile -p STAGES=3 --extent M=4096 --limit 0");
  EXPECT_FALSE(some.empty());
  for (const auto& run : some) {
    EXPECT_EQ(run["kernel"], "gemm/register_tile");
    EXPECT_EQ(run["parameters"]["STAGES"], 3);
    EXPECT_EQ(run["extents"]["M"], 4096);
    EXPECT_EQ(run["gpu"], "NVIDIA H200");
  }
  EXPECT_TRUE(runs("--gpu 3080").empty());
  EXPECT_TRUE(runs("--until 2020-01-01").empty());

  const fs::path file = folder_ / "out.json";
  ASSERT_EQ(run_tilescope("history --export " + file.string()).status, 0);
  const auto before =
      nlohmann::json::parse(std::ifstream(TILESCOPE_SOURCE_DIR "/assets/recorded/h200.json"));
  const auto after = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(after["runs"], before["runs"]);

  const ProgramRun again = run_tilescope("history --import " + file.string());
  EXPECT_NE(again.output.find(": 0 of "), std::string::npos) << again.output;
  EXPECT_EQ(runs("--limit 0").size(), all);
}

TEST_F(HistoryCommand, MarksWhatWasThrottledThroughout) {
  ASSERT_EQ(run_tilescope("history --import assets/recorded/h200.json").status, 0);
  const std::string legend = "! the GPU's clock was held down";
  const ProgramRun marked = run_tilescope("history gemm/rank_one --extent M=8192");
  EXPECT_NE(marked.output.find("s! "), std::string::npos) << marked.output;
  EXPECT_NE(marked.output.find(legend), std::string::npos) << marked.output;
  const ProgramRun plain = run_tilescope("history transpose/tiled");
  EXPECT_EQ(plain.output.find("!"), std::string::npos) << plain.output;
}

TEST_F(HistoryCommand, ALineSaysHowManySamplesAndThatItWasImported) {
  ASSERT_EQ(run_tilescope("history --import assets/recorded/h200.json").status, 0);
  const auto one = runs("gemm/warpgroup --limit 1").front();
  const ProgramRun run = run_tilescope("history gemm/warpgroup --limit 1");
  EXPECT_EQ(run.output.rfind("○ ", 0), 0U) << run.output;
  EXPECT_NE(run.output.find(" " + std::to_string(one["samples"].get<int>()) + " "),
            std::string::npos)
      << run.output;
}

TEST_F(HistoryCommand, ADamagedFileIsNamedAndLeftAsItIs) {
  const fs::path file = folder_ / "tilescope" / "history.sqlite";
  fs::create_directories(file.parent_path());
  std::ofstream(file) << std::string(5000, 'x');
  const ProgramRun run = run_tilescope("history");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find(file.string()), std::string::npos) << run.errors;
  EXPECT_EQ(fs::file_size(file), 5000U);
}

TEST_F(HistoryCommand, MistakesGetOneClearLine) {
  const ProgramRun parameter = run_tilescope("history -p TILE=big");
  EXPECT_EQ(parameter.status, 1);
  EXPECT_NE(parameter.errors.find("TILE=big is not NAME=NUMBER"), std::string::npos);
  const ProgramRun date = run_tilescope("history --since yesterday");
  EXPECT_EQ(date.status, 1);
  EXPECT_NE(date.errors.find("2026-11-30"), std::string::npos);
  const ProgramRun empty = run_tilescope("history --export " + (folder_ / "x.json").string());
  EXPECT_EQ(empty.status, 1);
  EXPECT_FALSE(fs::exists(folder_ / "x.json"));
}

TEST_F(HistoryCommand, SweepAndVerifyWithoutAKernelSayHowToNameOne) {
  for (const char* command : {"sweep", "verify"}) {
    const ProgramRun run = run_tilescope(command);
    EXPECT_EQ(run.status, 1) << command;
    EXPECT_NE(run.errors.find("no kernel is given"), std::string::npos) << run.errors;
  }
}

TEST(ListDevices, NamesTheirSources) {
  const ProgramRun run = run_tilescope("list --devices --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto devices = nlohmann::json::parse(run.output)["devices"];
  EXPECT_GE(devices.size(), 10U);
  for (const auto& device : devices) {
    EXPECT_FALSE(device["source"].get<std::string>().empty()) << device["name"];
  }
}

}  // namespace
}  // namespace tilescope
