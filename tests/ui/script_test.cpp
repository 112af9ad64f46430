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

}  // namespace
}  // namespace tilescope
