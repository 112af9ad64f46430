#include "ui/layout_text.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tilescope {
namespace {

constexpr int kMostPixels = 32767;

std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + 2, end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || value == 0) return std::nullopt;
  return value;
}

bool is_number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end && value >= -kMostPixels &&
         value <= kMostPixels;
}

bool is_pair(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && is_number(text.substr(0, comma)) &&
         is_number(text.substr(comma + 1));
}

// "20261130"
bool is_date(std::string_view text) {
  return text.size() == 8 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct Node {
  int children = 0;
  bool splits = false;
};

// Reads the text line by line.
class LayoutCheck {
 public:
  bool line(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) return true;
    if (words.front().starts_with('[')) {
      const bool window = text.starts_with("[Window][") && text.ends_with(']');
      docking_ = text == "[Docking][Data]";
      return window || docking_;
    }
    return docking_ ? node(words) : words.size() == 1 && window_field(words.front());
  }

  [[nodiscard]] bool holds() const {
    for (const auto& [id, node] : nodes_) {
      if (node.children != (node.splits ? 2 : 0)) return false;
    }
    for (const std::uint32_t id : docked_) {
      const auto node = nodes_.find(id);
      if (node == nodes_.end() || node->second.splits) return false;
    }
    return !nodes_.empty();
  }

 private:
  bool window_field(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (name == "DockId") {
      const auto id = hexadecimal(value.substr(0, value.find(',')));
      if (id) docked_.insert(*id);
      const std::size_t comma = value.find(',');
      return id && (comma == std::string_view::npos || is_number(value.substr(comma + 1)));
    }
    if (name == "Collapsed" || name == "IsChild") return value == "0" || value == "1";
    if (name == "LastUsed") return is_date(value);
    if (name == "ViewportId" || name == "ClassId") return hexadecimal(value).has_value();
    return (name == "Pos" || name == "Size" || name == "ViewportPos") && is_pair(value);
  }

  bool node(const std::vector<std::string>& words) {
    const bool root = words.front() == "DockSpace";
    if (!root && words.front() != "DockNode") return false;
    if (root && !nodes_.empty()) return false;
    Node node;
    std::optional<std::uint32_t> id;
    std::optional<std::uint32_t> parent;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) return false;
      const std::string name = words[i].substr(0, equals);
      const std::string value = words[i].substr(equals + 1);
      if (name == "ID") {
        id = hexadecimal(value);
      } else if (name == "Parent") {
        parent = hexadecimal(value);
        if (!parent) return false;
      } else if (name == "Split") {
        if (value != "X" && value != "Y") return false;
        node.splits = true;
      } else if (name == "Window" || name == "Selected") {
        if (!hexadecimal(value)) return false;
      } else if (name == "Pos" || name == "Size" || name == "SizeRef") {
        if (!is_pair(value)) return false;
      } else if (value != "1") {  // CentralNode, HiddenTabBar and their like
        return false;
      }
    }
    if (!id || root == parent.has_value()) return false;
    if (parent) {
      const auto above = nodes_.find(*parent);
      if (above == nodes_.end() || !above->second.splits || ++above->second.children > 2) {
        return false;
      }
    }
    return nodes_.emplace(*id, node).second;
  }

  bool docking_ = false;
  std::map<std::uint32_t, Node> nodes_;
  std::set<std::uint32_t> docked_;  // nodes that windows say they are in
};

}  // namespace

bool is_sound_layout(std::string_view text) {
  std::istringstream lines{std::string(text)};
  LayoutCheck check;
  for (std::string line; std::getline(lines, line);) {
    if (!check.line(line)) return false;
  }
  return check.holds();
}

}  // namespace tilescope
