#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dim3.h"
#include "core/json_document.h"

// One function lists the fields that a type has in files and messages:
//
//   template <typename Visitor>
//   void fields(Visitor& visit, TimingOptions& timing) {
//     visit("cold", timing.cold);
//     visit("samples", timing.samples, {.least = 1, .most = kMostLaunches});
//     visit(sparse("factors"), timing.factors);
//   }
//
// A FieldWriter makes JSON of it, a FieldReader reads it back and finds every mistake. A type whose
// JSON is an array names its parts with elements() instead: visit(point.x); visit(point.y).
// Writing does not change a value, so a writer also takes a const one.

namespace tilescope {

// The name of a field, and what a file may leave out.
struct FieldName {
  enum class Presence : std::uint8_t {
    kAlways,   // a file without it is wrong
    kLenient,  // always written, but an older file may lack it: then the value stays as it is
    kSparse,   // written only where the value is not the type's first one; may be missing
  };
  // NOLINTNEXTLINE(google-explicit-constructor): visit("cold", ...) is the usual case
  FieldName(std::string_view its_name, Presence its_presence = Presence::kAlways)
      : name(its_name), presence(its_presence) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  FieldName(const char* its_name) : FieldName(std::string_view(its_name)) {}
  std::string_view name;
  Presence presence;
};
[[nodiscard]] inline FieldName lenient(std::string_view name) {
  return {name, FieldName::Presence::kLenient};
}
[[nodiscard]] inline FieldName sparse(std::string_view name) {
  return {name, FieldName::Presence::kSparse};
}

// The values that a reader accepts. In a list or a map, `least` and `most` apply to each element.
struct FieldLimits {
  long double least = -std::numeric_limits<long double>::infinity();
  long double most = std::numeric_limits<long double>::infinity();
  std::size_t most_elements = std::numeric_limits<std::size_t>::max();  // or bytes of a text
  const char* elements = "elements";  // what a list has too many of: "launches"
  int digits = 0;                     // kept of a real number when it is written; 0: all
};

// The JSON text of an enumerator, and what to do with a name that this version does not know.
template <typename E>
struct EnumeratorNames {
  std::string_view (*name_of)(E);
  std::optional<E> (*parse)(std::string_view);
  // "view": a name of another version stays in the file, the value stays as it is, and the reader
  // remarks so. nullptr: it is a mistake.
  const char* what = nullptr;
};

namespace fields_detail {

template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_map = false;
template <typename T>
inline constexpr bool is_map<std::map<std::string, T>> = true;
template <typename T>
inline constexpr bool is_set = std::is_same_v<T, std::set<std::string>>;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename Visitor, typename T>
concept HasElements = requires(Visitor& visit, T& value) {
  elements(visit, value);
};

}  // namespace fields_detail

// The context of types whose fields() need nothing beside the value.
struct NoContext {};

// Makes JSON of a value, in the order in which its fields are named.
template <typename Json = nlohmann::ordered_json, typename Context = NoContext>
class FieldWriter {
 public:
  static constexpr bool kReads = false;

  explicit FieldWriter(const Context& context) : context_(context) {}

  template <typename T>
  [[nodiscard]] Json json_of(const T& value, const FieldLimits& limits = {}) const {
    using namespace fields_detail;
    if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
      const auto* begin = reinterpret_cast<const std::uint8_t*>(value.data());
      return Json::binary(std::vector<std::uint8_t>(begin, begin + value.size()));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (limits.digits == 0) return Json(value);
      return Json(std::strtod(fmt::format("{:.{}g}", value, limits.digits).c_str(), nullptr));
    } else if constexpr (std::is_enum_v<T>) {
      return Json(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return Json(value);
    } else if constexpr (is_optional<T>) {
      return value ? json_of(*value, limits) : Json();
    } else if constexpr (is_vector<T> || is_set<T>) {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(json_of(element, limits));
      return list;
    } else if constexpr (is_map<T>) {
      Json object = Json::object();
      for (const auto& [name, element] : value) object[name] = json_of(element, limits);
      return object;
    } else {
      constexpr bool kList = HasElements<FieldWriter, T>;
      FieldWriter inner(context_);
      inner.json_ = kList ? Json::array() : Json::object();
      auto& unchanged = const_cast<T&>(value);  // see above
      if constexpr (kList) {
        elements(inner, unchanged);
      } else {
        fields(inner, unchanged);
      }
      return std::move(inner.json_);
    }
  }

