#include "architecture/include_rules.h"

#include <algorithm>
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

// "emulator/block" of "emulator/block/warp.h"; "" for a file in the layer's own folder.
std::string inner_folder(const std::string& path) {
  const auto first = path.find('/');
  const auto last = path.rfind('/');
  return first == last ? "" : path.substr(0, path.find('/', first + 1));
}

using Includes = std::vector<std::pair<int, std::string>>;  // line and file

Includes includes_of(std::string_view source) {
  Includes found;
  std::istringstream lines{std::string(source)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::string file = included_file(line); !file.empty()) found.emplace_back(number, file);
  }
  return found;
}

// The folders that a file leads to: its own, or those that a file in the layer's folder includes.
void collect_folders(const std::string& file, const std::map<std::string, std::string>& sources,
                     std::set<std::string>& seen, std::set<std::string>& folders) {
  if (!seen.insert(file).second) return;
  if (const std::string folder = inner_folder(file); !folder.empty()) {
    folders.insert(folder);
    return;
  }
  const auto source = sources.find(file);
  if (source == sources.end()) return;
  for (const auto& [line, next] : includes_of(source->second)) {
    if (first_folder(next) == first_folder(file)) collect_folders(next, sources, seen, folders);
  }
}

using FolderGraph = std::map<std::string, std::set<std::string>>;

// From `folder` on along the includes to a folder that is on the way already.
bool find_cycle(const FolderGraph& graph, const std::string& folder, std::set<std::string>& done,
                std::vector<std::string>& way) {
  const auto seen = std::find(way.begin(), way.end(), folder);
  if (seen != way.end()) {
    way.erase(way.begin(), seen);
    return true;
  }
  if (!done.insert(folder).second) return false;
  way.push_back(folder);
  if (const auto next = graph.find(folder); next != graph.end()) {
    for (const auto& target : next->second) {
      if (find_cycle(graph, target, done, way)) return true;
    }
  }
  way.pop_back();
  return false;
}

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
  for (const auto& row : table(markdown, "folders", 3)) {
    const auto name = words(row[0]);
    if (name.size() != 1) throw std::runtime_error("a row of the folders names none: " + row[0]);
    const auto below = words(row[2]);
    rules.folders.push_back(name[0]);
    std::set<std::string>& may = rules.folder_may[name[0]];
    for (const auto& folder : below) may.insert(first_folder(name[0]) + "/" + folder);
  }
  return rules;
}

std::vector<Violation> include_violations(const IncludeRules& rules, const std::string& path,
                                          std::string_view source) {
  const std::string layer = first_folder(path);
  const auto may = rules.may.find(layer);
  if (may == rules.may.end()) return {{0, "app/" + layer + " has no row in docs/architecture.md"}};

  std::vector<Violation> found;
  for (const auto& [number, file] : includes_of(source)) {
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

const std::set<std::string>* folders_below(const IncludeRules& rules, const std::string& folder) {
  if (const auto own = rules.folder_may.find(folder); own != rules.folder_may.end())
    return &own->second;
  for (const auto& [pattern, below] : rules.folder_may) {
    if (matches(pattern, folder)) return &below;
  }
  return nullptr;
}

std::vector<std::pair<std::string, Violation>> folder_violations(
    const IncludeRules& rules, const std::map<std::string, std::string>& sources) {
  std::set<std::string> layers;
  for (const auto& folder : rules.folders) layers.insert(first_folder(folder));
  std::vector<std::pair<std::string, Violation>> found;
  for (const auto& [path, source] : sources) {
    const std::string folder = inner_folder(path);
    if (folder.empty() || layers.count(first_folder(path)) == 0) continue;
    const std::set<std::string>* may = folders_below(rules, folder);
    if (may == nullptr) {
      found.push_back({path, {0, folder + " has no row among the folders"}});
      continue;
    }
    for (const auto& [line, file] : includes_of(source)) {
      if (first_folder(file) != first_folder(path)) continue;
      std::set<std::string> seen;
      std::set<std::string> reached;
      collect_folders(file, sources, seen, reached);
      for (const auto& target : reached) {
        if (target == folder || may->count(target) > 0) continue;
        const std::string by = inner_folder(file).empty() ? " by " + file : "";
        found.push_back({path, {line, folder + " may not include " + target + by}});
      }
    }
  }
  return found;
}

std::vector<std::string> folder_cycle(const std::string& layer,
                                      const std::map<std::string, std::string>& sources) {
  FolderGraph graph;
  for (const auto& [path, source] : sources) {
    const std::string folder = inner_folder(path);
    if (folder.empty() || first_folder(path) != layer) continue;
    for (const auto& [line, file] : includes_of(source)) {
      if (first_folder(file) != layer) continue;
      std::set<std::string> seen;
      collect_folders(file, sources, seen, graph[folder]);
    }
    graph[folder].erase(folder);
  }
  std::set<std::string> done;
  std::vector<std::string> way;
  for (const auto& [folder, targets] : graph) {
    if (find_cycle(graph, folder, done, way)) return way;
  }
  return {};
}

}  // namespace tilescope
