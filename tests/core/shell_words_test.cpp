#include <gtest/gtest.h>

#include "core/text.h"

namespace tilescope {
namespace {

using Words = std::vector<std::string>;

TEST(ShellWords, AreSeparatedByBlanks) {
  EXPECT_EQ(shell_words(""), Words{});
  EXPECT_EQ(shell_words("  \t "), Words{});
  EXPECT_EQ(shell_words(" --size  512\tx "), (Words{"--size", "512", "x"}));
}

TEST(ShellWords, QuotesHoldAWordTogether) {
  EXPECT_EQ(shell_words("\"two words\" 'a \"b\"' \"\""), (Words{"two words", "a \"b\"", ""}));
  EXPECT_EQ(shell_words("-D'A=\"x y\"'"), Words{"-DA=\"x y\""});
  EXPECT_EQ(shell_words("'never closed"), Words{"never closed"});
}

TEST(ShellWords, ABackslashTakesTheNextCharacter) {
  EXPECT_EQ(shell_words(R"(a\ b "c\"d" 'e\f' g\)"), (Words{"a b", "c\"d", "e\\f", "g\\"}));
}

}  // namespace
}  // namespace tilescope
