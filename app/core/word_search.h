#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// A thing that can be found: its name, other names for it, and sentences about it.
struct SearchedText {
  std::string name;
  std::vector<std::string> others = {};
  std::string more = {};
};

// The words of a text: letters, digits, '_' and whatever is not ASCII belong to a word, all else
// separates words. In lower case.
[[nodiscard]] std::vector<std::string> words_in(std::string_view text);

// How well all words of `query`, in any order, match the text; 0: one of them does not, or there
// are none. Case is ignored, a word may be the beginning or (three letters or more) a part of a
// longer one, and a plural matches the singular. Words of a question ("what is a ...") count only
// where there are no others. A match in the name is worth most, one in the sentences least.
[[nodiscard]] int match_words(std::string_view query, const SearchedText& text);

}  // namespace tilescope
