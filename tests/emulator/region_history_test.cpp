#include "emulator/region_history.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(RegionHistory, RemembersWhichBytesWereWritten) {
  RegionHistory history(1000);
  EXPECT_EQ(history.missing(60, 8), 0xffU);
  history.write(62, 4);  // over the end of a word
  EXPECT_EQ(history.missing(60, 8), 0xc3U);
  history.write(0, 1000);
  EXPECT_TRUE(history.all_written());
  EXPECT_EQ(history.missing(60, 8), 0U);
}

TEST(RegionHistory, ForgetsAPart) {
  RegionHistory history(100);
  history.write_all();
  history.forget(98, 2);
  EXPECT_FALSE(history.all_written());
  EXPECT_EQ(history.missing(96, 4), 0xcU);
  EXPECT_EQ(history.missing(0, 64), 0U);
}

TEST(RegionHistory, RemembersReadsAndWritesOfALaunch) {
  RegionHistory history(8);
  history.note_use(true, false);
  EXPECT_TRUE(history.read());
  EXPECT_FALSE(history.written());
  history.forget_use();
  EXPECT_FALSE(history.read());
}

}  // namespace
}  // namespace tilescope
