#include <gtest/gtest.h>

#include "ui/platform/platform.h"

namespace tilescope {
namespace {

TEST(FramePixels, ABlackPictureIsNotDrawn) {
  Screenshot picture{2, 2, std::vector<std::uint8_t>(16)};
  EXPECT_FALSE(is_drawn(picture));
  picture.rgba[15] = 255;  // alpha alone shows nothing
  EXPECT_FALSE(is_drawn(picture));
  picture.rgba[14] = 1;
  EXPECT_TRUE(is_drawn(picture));
}

}  // namespace
}  // namespace tilescope
