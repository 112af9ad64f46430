// The window's own words in another language.
#include "ui/drawing/word_table.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <sstream>

#include "build_config.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

WordTable table(std::string_view text) {
  auto read = WordTable::read(text, "words.txt");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.error()));
  return read.ok() ? *read : WordTable();
}

TEST(WordTable, ATextIsFoundWholeOrWithItsNumbers) {
  const WordTable words = table(
      "# Chrome\n"
      "Next → Weiter\n"
      "step {} of {} → Schritt {} von {}\n"
      "{} of {} sectors → von {1} Sektoren {0}\n"
      "Start with lesson 1 → Mit Lektion 1 beginnen\n");
  EXPECT_EQ(words.in("Next"), "Weiter");
  EXPECT_EQ(words.in("step 3 of 10"), "Schritt 3 von 10");
  EXPECT_EQ(words.in("4 of 1,024 sectors"), "von 1,024 Sektoren 4");
  EXPECT_EQ(words.in("12.5 of 32. sectors"), "12.5 of 32. sectors") << "a full stop is none";
  EXPECT_EQ(words.in("Start with lesson 1"), "Mit Lektion 1 beginnen");
  EXPECT_EQ(words.in("Next "), "Weiter ") << "a part of a sentence keeps its blank";
  EXPECT_EQ(words.in(" Next"), " Weiter");
  EXPECT_EQ(words.in("Back"), "Back");
  EXPECT_EQ(words.in(""), "");
}

TEST(WordTable, AMistakeHasItsLine) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"Next → Weiter\nBack\n", "words.txt:2"},
           {"Next → a\nNext → b\n", "is there twice"},
           {"{} of {} → {} {} {}\n", "asks for other numbers"},
           {"Next → {}\n", "asks for other numbers"}}) {
    const auto read = WordTable::read(text, "words.txt");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(to_string(read.error()).find(why), std::string::npos) << to_string(read.error());
  }
}

// What the program no longer says has no line in a table.
TEST(WordTable, EachWordOfTheShippedTablesIsSaidSomewhere) {
  std::set<std::string> said;
  const auto note_words = [](const std::string& text, auto take) {
    std::string word;
    for (const char c : text + " ") {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word += c;
        continue;
      }
      if (word.size() > 2) take(word);
      word.clear();
    }
  };
  for (const auto& file :
       fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "app")) {
    if (file.path().extension() != ".cpp" && file.path().extension() != ".inc") continue;
    note_words(testing::read_file(file.path()), [&](const std::string& word) {
      said.insert(word);
      said.insert(word + "s");  // counted()
    });
  }
  int tables = 0;
  for (const auto& file : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "assets")) {
    if (!file.path().filename().string().starts_with("words.")) continue;
    const auto read = WordTable::load(file.path());
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    ++tables;
    for (const auto& [english, other] : read->entries()) {
      note_words(english, [&, &words = english](const std::string& word) {
        EXPECT_TRUE(said.contains(word)) << word << " of: " << words;
      });
    }
  }
  EXPECT_GT(tables, 0);
}

}  // namespace
}  // namespace tilescope
