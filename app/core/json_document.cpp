#include "core/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/text.h"

namespace tilescope {
namespace {

constexpr std::size_t kDeepest = 16;

// "rules[2].condition"
std::string shown(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& step : path) {
    const bool index = step.find_first_not_of("0123456789") == std::string::npos;
    if (index) {
      text += fmt::format("[{}]", step);
    } else {
      text += text.empty() ? step : "." + step;
    }
  }
  return text;
}

int line_at(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

// As it stands in the file, but no more of it than a message has room for.
std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

// What went wrong, in nlohmann's "[json.exception.parse_error.101] parse error at line 1, column 5:
// syntax error while parsing value - invalid literal; last read: 'x'" without its heads, and with
// the beginning of what it read last.
std::string plain(std::string_view what) {
  const std::size_t colon = what.find(": ");
  if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
  constexpr std::string_view kRead = "; last read: '";
  const std::size_t read = what.find(kRead);
  const std::size_t end = what.rfind('\'');
  if (read == std::string_view::npos || end < read + kRead.size()) return std::string(what);
  const std::size_t begin = read + kRead.size();
  return std::string(what.substr(0, begin)) + short_text(what.substr(begin, end - begin)) +
         std::string(what.substr(end));
}

// Why this text is no JSON.
std::string why_not_json(std::string_view text, const nlohmann::json::parse_error& problem) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return "the file is empty";
  if (text.find('\0') != std::string_view::npos) return "the file is no text";
  if (problem.byte > text.size()) {
    return "the file ends too early: it was cut off, or a bracket or a quote is not closed";
  }
  return valid_utf8(plain(problem.what()));
}

// Of a wrong type: itself, where it is short.
std::string in_words(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return '"' + short_text(value.get_ref<const std::string&>()) + '"';
  return value.dump();
}

// Builds the value of a text, no deeper than kDeepest, and sees what nlohmann's own parser does not
// say: a key that its object has already.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool too_deep = false;
  std::string twice;  // such a key
  nlohmann::json value;

  bool null() override { return add(nullptr); }
  bool boolean(bool read) override { return add(read); }
  bool number_integer(number_integer_t read) override { return add(read); }
  bool number_unsigned(number_unsigned_t read) override { return add(read); }
  bool number_float(number_float_t read, const string_t&) override { return add(read); }
  bool string(string_t& read) override { return add(std::move(read)); }
  bool binary(binary_t& read) override { return add(std::move(read)); }
  bool start_object(std::size_t) override { return enter(nlohmann::json::object()); }
  bool key(string_t& name) override {
    const auto [member, fresh] =
        open_.back()->get_ref<nlohmann::json::object_t&>().try_emplace(name, nullptr);
    if (!fresh) twice = name;
    member_ = &member->second;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(nlohmann::json::array()); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& problem) override {
    if (const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&problem)) {
      throw *parse;
    }
    if (const auto* range = dynamic_cast<const nlohmann::json::out_of_range*>(&problem)) {
      throw *range;
    }
    return false;
  }

 private:
  nlohmann::json* put(nlohmann::json read) {
    nlohmann::json* place = &value;
    if (!open_.empty()) {
      place = open_.back()->is_array() ? &open_.back()->emplace_back() : member_;
    }
    *place = std::move(read);
    return place;
  }
  bool add(nlohmann::json read) {
    put(std::move(read));
    return true;
  }
  bool enter(nlohmann::json empty) {
    open_.push_back(put(std::move(empty)));
    too_deep = open_.size() > kDeepest;
    return !too_deep;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }
  std::vector<nlohmann::json*> open_;  // outermost first
  nlohmann::json* member_ = nullptr;   // what the key that was read last names
};

}  // namespace

JsonDocument::JsonDocument(std::string text, const std::filesystem::path& file)
    : text_(std::move(text)), file_(file.string()) {
  Builder built;
  try {
    nlohmann::json::sax_parse(text_, &built);
  } catch (const nlohmann::json::parse_error& problem) {
    const std::size_t last = problem.byte == 0 ? 0 : problem.byte - 1;
    mistake_ = Error{
        ErrorCode::kUsage, why_not_json(text_, problem), "", {file_, line_at(text_, last), 0}};
  } catch (const nlohmann::json::exception& problem) {  // e.g. a number out of range
    mistake_ = Error{ErrorCode::kUsage, plain(problem.what()), "", {file_, 0, 0}};
  }
  if (!mistake_ && built.too_deep) {
    mistake_ = Error{ErrorCode::kUsage, "nested more than 16 levels deep", "", {file_, 0, 0}};
  }
  if (!mistake_ && !built.twice.empty()) {
    mistake_ = Error{ErrorCode::kUsage,
                     fmt::format("\"{}\" is given twice in one object", built.twice),
                     "",
                     {file_, 0, 0}};
  }
  if (!mistake_) json_ = std::move(built.value);
}

JsonDocument::Node JsonDocument::root() { return {this, mistake_ ? nullptr : &json_}; }

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document is
bool JsonDocument::find_path(const nlohmann::json& from, const nlohmann::json* to, Path* path) {
  if (&from == to) return true;
  if (!from.is_structured()) return false;
  for (const auto& [key, value] : from.items()) {
    path->push_back(key);
    if (find_path(value, to, path)) return true;
    path->pop_back();
  }
  return false;
}

