#include "architecture/include_rules.h"

#include <sstream>
#include <stdexcept>

namespace tilescope {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

// Cells of the rows between <!-- NAME:begin --> and <!-- NAME:end -->, without the two heading
// rows.
std::vector<std::vector<std::string>> table(std::string_view markdown, const std::string& name,
                                            std::size_t columns) {
  const auto begin = markdown.find("<!-- " + name + ":begin -->");
  const auto end = markdown.find("<!-- " + name + ":end -->");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    throw std::runtime_error("docs/architecture.md has no table " + name);
  }
  std::istringstream lines{std::string(markdown.substr(begin, end - begin))};
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '|') continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() != columns) throw std::runtime_error("malformed row: " + line);
    rows.push_back(cells);
  }
  if (rows.size() < 3) throw std::runtime_error("table " + name + " has no rows");
  rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

// The file named by an #include on this line, or "".
std::string included_file(const std::string& line) {
  const auto hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return "";
  const auto word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return "";
  const auto open = line.find_first_of("<\"", word + 7);
  if (open == std::string::npos) return "";
  const auto close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  if (close == std::string::npos) return "";
  return line.substr(open + 1, close - open - 1);
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

bool allowed_place(const IncludeRules::Outside& rule, const std::string& path) {
  for (const auto& place : rule.places) {
    if (place == first_folder(path) || matches(place, path)) return true;
  }
  return false;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() != '*') {
    return !text.empty() && pattern.front() == text.front() &&
           matches(pattern.substr(1), text.substr(1));
  }
  for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
    if (matches(pattern.substr(1), text.substr(skipped))) return true;
  }
  return false;
}

IncludeRules read_include_rules(std::string_view markdown) {
  IncludeRules rules;
  for (const auto& row : table(markdown, "layers", 3)) {
    const auto name = words(row[0]);
    if (name.size() != 1) throw std::runtime_error("a row of the layers names no layer: " + row[0]);
    const auto below = words(row[2]);
    rules.layers.push_back(name[0]);
    rules.may[name[0]] = {below.begin(), below.end()};
  }
  for (const auto& row : table(markdown, "outside", 3)) {
    rules.outside.push_back({words(row[0]), words(row[1])});
  }
  return rules;
}

std::vector<Violation> include_violations(const IncludeRules& rules, const std::string& path,
                                          std::string_view source) {
  const std::string layer = first_folder(path);
  const auto may = rules.may.find(layer);
  if (may == rules.may.end()) return {{0, "app/" + layer + " has no row in docs/architecture.md"}};

  std::vector<Violation> found;
  std::istringstream lines{std::string(source)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string file = included_file(line);
    if (file.empty()) continue;
    const std::string target = first_folder(file);
    if (rules.may.count(target) > 0 && target != layer && may->second.count(target) == 0) {
      found.push_back({number, layer + " may not include " + file});
    }
    for (const auto& rule : rules.outside) {
      for (const auto& header : rule.headers) {
        if (matches(header, file) && !allowed_place(rule, path)) {
          found.push_back({number, file + " may not be included in " + path});
        }
      }
    }
  }
  return found;
}

}  // namespace tilescope
