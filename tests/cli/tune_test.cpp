#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Tune, RanksEveryLegalCombinationOnce) {
  const ProgramRun run = run_tilescope("tune gemm/naive --size 256 -p BLOCK_X=32 --model --json");
  ASSERT_EQ(run.status, 0) << run.errors;
  const json found = json::parse(run.output);
  EXPECT_EQ(found["kernel"], "gemm/naive");
  ASSERT_GT(found["ranked"].size(), 1U);
  std::set<std::string> sets;
  double before = 0;
  for (const json& row : found["ranked"]) {
    sets.insert(row["parameters"].dump());
    const double seconds = row["modelled_seconds"];
    EXPECT_GE(seconds, before);
    before = seconds;
  }
  for (const json& row : found["ranked"]) EXPECT_EQ(row["parameters"]["BLOCK_X"], 32);
  EXPECT_EQ(sets.size(), found["ranked"].size());
  EXPECT_GT(before, found["ranked"][0]["modelled_seconds"].get<double>());
  EXPECT_NE(found["why"].get<std::string>().find("limited by"), std::string::npos);
}

// The model chooses what a GPU measures.
TEST(Tune, MeasuresWhatTheModelPutsFirstAndTheStart) {
  const fs::path tests = fs::read_symlink("/proc/self/exe").parent_path() / "tests_gpu";
  if (!fs::exists(tests)) GTEST_SKIP() << "tests_gpu, which serves as the worker, is not built";
  const testing::TemporaryFolder folder;
  ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
  const ProgramRun run =
      run_tilescope("tune gemm/naive --size 128 -p LANES_DOWN=0 --share 25 --json --worker \"'" +
                    tests.string() + "' --fake-worker measures_h100\"");
  ::unsetenv("XDG_DATA_HOME");
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto found = json::parse(run.output);
  EXPECT_EQ(found["gpu"], "NVIDIA H100 80GB HBM3");
  const auto& measured = found["measured"];
  const double share = static_cast<double>(measured.size()) / found["combinations"].get<double>();
  EXPECT_GT(share, 0.15);
  EXPECT_LT(share, 0.35);
  double before = 0;
  bool has_start = false;
  for (const auto& one : measured) {
    EXPECT_GE(one["seconds"].get<double>(), before);
    before = one["seconds"].get<double>();
    EXPECT_GT(one["modelled_seconds"].get<double>(), 0);
    has_start |= one["parameters"]["BLOCK_X"] == 32 && one["parameters"]["BLOCK_Y"] == 8;
  }
  EXPECT_TRUE(has_start);
}

TEST(Tune, SaysWhatIsWrong) {
  EXPECT_NE(run_tilescope("tune gemm/naive").status, 0);  // no --model
  EXPECT_EQ(run_tilescope("tune gemm/naive --model --gpu").status, 1);
  const ProgramRun file = run_tilescope("tune of_mine.cu --model");
  EXPECT_EQ(file.status, 1);
  EXPECT_EQ(file.errors,
            "tilescope: of_mine.cu: only kernels of the catalogue have parameters to tune. "
            "'tilescope list' shows them\n");
  const ProgramRun many = run_tilescope("tune gemm/naive --size 256 --model --most 1");
  EXPECT_EQ(many.status, 1);
  EXPECT_EQ(many.errors,
            "tilescope: there are more than 1 legal combinations. Fix parameters with -p "
            "NAME=VALUE, or allow more with --most\n");
}

}  // namespace
}  // namespace tilescope
