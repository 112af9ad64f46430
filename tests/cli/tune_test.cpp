#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "program.h"

namespace tilescope {
namespace {

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

TEST(Tune, SaysWhatIsWrong) {
  EXPECT_NE(run_tilescope("tune gemm/naive").status, 0);  // no --model
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