  template <typename T>
  void operator()(const FieldName& field, const T& value, const FieldLimits& limits = {}) {
    if (field.presence == FieldName::Presence::kSparse && is_first(value)) return;
    json_[std::string(field.name)] = json_of(value, limits);
  }
  // An element.
  template <typename T>
  void operator()(const T& value, const FieldLimits& limits = {}) {
    json_.push_back(json_of(value, limits));
  }
  template <typename E>
  void named(const FieldName& field, const E& value, const EnumeratorNames<E>& names) {
    if (field.presence == FieldName::Presence::kSparse && value == E{}) return;
    json_[std::string(field.name)] = names.name_of(value);
  }
  // An object that only groups fields of this type: `its_fields` gets a visitor.
  template <typename Fields>
  void group(const FieldName& field, const Fields& its_fields) {
    FieldWriter inner(context_);
    inner.json_ = Json::object();
    its_fields(inner);
    json_[std::string(field.name)] = std::move(inner.json_);
  }
  template <typename Known>
  void allow_only(const Known& /*known*/, const char* /*message*/) {}
  void check(std::string_view /*field*/, bool /*right*/, std::string_view /*message*/,
             std::string_view /*remedy*/ = "") {}

  [[nodiscard]] const Context& context() const { return context_; }
  [[nodiscard]] Json& json() { return json_; }  // of the object that is being written

 private:
  // Whether it is what the type begins with.
  template <typename T>
  static bool is_first(const T& value) {
    if constexpr (fields_detail::is_optional<T>) {
      return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      return value == T{};
    } else {
      return false;
    }
  }

  const Context& context_;
  Json json_;
};

// Reads a value back. The document keeps the first mistake. Where fields() names an
// EnumeratorNames::what, the context has remark_unknown(what, name, name of the value that stays).
template <typename Context = NoContext>
class FieldReader {
 public:
  static constexpr bool kReads = true;
  using Node = JsonDocument::Node;

  FieldReader(Node node, Context& context) : node_(std::move(node)), context_(context) {}

  template <typename T>
  void read(const Node& node, T& value, const FieldLimits& limits = {}) const {
    using namespace fields_detail;
    if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
      value = node.bytes();
    } else if constexpr (std::is_same_v<T, bool>) {
      value = node.boolean();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = node.text();
      check_size(node, value.size(), limits, "bytes");
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(number<std::underlying_type_t<T>>(node, limits));
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = number<T>(node, limits);
    } else if constexpr (is_optional<T>) {
      value.reset();
      if (!node.is_null()) read(node, value.emplace(), limits);
    } else if constexpr (is_vector<T>) {
      value.clear();
      if (!check_size(node, node.size(), limits, limits.elements)) return;
      for (const Node& element : node.elements()) read(element, value.emplace_back(), limits);
    } else if constexpr (is_set<T>) {
      for (const Node& element : node.elements()) {
        std::string text;
        read(element, text, limits);
        value.insert(std::move(text));
      }
    } else if constexpr (is_map<T>) {
      value.clear();
      if (!check_size(node, node.size(), limits, limits.elements)) return;
      for (const auto& [name, element] : node.members()) read(element, value[name], limits);
    } else if constexpr (HasElements<FieldReader, T>) {
      FieldReader inner(node, context_);
      inner.parts_ = node.elements();
      elements(inner, value);
      if (inner.parts_.size() != inner.next_) {
        node.fail(fmt::format("must have {} elements, not {}", inner.next_, inner.parts_.size()));
      }
    } else {
      FieldReader inner(node, context_);
      fields(inner, value);
    }
  }