void JsonDocument::fail(const Path& path, std::string message, std::string remedy) {
  if (mistake_) return;
  const std::string where = shown(path);
  mistake_ = Error{ErrorCode::kUsage,
                   where.empty() ? std::move(message) : fmt::format("{}: {}", where, message),
                   std::move(remedy),
                   {file_, text_.empty() ? 0 : line_in_json(text_, path), 0}};
}

JsonDocument::Node JsonDocument::Node::child(const nlohmann::json* value) const {
  document_->read_.insert(value);
  return {document_, value};
}

bool JsonDocument::Node::is(bool right_type, std::string_view wanted) const {
  if (value_ != nullptr && !right_type) {
    fail(fmt::format("must be {}, not {}", wanted, in_words(*value_)));
  }
  return value_ != nullptr && right_type;
}

std::string JsonDocument::Node::text() const {
  if (!is(value_ != nullptr && value_->is_string(), "a string")) return "";
  return value_->get<std::string>();
}

std::int64_t JsonDocument::Node::integer() const {
  if (!is(value_ != nullptr && value_->is_number_integer(), "a whole number")) return 0;
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX) {
    fail("the number is too large");
    return 0;
  }
  return value_->get<std::int64_t>();
}

std::uint64_t JsonDocument::Node::natural() const {
  if (!is(value_ != nullptr && value_->is_number_integer(), "a whole number")) return 0;
  if (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0) {
    fail(fmt::format("{} is less than 0", value_->get<std::int64_t>()));
    return 0;
  }
  return value_->get<std::uint64_t>();
}

double JsonDocument::Node::number() const {
  if (!is(value_ != nullptr && value_->is_number(), "a number")) return 0;
  return value_->get<double>();
}

std::size_t JsonDocument::Node::size() const {
  return value_ != nullptr && value_->is_structured() ? value_->size() : 0;
}

nlohmann::json JsonDocument::Node::unread() const {
  const auto rest = [this](const auto& self, const nlohmann::json& value) -> nlohmann::json {
    nlohmann::json left;
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        nlohmann::json part = document_->read_.contains(&member) ? self(self, member) : member;
        if (!document_->read_.contains(&member) || !part.is_null()) left[key] = std::move(part);
      }
    } else if (value.is_array()) {
      bool any = false;
      nlohmann::json parts = nlohmann::json::array();
      for (const nlohmann::json& element : value) {
        parts.push_back(self(self, element));
        any = any || !parts.back().is_null();
      }
      if (any) left = std::move(parts);
    }
    return left;
  };
  return value_ == nullptr ? nlohmann::json() : rest(rest, *value_);
}

nlohmann::json JsonDocument::Node::whole() const {
  return value_ == nullptr ? nlohmann::json() : *value_;
}

void JsonDocument::Node::leave() const { document_->read_.erase(value_); }

bool JsonDocument::Node::boolean() const {
  if (!is(value_ != nullptr && value_->is_boolean(), "true or false")) return false;
  return value_->get<bool>();
}

std::vector<std::byte> JsonDocument::Node::bytes() const {
  if (!is(value_ != nullptr && value_->is_binary(), "bytes")) return {};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(value_->get_binary()));
  return {bytes.begin(), bytes.end()};
}

std::vector<JsonDocument::Node> JsonDocument::Node::elements() const {
  std::vector<Node> nodes;
  if (!is(value_ != nullptr && value_->is_array(), "an array")) return nodes;
  for (const nlohmann::json& element : *value_) nodes.push_back(child(&element));
  return nodes;
}

std::vector<std::pair<std::string, JsonDocument::Node>> JsonDocument::Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is(value_ != nullptr && value_->is_object(), "an object")) return nodes;
  for (const auto& [key, value] : value_->items()) nodes.emplace_back(key, child(&value));
  return nodes;
}

std::map<std::string, std::int64_t> JsonDocument::Node::integers() const {
  std::map<std::string, std::int64_t> numbers;
  for (const auto& [key, value] : members()) numbers[key] = value.integer();
  return numbers;
}

JsonDocument::Node JsonDocument::Node::find(std::string_view key) const {
  if (is(value_ != nullptr && value_->is_object(), "an object")) {
    const auto found = value_->find(key);
    if (found != value_->end()) return child(&*found);
  }
  Node missing(document_, nullptr);
  missing.parent_ = value_;
  missing.key_ = key;
  return missing;
}

JsonDocument::Node JsonDocument::Node::operator[](std::string_view key) const {
  Node node = find(key);
  if (!node.exists() && exists()) fail(fmt::format("\"{}\" is missing", key));
  return node;
}

void JsonDocument::Node::allow_only(std::initializer_list<const char*> keys) const {
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto& [key, node] : members()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    node.fail("there is no such key", did_you_mean(key, known));
  }
}

void JsonDocument::Node::fail(std::string message, std::string remedy) const {
  if (document_->mistake_) return;
  Path path;
  find_path(document_->json_, value_ != nullptr ? value_ : parent_, &path);
  if (value_ == nullptr) path.push_back(key_);
  document_->fail(path, std::move(message), std::move(remedy));
}

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
