#include "kernel/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernel/spelling.h"

namespace tilescope {
namespace {

constexpr int kDeepest = 16;

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

// What went wrong, in nlohmann's "[json.exception.parse_error.101] parse error at line 1, column 5:
// " without that head.
std::string plain(std::string_view what) {
  const std::size_t colon = what.find(": ");
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

}  // namespace

JsonDocument::JsonDocument(std::string text, const std::filesystem::path& file)
    : text_(std::move(text)), file_(file.string()) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  bool too_deep = false;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    too_deep = too_deep || depth > kDeepest;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return !too_deep;
  };
  try {
    json_ = nlohmann::json::parse(text_, watch);
  } catch (const nlohmann::json::parse_error& problem) {
    const std::size_t last = problem.byte == 0 ? 0 : problem.byte - 1;
    mistake_ =
        Error{ErrorCode::kUsage, plain(problem.what()), "", {file_, line_at(text_, last), 0}};
  } catch (const nlohmann::json::exception& problem) {  // e.g. a number out of range
    mistake_ = Error{ErrorCode::kUsage, plain(problem.what()), "", {file_, 0, 0}};
  }
  if (!mistake_ && too_deep) {
    mistake_ = Error{ErrorCode::kUsage, "nested more than 16 levels deep", "", {file_, 0, 0}};
  }
  if (!mistake_ && !twice.empty()) {
    mistake_ = Error{ErrorCode::kUsage,
                     fmt::format("\"{}\" is given twice in one object", twice),
                     "",
                     {file_, 0, 0}};
  }
  if (mistake_) json_ = nullptr;
}

JsonDocument::Node JsonDocument::root() { return {this, mistake_ ? nullptr : &json_, {}}; }

void JsonDocument::fail(const Path& path, std::string message, std::string remedy) {
  if (mistake_) return;
  const std::string where = shown(path);
  mistake_ = Error{ErrorCode::kUsage,
                   where.empty() ? std::move(message) : fmt::format("{}: {}", where, message),
                   std::move(remedy),
                   {file_, line_in_json(text_, path), 0}};
}

JsonDocument::Node JsonDocument::Node::child(const nlohmann::json* value, std::string step) const {
  Path path = path_;
  path.push_back(std::move(step));
  return {document_, value, std::move(path)};
}

bool JsonDocument::Node::is(bool right_type, std::string_view wanted) const {
  if (value_ != nullptr && !right_type) {
    fail(fmt::format("must be {}, not {}", wanted, value_->type_name()));
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

bool JsonDocument::Node::boolean() const {
  if (!is(value_ != nullptr && value_->is_boolean(), "true or false")) return false;
  return value_->get<bool>();
}

std::vector<JsonDocument::Node> JsonDocument::Node::elements() const {
  std::vector<Node> nodes;
  if (!is(value_ != nullptr && value_->is_array(), "an array")) return nodes;
  for (const nlohmann::json& element : *value_) {
    nodes.push_back(child(&element, std::to_string(nodes.size())));
  }
  return nodes;
}

std::vector<std::pair<std::string, JsonDocument::Node>> JsonDocument::Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!is(value_ != nullptr && value_->is_object(), "an object")) return nodes;
  for (const auto& [key, value] : value_->items()) nodes.emplace_back(key, child(&value, key));
  return nodes;
}

JsonDocument::Node JsonDocument::Node::find(std::string_view key) const {
  if (!is(value_ != nullptr && value_->is_object(), "an object"))
    return child(nullptr, std::string(key));
  const auto found = value_->find(key);
  return child(found == value_->end() ? nullptr : &*found, std::string(key));
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
  document_->fail(path_, std::move(message), std::move(remedy));
}

}  // namespace tilescope