  template <typename T>
  void operator()(const FieldName& field, T& value, const FieldLimits& limits = {}) const {
    const Node node = member(field);
    if (node.exists()) read(node, value, limits);
  }
  template <typename T>
  void operator()(T& value, const FieldLimits& limits = {}) {
    if (next_ < parts_.size()) read(parts_[next_], value, limits);
    ++next_;
  }
  template <typename E>
  void named(const FieldName& field, E& value, const EnumeratorNames<E>& names) const {
    const Node node = member(field);
    if (!node.exists()) return;
    const std::string name = node.text();
    if (!check_size(node, name.size(), {.most_elements = 4096}, "bytes")) return;
    if (const std::optional<E> known = names.parse(name)) {
      value = *known;
    } else if (name.empty()) {
      node.fail("a name is missing");
    } else if (names.what == nullptr) {
      node.fail(fmt::format("'{}' is not known here", name));
    } else if constexpr (requires { context_.remark_unknown("", name, ""); }) {
      node.leave();
      context_.remark_unknown(names.what, name, names.name_of(value));
    }
  }
  template <typename Fields>
  void group(const FieldName& field, const Fields& its_fields) const {
    const Node node = member(field);
    if (!node.exists()) return;
    FieldReader inner(node, context_);
    its_fields(inner);
  }
  // Reports a field as wrong unless `right`; an empty `field` means the whole object.
  void check(std::string_view field, bool right, std::string_view message,
             std::string_view remedy = "") const {
    if (right) return;
    (field.empty() ? node_ : node_.find(field)).fail(std::string(message), std::string(remedy));
  }

  // Every other name in this object is a mistake.
  template <typename Known>
  void allow_only(const Known& known, const char* message) const {
    for (const auto& [name, member] : node_.members()) {
      if (!known(name)) member.fail(message);
    }
  }

  [[nodiscard]] Context& context() const { return context_; }
  [[nodiscard]] const Node& node() const { return node_; }  // of the object that is being read

 private:
  [[nodiscard]] Node member(const FieldName& field) const {
    return field.presence == FieldName::Presence::kAlways ? node_[field.name]
                                                          : node_.find(field.name);
  }

  static bool check_size(const Node& node, std::size_t size, const FieldLimits& limits,
                         const char* what) {
    if (size <= limits.most_elements) return true;
    node.fail(fmt::format("{} {}, at most {} are taken", size, what, limits.most_elements));
    return false;
  }

  // 0 where the node has no such number; the document then has a mistake.
  template <typename T>
  static T number(const Node& node, const FieldLimits& limits) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      const double value = node.number();
      const bool bounded = std::isfinite(limits.least) || std::isfinite(limits.most);
      const bool inside = value >= limits.least && value <= limits.most && std::isfinite(value);
      if (!bounded || inside) return static_cast<T>(value);
      node.fail(fmt::format("{} is outside {} to {}", value, limits.least, limits.most));
      return T{};
    } else {
      using Wide =
          std::conditional_t<std::is_unsigned_v<T> && sizeof(T) == 8, std::uint64_t, std::int64_t>;
      const Wide value = [&] {
        if constexpr (std::is_same_v<Wide, std::uint64_t>)
          return node.natural();
        else
          return node.integer();
      }();
      const auto least = std::max(limits.least, static_cast<long double>(Limits::min()));
      const auto most = std::min(limits.most, static_cast<long double>(Limits::max()));
      if (static_cast<long double>(value) >= least && static_cast<long double>(value) <= most) {
        return static_cast<T>(value);
      }
      node.fail(fmt::format("{} is outside {:.0f} to {:.0f}", value, least, most));
      return T{};
    }
  }

  Node node_;
  Context& context_;
  std::vector<Node> parts_;  // of an array
  std::size_t next_ = 0;
};

// [x, y, z] of an extent or of an index.
template <typename Visitor>
void elements(Visitor& visit, Dim3& extent) {
  for (std::uint32_t* part : {&extent.x, &extent.y, &extent.z}) {
    visit(*part, {.most = 0x7fffffff});
  }
}

// The JSON of a value whose fields need no context.
template <typename Json = nlohmann::ordered_json, typename T>
[[nodiscard]] Json json_of_fields(const T& value) {
  const NoContext context;
  return FieldWriter<Json>(context).json_of(value);
}

// The value at a node; mistakes are kept in its document.
template <typename T>
[[nodiscard]] T read_fields(const JsonDocument::Node& node) {
  NoContext context;
  T value;
  FieldReader<>(node, context).read(node, value);
  return value;
}

}  // namespace tilescope
