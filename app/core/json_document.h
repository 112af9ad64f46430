#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/result.h"

namespace tilescope {

// A JSON file that people write by hand, or a message of the same shape. The first mistake found in
// it is kept, with the path to the wrong value and its line; reading goes on with empty values, so
// a reader needs no checks between.
class JsonDocument {
 public:
  class Node;

  // Text that is no JSON, a key given twice, or nesting without end counts as a mistake.
  JsonDocument(std::string text, const std::filesystem::path& file);
  // A value that is decoded already: its mistakes have a path, but no file and no line.
  explicit JsonDocument(nlohmann::json value) : json_(std::move(value)) {}

  [[nodiscard]] Node root();
  [[nodiscard]] const std::optional<Error>& mistake() const { return mistake_; }

 private:
  using Path = std::vector<std::string>;  // keys, and indices in decimal
  // Appends the way from `from` to the value at this address; false: it is not below `from`.
  static bool find_path(const nlohmann::json& from, const nlohmann::json* to, Path* path);
  void fail(const Path& path, std::string message, std::string remedy = "");

  std::string text_;
  std::string file_;
  nlohmann::json json_;
  std::optional<Error> mistake_;
  std::unordered_set<const nlohmann::json*> read_;  // values that were asked for
};

// A place in the document. Reading a value of the wrong type is a mistake and gives an empty one.
class JsonDocument::Node {
 public:
  [[nodiscard]] bool exists() const { return value_ != nullptr; }
  [[nodiscard]] bool is_null() const { return value_ != nullptr && value_->is_null(); }

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t natural() const;  // from 0
  [[nodiscard]] double number() const;          // of a text: finite
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::vector<std::byte> bytes() const;  // of a message alone: text has no such value
  [[nodiscard]] std::vector<Node> elements() const;    // of an array
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;  // of an object

  [[nodiscard]] std::map<std::string, std::int64_t> integers() const;  // of an object
  // A member; it must be there.
  [[nodiscard]] Node operator[](std::string_view key) const;
  // A member, or a node that does not exist.
  [[nodiscard]] Node find(std::string_view key) const;
  [[nodiscard]] std::size_t size() const;  // of an array or an object; 0: neither
  // What nobody has asked for so far, of an object and all that is in it: another version's. Arrays
  // keep their length, with null where all was asked for. null: nothing.
  [[nodiscard]] nlohmann::json unread() const;
  [[nodiscard]] nlohmann::json whole() const;  // as it came, all that is in it; null: not there
  // A value that was asked for and means nothing to this version: unread() has it all the same.
  void leave() const;
  // Any other member is a mistake.
  void allow_only(std::initializer_list<const char*> keys) const;

  void fail(std::string message, std::string remedy = "") const;

 private:
  friend class JsonDocument;
  Node(JsonDocument* document, const nlohmann::json* value) : document_(document), value_(value) {}
  [[nodiscard]] Node child(const nlohmann::json* value) const;
  [[nodiscard]] bool is(bool right_type, std::string_view wanted) const;

  JsonDocument* document_;
  const nlohmann::json* value_;             // nullptr: does not exist
  const nlohmann::json* parent_ = nullptr;  // then where it was looked for
  std::string key_;                         // and by this name
};

// The line (1-based) where the value at `path` begins in valid JSON; where it does not exist, the
// line of the innermost part of the path that does.
[[nodiscard]] int line_in_json(std::string_view json, const std::vector<std::string>& path);

// A JSON file of at most 256 MiB, which `read` gets the root of. kUsage with the file and the
// remedy: it cannot be read, or it is "not a file of WHAT: ...", with the line of its first
// mistake.
template <typename Read>
[[nodiscard]] auto load_json_file(const std::filesystem::path& file, const char* what,
                                  const char* remedy, const Read& read)
    -> Result<std::invoke_result_t<Read, JsonDocument::Node>> {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
  auto text = read_file(file, kMostBytes);
  if (!text) return Error{ErrorCode::kUsage, "cannot be read", remedy, {file.string(), 0, 0}};
  JsonDocument document(*std::move(text), file);
  auto value = read(document.root());
  if (!document.mistake()) return value;
  Error mistake = *document.mistake();
  mistake.message = fmt::format("not a file of {}: {}", what, mistake.message);
  if (mistake.remedy.empty()) mistake.remedy = remedy;
  return mistake;
}

}  // namespace tilescope
