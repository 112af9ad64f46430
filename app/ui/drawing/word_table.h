#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// The window's own words in another language: assets/words.LANGUAGE.txt. A line is
// "step {} of {} → 第 {} 步，共 {} 步"; {} is a number, as it is drawn ("1,024", "12.5"), in the
// order in which they stand, or {0}, {1} where the other language has another one. # begins a
// comment. What is not in the table stays in English.
class WordTable {
 public:
  // kUsage with file and line: no arrow, a text that is there twice, other numbers on both sides.
  [[nodiscard]] static Result<WordTable> read(std::string_view text, const std::string& file);
  // kMachine: the file cannot be read.
  [[nodiscard]] static Result<WordTable> load(const std::filesystem::path& file);

  // The words in that language; the same where the table does not have them.
  [[nodiscard]] std::string in(std::string_view english) const;
  // By English text, with {} for numbers.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& entries() const {
    return entries_;
  }

 private:
  std::map<std::string, std::string, std::less<>> entries_;
};

// Those of the window's languages, each read when it is first asked for.
class WordTables {
 public:
  // nullptr: there is no table of this language, or it is malformed.
  [[nodiscard]] const WordTable* of(const std::string& language);

 private:
  std::map<std::string, Result<WordTable>> tables_;
};

}  // namespace tilescope
