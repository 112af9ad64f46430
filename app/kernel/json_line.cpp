#include <algorithm>

#include "kernel/json_document.h"

namespace tilescope {
namespace {

// Walks over the tokens of valid JSON, without understanding more than it has to.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  // The next character that is not between values.
  char next() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n,:").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  void step() { ++position_; }

  // Precondition: at the opening quote. Escapes stay as they are.
  std::string_view string() {
    const std::size_t first = ++position_;
    while (position_ < text_.size() && text_[position_] != '"') {
      position_ += text_[position_] == '\\' ? 2U : 1U;
    }
    position_ = std::min(position_, text_.size());
    const std::string_view content = text_.substr(first, position_ - first);
    ++position_;
    return content;
  }

  void skip_value() {
    int depth = 0;
    do {
      const char c = next();
      if (c == '\0') return;
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      step();
      if (c != '{' && c != '[' && c != '}' && c != ']') skip_word();
    } while (depth > 0);
  }

 private:
  void skip_word() {  // the rest of a number or of true, false, null
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n,:]}").find(text_[position_]) == std::string_view::npos) {
      ++position_;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

// Moves to the value of `key`, of the object or array that begins here; false: it has none.
bool descend(JsonScanner& scanner, const std::string& key) {
  const char open = scanner.next();
  if (open != '{' && open != '[') return false;
  scanner.step();
  for (std::size_t index = 0;; ++index) {
    const char c = scanner.next();
    if (c == '}' || c == ']' || c == '\0') return false;
    const bool found = open == '{' ? scanner.string() == key : std::to_string(index) == key;
    scanner.next();
    if (found) return true;
    scanner.skip_value();
  }
}

}  // namespace

int line_in_json(std::string_view json, const std::vector<std::string>& path) {
  JsonScanner scanner(json);
  scanner.next();
  std::size_t deepest = scanner.position();
  for (const std::string& step : path) {
    if (!descend(scanner, step)) break;
    deepest = scanner.position();
  }
  const auto end = json.begin() + static_cast<std::ptrdiff_t>(std::min(deepest, json.size()));
  return 1 + static_cast<int>(std::count(json.begin(), end, '\n'));
}

}  // namespace tilescope
