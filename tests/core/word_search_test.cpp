// A search for all words, in any order.
#include "core/word_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilescope {
namespace {

const SearchedText kTiled{.name = "Kernel: transpose/tiled, Tiled",
                          .others = {},
                          .more = "A block transposes a tile; padding avoids bank conflicts."};
const SearchedText kConflict{.name = "Bank conflict",
                             .others = {"n-way bank conflict", "shared memory conflict"},
                             .more = "Lanes need different words of one bank."};

TEST(WordSearch, WordsAreLettersDigitsUnderscoresAndWhatIsNotAscii) {
  EXPECT_EQ(words_in("Transpose/naive: TILE_K = 16, 32-way ≥ __syncwarp()"),
            (std::vector<std::string>{"transpose", "naive", "tile_k", "16", "32", "way", "≥",
                                      "__syncwarp"}));
  EXPECT_TRUE(words_in(" /-() ").empty());
}

TEST(WordSearch, AllWordsMustMatchInAnyOrder) {
  EXPECT_GT(match_words("tiled transpose", kTiled), 0);
  EXPECT_EQ(match_words("tiled transpose", kTiled), match_words("transpose/TILED", kTiled));
  EXPECT_GT(match_words("padding transpose", kTiled), 0);
  EXPECT_EQ(match_words("tiled convolution", kTiled), 0);
  EXPECT_EQ(match_words("", kTiled), 0);
  EXPECT_EQ(match_words(" / ", kTiled), 0);
}

TEST(WordSearch, ABeginningAPartAndAPluralMatch) {
  EXPECT_GT(match_words("trans", kTiled), 0);
  EXPECT_GT(match_words("spose", kTiled), 0);
  EXPECT_GT(match_words("conflicts banks", kConflict), 0);
  EXPECT_EQ(match_words("na", kConflict), 0) << "two letters match no inside of a word";
}

TEST(WordSearch, WordsOfAQuestionAreLeftOut) {
  EXPECT_EQ(match_words("what is a bank conflict?", kConflict),
            match_words("bank conflict", kConflict));
  EXPECT_GT(match_words("what", {.name = "what if"}), 0) << "unless there are no others";
}

TEST(WordSearch, TheNameIsWorthMoreThanOtherNamesAndThoseMoreThanSentences) {
  const int name = match_words("bank conflict", kConflict);
  const int other = match_words("shared memory conflict", kConflict);
  const int more = match_words("bank conflict", kTiled);
  EXPECT_GT(name, other);
  EXPECT_GT(other, more);
  EXPECT_GT(more, 0);
  EXPECT_GT(match_words("bank", {.name = "Bank"}), match_words("bank", kConflict));
}

}  // namespace
}  // namespace tilescope
