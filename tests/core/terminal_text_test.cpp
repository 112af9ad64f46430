#include "core/terminal_text.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(TerminalText, HasNoControlCharacters) {
  EXPECT_EQ(without_controls("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(without_controls(std::string("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(without_controls("\xc2\x9b"
                             "31m"),
            "\\x9b31m");
}

TEST(TerminalText, KeepsLinesTabsAndLetters) {
  EXPECT_EQ(without_controls("line\n\tnext"), "line\n\tnext");
  EXPECT_EQ(without_controls("größe ◆ Â"), "größe ◆ Â");
}

}  // namespace
}  // namespace tilescope
