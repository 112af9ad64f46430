#include "core/word_search.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tilescope {
namespace {

constexpr std::size_t kShortestPart = 3;  // letters that are looked for inside words

// Points for one word of the query: the same word, the beginning of a word, a part of one.
struct Worth {
  int same, beginning, part;
};
constexpr Worth kInName{100, 60, 30};
constexpr Worth kInOthers{80, 45, 20};
constexpr Worth kInMore{10, 6, 3};
// The query is the whole name, or a whole other name.
constexpr int kIsName = 1000;
constexpr int kIsOther = 600;

bool belongs_to_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

bool asks(std::string_view word) {
  static constexpr std::array<std::string_view, 22> kAsking{
      "a",  "an",   "are", "can", "do",  "does", "explain", "for",  "how",   "i",   "in",
      "is", "mean", "of",  "on",  "the", "this", "to",      "what", "which", "why", "with"};
  return std::ranges::find(kAsking, word) != kAsking.end();
}

std::vector<std::string> asked_words(std::string_view query) {
  std::vector<std::string> words = words_in(query);
  std::vector<std::string> telling = words;
  std::erase_if(telling, asks);
  return telling.empty() ? words : telling;
}

int worth_of_word(std::string_view wanted, const std::vector<std::string>& words,
                  const Worth& worth) {
  int most = 0;
  for (const std::string& word : words) {
    if (word == wanted) return worth.same;
    if (word.starts_with(wanted)) {
      most = std::max(most, worth.beginning);
    } else if (wanted.size() >= kShortestPart && word.find(wanted) != std::string::npos) {
      most = std::max(most, worth.part);
    }
  }
  return most;
}

struct TextWords {
  std::vector<std::string> name, others, more;
};

int worth_in_text(std::string_view wanted, const TextWords& text) {
  return std::max({worth_of_word(wanted, text.name, kInName),
                   worth_of_word(wanted, text.others, kInOthers),
                   worth_of_word(wanted, text.more, kInMore)});
}

}  // namespace

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (!belongs_to_word(c)) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

int match_words(std::string_view query, const SearchedText& text) {
  const std::vector<std::string> asked = asked_words(query);
  if (asked.empty()) return 0;
  TextWords words{words_in(text.name), {}, words_in(text.more)};
  int score = asked == words.name ? kIsName : 0;
  for (const std::string& other : text.others) {
    const std::vector<std::string> its_words = words_in(other);
    if (asked == its_words) score = std::max(score, kIsOther);
    words.others.insert(words.others.end(), its_words.begin(), its_words.end());
  }
  for (const std::string& word : asked) {
    int worth = worth_in_text(word, words);
    if (worth == 0 && word.size() > kShortestPart && word.ends_with('s')) {
      worth = worth_in_text(std::string_view(word).substr(0, word.size() - 1), words);
    }
    if (worth == 0) return 0;
    score += worth;
  }
  return score;
}

}  // namespace tilescope
