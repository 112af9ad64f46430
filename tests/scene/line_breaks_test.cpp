#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene/drawing/pen.h"

namespace tilescope {
namespace {

std::vector<std::string> pieces(const std::string& words) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = unbroken_end(words, at);
    list.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

using Pieces = std::vector<std::string>;

TEST(LineBreaks, AreAtSpaces) {
  EXPECT_EQ(pieces("a tile of A"), (Pieces{"a", "tile", "of", "A"}));
}
TEST(LineBreaks, ANumberKeepsItsUnit) {
  EXPECT_EQ(pieces("busy 94 % of the 4,800 GB/s"),
            (Pieces{"busy", "94 %", "of", "the", "4,800 GB/s"}));
}
TEST(LineBreaks, AProductKeepsItsFactors) {
  EXPECT_EQ(pieces("a 128 × 64 tile"), (Pieces{"a", "128 × 64 tile"}));
}
TEST(LineBreaks, ANumberThatEndsTheWordsIsAPieceToo) {
  EXPECT_EQ(pieces("Line 15"), (Pieces{"Line", "15"}));
}

}  // namespace
}  // namespace tilescope
