// What the parser of the command line refuses: one message, with the place and what to write.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.h"

namespace tilescope {
namespace {

void expect_refused(const std::string& arguments, const std::string& message) {
  const ProgramRun run = run_tilescope(arguments);
  EXPECT_EQ(run.status, 1) << arguments;
  EXPECT_EQ(run.errors.rfind("tilescope: " + message, 0), 0U) << arguments << ": " << run.errors;
  EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << "one line: " << run.errors;
  EXPECT_EQ(run.output, "") << arguments;
}

TEST(OptionErrors, AWordIsNoNumber) {
  for (const char* command : {"trace gemm/naive", "run gemm/naive", "export gemm/naive -o a.svg",
                              "verify gemm/naive", "sweep gemm/naive", ""}) {
    expect_refused(std::string(command) + " --alpha x",
                   "--alpha x is not a number. Write a number after --alpha (GEMM");
  }
  expect_refused("export gemm/naive -o a.svg --warp -1",
                 "--warp -1 is not a whole number from 0. Write a whole number from 0 after");
  expect_refused("export gemm/naive -o a.svg --lane 1.5", "--lane 1.5 is not a whole number. ");
  expect_refused("export gemm/naive -o a.svg --warp 99999999999999999999", "--warp 9999");
  expect_refused("--wait soon", "--wait soon is not a number. ");
}

TEST(OptionErrors, ANumberLiesOutside) {
  expect_refused("export gemm/naive -o a.png --scale 9",
                 "--scale 9 is outside 1 to 4. Write a number after --scale (.png");
  expect_refused("export gemm/naive -o a.png --scale nan", "--scale nan is outside 1 to 4");
  expect_refused("export gemm/naive -o a.png --scale big", "--scale big is not a number. Write");
  expect_refused("run gemm/naive --samples 0",
                 "--samples 0 is outside 1 to 1000000. Write a whole number after --samples");
  expect_refused("run gemm/naive --samples 1.5", "--samples 1.5 is not a number");
  expect_refused("history --limit -1", "--limit -1 is outside 0 to 1000000000");
}

TEST(OptionErrors, AValueIsMissing) {
  expect_refused("trace gemm/naive --alpha",
                 "--alpha has no value. Write a number after --alpha (GEMM");
  expect_refused("export gemm/naive -o a.svg --view", "--view has no value. Write a value after");
  expect_refused("export gemm/naive", "--output is missing. Give it (a file ending in .svg");
  expect_refused("trace", "kernel is missing. Give it (");
}

TEST(OptionErrors, WordsThatNobodyTakes) {
  expect_refused("trace gemm/naive --foo",
                 "--foo: there is no such option here. See tilescope trace --help");
  expect_refused("trace gemm/naive more", "more: unexpected argument. See tilescope trace --help");
  expect_refused("--foo", "--foo: there is no such option here. See tilescope --help");
  expect_refused("trace gemm/naive --alpha 1 --alpha 2",
                 "--alpha is given 2 times. Give it once: tilescope trace --help");
  expect_refused("run gemm/naive --cold --warm", "--warm excludes --cold. Leave one of them out");
}

TEST(OptionErrors, HelpIsNone) {
  for (const char* arguments : {"--help", "trace --help", "--version"}) {
    const ProgramRun run = run_tilescope(arguments);
    EXPECT_EQ(run.status, 0) << arguments;
    EXPECT_EQ(run.errors, "") << arguments;
    EXPECT_NE(run.output, "") << arguments;
  }
  EXPECT_NE(run_tilescope("export --help").output.find("1 to 4"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
