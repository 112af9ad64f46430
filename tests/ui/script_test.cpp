#include "ui/script.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(Script, ReadsCommandsAndSkipsComments) {
  const auto commands =
      parse_script("kernel gemm/naive  # the first\n\n# nothing\nset TILE_K 8\n", "s");
  ASSERT_TRUE(commands.ok());
  ASSERT_EQ(commands->size(), 2U);
  EXPECT_EQ((*commands)[0].words, (std::vector<std::string>{"kernel", "gemm/naive"}));
  EXPECT_EQ((*commands)[1].line, 4);
}

TEST(Script, NamesTheLineOfAnUnknownCommand) {
  const auto commands = parse_script("frames 3\nfly away\n", "demo.script");
  ASSERT_FALSE(commands.ok());
  EXPECT_EQ(commands.error().place.file, "demo.script");
  EXPECT_EQ(commands.error().place.line, 2);
}

TEST(Script, RefusesMissingWords) {
  EXPECT_FALSE(parse_script("drag TILE_M 16 128\n", "s").ok());
  EXPECT_FALSE(parse_script("set TILE_M\n", "s").ok());
  EXPECT_TRUE(parse_script("wait-idle\nwait-idle 5\n", "s").ok());
  EXPECT_TRUE(parse_script("phase -1\nloop 10 20\nloop off\nbookmark set 3\n", "s").ok());
  EXPECT_FALSE(parse_script("bookmark 3\n", "s").ok());
  EXPECT_TRUE(parse_script("unit peak\ntune without TILE_M\ntune start\n", "s").ok());
  EXPECT_FALSE(parse_script("tune\n", "s").ok());
}

TEST(Script, RefusesWordsThatSayNothing) {
  for (const char* line : {"lecture yes", "edit maybe", "source fortran", "panel Notes ajar",
                           "bookmark keep 3", "tune faster", "l2 hot"}) {
    EXPECT_FALSE(parse_script(line, "s").ok()) << line;
  }
  EXPECT_TRUE(
      parse_script("lecture on\nedit off\nsource ptx\npanel Notes front\nl2 warm\n", "s").ok());
}

TEST(Script, SaysHowACommandIsWritten) {
  const auto commands = parse_script("wait-idle 5 6\n", "s");
  ASSERT_FALSE(commands.ok());
  EXPECT_EQ(commands.error().message, "wait-idle is written: wait-idle [SECONDS]");
  EXPECT_FALSE(parse_script("play now\n", "s").ok());
}

TEST(Script, TakesTextOfAnyLength) {
  EXPECT_TRUE(parse_script("note one\nnote one two three\ntype-line 3\n", "s").ok());
  EXPECT_TRUE(parse_script("type-line 3 int i = 0;\ndo Text larger\n", "s").ok());
  EXPECT_FALSE(parse_script("note\n", "s").ok());
}

}  // namespace
}  // namespace tilescope
