// What is drawn of a launch before anything of it is computed.
#include "scene/view/launch_picture.h"

#include <gtest/gtest.h>

#include "scene/recording_canvas.h"

namespace tilescope {
namespace {

TEST(LaunchPicture, SaysGridBlockAndWarps) {
  EXPECT_EQ(words_of({{128, 512}, {32, 8}, 0}), "128 × 512 blocks of 32 × 8 threads (8 warps)");
  EXPECT_EQ(words_of({{1}, {1}, 0}), "1 block of 1 thread (1 warp)");
  EXPECT_EQ(words_of({{4, 2, 3}, {33}, 0}), "4 × 2 × 3 blocks of 33 threads (2 warps)");
}

// Whatever the shape, it stays within its place and its words are whole.
TEST(LaunchPicture, FitsItsPlace) {
  const Rect area{24, 60, 720, 320};
  for (const LaunchShape& launch :
       {LaunchShape{{128, 512}, {32, 8}, 65535}, LaunchShape{{1}, {1}, 0},
        LaunchShape{{1000000}, {1024}, 999999}, LaunchShape{{3, 2, 2}, {4, 64, 4}, 11}}) {
    RecordingCanvas canvas;
    draw_launch(canvas, area, launch, {});
    EXPECT_EQ(canvas.complaint(area, 11), "") << words_of(launch);
    EXPECT_NE(canvas.all_text().find("GRID"), std::string::npos);
    EXPECT_NE(canvas.all_text().find("BLOCK"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilescope
