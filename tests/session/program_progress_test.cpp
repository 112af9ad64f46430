#include "session/program_progress.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(ProgramProgress, TheLastWholeLineCounts) {
  ProgramProgress first;
  first.phase = ProgramProgress::Phase::kRunning;
  first.launches = 2;
  ProgramProgress last = first;
  last.phase = ProgramProgress::Phase::kEnded;
  last.launches = 5;
  last.kernel = "scale<4>";
  last.problems = 1;
  last.how = "exited with status 0";
  last.error = "a \"quoted\"\nmessage";
  const std::string begun = progress_line(first);
  const std::string whole = begun + progress_line(last);
  const auto read = last_progress(whole);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->phase, last.phase);
  EXPECT_EQ(read->launches, 5U);
  EXPECT_EQ(read->kernel, last.kernel);
  EXPECT_EQ(read->problems, 1U);
  EXPECT_EQ(read->how, last.how);
  EXPECT_EQ(read->error, last.error);
  // A line that is still being written is none yet.
  const auto half = last_progress(whole.substr(0, whole.size() - 1));
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(half->launches, 2U);
}

TEST(ProgramProgress, SomethingElseIsNone) {
  EXPECT_FALSE(last_progress("").has_value());
  EXPECT_FALSE(last_progress("{\"phase\":\"running\"}").has_value());
  EXPECT_FALSE(last_progress("no json\n").has_value());
  EXPECT_FALSE(last_progress("{\"phase\":\"asleep\"}\n").has_value());
  EXPECT_FALSE(last_progress("{\"phase\":\"running\",\"launches\":\"many\"}\n").has_value());
}

}  // namespace
}  // namespace tilescope
