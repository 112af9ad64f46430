// Characters that stand without blanks between words.
#include <gtest/gtest.h>

#include <string>

#include "core/text.h"

namespace tilescope {
namespace {

TEST(WideCharacter, IsOneOfChineseOrJapaneseOrTheirPunctuation) {
  for (const std::string wide : {"线", "あ", "，", "（", "％"}) {
    EXPECT_EQ(wide_character(wide, 0), 3U) << wide;
  }
  for (const std::string narrow : {"a", "×", "–", "○", "ü", "", "\xE7\xBA"}) {
    EXPECT_EQ(wide_character(narrow, 0), 0U) << narrow;
  }
  EXPECT_EQ(wide_character("a线", 1), 3U);
  EXPECT_EQ(wide_character("线", 1), 0U) << "inside of a character";
}

TEST(WideCharacter, LinesDoNotBeginWithWhatClosesASentence) {
  EXPECT_FALSE(breaks_before("线，", 3));
  EXPECT_FALSE(breaks_before("线。", 3));
  EXPECT_TRUE(breaks_before("线程", 3));
  EXPECT_TRUE(breaks_before("线", 3)) << "the end";
  EXPECT_FALSE(breaks_before("（warp", 3)) << "nor end with what opens a bracket";
}

}  // namespace
}  // namespace tilescope
