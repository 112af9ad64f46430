#include "ui/drawing/word_table.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"

namespace tilescope {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A text with {} for its numbers, and these.
struct Numbered {
  std::string words;
  std::vector<std::string> numbers;
};
Numbered numbered(std::string_view text) {
  Numbered result;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      result.words += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() &&
           (is_digit(text[end]) || ((text[end] == ',' || text[end] == '.') &&
                                    end + 1 < text.size() && is_digit(text[end + 1])))) {
      ++end;
    }
    result.numbers.emplace_back(text.substr(at, end - at));
    result.words += "{}";
    at = end;
  }
  return result;
}

// The translation with these numbers; empty: it asks for others.
std::string filled(const std::string& words, const std::vector<std::string>& numbers) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const std::string& number : numbers) arguments.push_back(number);
  try {
    return fmt::vformat(words, arguments);
  } catch (const fmt::format_error&) {
    return {};
  }
}

}  // namespace

Result<WordTable> WordTable::read(std::string_view text, const std::string& file) {
  constexpr std::string_view kArrow = " → ";
  WordTable table;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const auto wrong = [&](std::string why) -> Error {
      return {ErrorCode::kUsage, std::move(why), "", {file, number, 0}};
    };
    const std::size_t arrow = line.find(kArrow);
    if (arrow == std::string_view::npos) return wrong("a line is: English → translation");
    std::string english(line.substr(0, arrow));
    std::string other(line.substr(arrow + kArrow.size()));
    std::vector<std::string> numbers;
    for (std::size_t at = english.find("{}"); at != std::string::npos;
         at = english.find("{}", at + 2)) {
      numbers.push_back(std::to_string(numbers.size()));
    }
    if (filled(other, numbers).empty()) return wrong("the translation asks for other numbers");
    const auto [entry, is_new] = table.entries_.emplace(std::move(english), std::move(other));
    if (!is_new) return wrong(fmt::format("'{}' is there twice", entry->first));
  }
  return table;
}

Result<WordTable> WordTable::load(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  auto text = read_file(file, kMostBytes);
  if (!text) {
    return Error{ErrorCode::kMachine, "cannot be read", "", {file.string(), 0, 0}};
  }
  return read(*text, file.string());
}

std::string WordTable::in(std::string_view english) const {
  // A sentence's part ends with the blank before the next one, or begins with its own.
  if (english.ends_with(' ')) return in(english.substr(0, english.size() - 1)) + " ";
  if (english.starts_with(' ')) return " " + in(english.substr(1));
  if (const auto whole = entries_.find(english); whole != entries_.end()) return whole->second;
  const Numbered text = numbered(english);
  if (text.numbers.empty()) return std::string(english);
  const auto entry = entries_.find(text.words);
  if (entry == entries_.end()) return std::string(english);
  return filled(entry->second, text.numbers);
}

const WordTable* WordTables::of(const std::string& language) {
  if (language.empty()) return nullptr;
  auto known = tables_.find(language);
  if (known == tables_.end()) {
    const auto file = resource_directory() / "assets" / fmt::format("words.{}.txt", language);
    known = tables_.emplace(language, WordTable::load(file)).first;
  }
  return known->second.ok() ? &known->second.value() : nullptr;
}

}  // namespace tilescope
