// `tilescope explain`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

namespace tilescope {
namespace {

TEST(Explain, PrintsTheEntryOfATermWithAllItsFields) {
  const ProgramRun run = run_tilescope("explain bank conflict");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(run.output.starts_with("Bank conflict")) << run.output;
  for (const char* field : {"unit:", "counted:", "metric:", "also:",
                            "try:      banks of transpose/tiled with PAD = 0", "See also: "}) {
    EXPECT_NE(run.output.find(field), std::string::npos) << field;
  }
}

TEST(Explain, KnowsAMetricByItsFullName) {
  const ProgramRun run = run_tilescope("explain l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_TRUE(run.output.starts_with("Sector ")) << run.output;
}

TEST(Explain, PrintsSeveralEntriesWhereSeveralMatch) {
  const ProgramRun queue = run_tilescope("explain queue to memory");
  ASSERT_EQ(queue.status, 0) << queue.errors;
  EXPECT_NE(queue.output.find("MIO throttle   ["), std::string::npos) << queue.output;
  EXPECT_NE(queue.output.find("LG throttle   ["), std::string::npos) << queue.output;
}

TEST(Explain, SuggestsATermWhereNoneMatches) {
  const ProgramRun near = run_tilescope("explain wavefrnt");
  EXPECT_EQ(near.status, 1);
  EXPECT_NE(near.errors.find("Did you mean Wavefront?"), std::string::npos) << near.errors;
  const ProgramRun far = run_tilescope("explain zqzqzqzqzq");
  EXPECT_EQ(far.status, 1);
  EXPECT_NE(far.errors.find("'tilescope explain'"), std::string::npos) << far.errors;
  EXPECT_TRUE(far.output.empty());
}

TEST(Explain, ListsAllTermsWithoutOne) {
  const ProgramRun run = run_tilescope("explain");
  ASSERT_EQ(run.status, 0) << run.errors;
  for (const char* words : {"Shared memory\n", "Bank conflict", "Problems found\n", "Wavefront"}) {
    EXPECT_NE(run.output.find(words), std::string::npos) << words;
  }
}

TEST(Explain, WritesJson) {
  const auto one = nlohmann::json::parse(run_tilescope("explain padding --json").output);
  const auto& first = one["terms"].front();
  EXPECT_EQ(first["term"], "Padding");
  EXPECT_EQ(first["try"]["kernel"], "transpose/tiled");
  EXPECT_EQ(first["try"]["parameters"]["PAD"], 1);
  const auto all = nlohmann::json::parse(run_tilescope("explain --json").output);
  EXPECT_GT(all["terms"].size(), 100U);
}

}  // namespace
}  // namespace tilescope
