#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

// The tables of docs/architecture.md.
struct IncludeRules {
  struct Outside {
    std::vector<std::string> headers;  // patterns, '*' for any characters
    std::vector<std::string> places;   // layers, or patterns of paths below app/
  };
  std::vector<std::string> layers;                   // in the table's order, bottom first
  std::map<std::string, std::set<std::string>> may;  // layer -> layers it may include
  std::vector<Outside> outside;
  // Folders inside layers, by path: "emulator/block" -> folders of its layer that it may include.
  // "scene/*": of every folder without a row of its own. A layer that has none here is not held to
  // an order.
  std::vector<std::string> folders;  // in the table's order, bottom first
  std::map<std::string, std::set<std::string>> folder_may;
};

// Throws std::runtime_error where a table is missing or a row malformed.
IncludeRules read_include_rules(std::string_view markdown);

struct Violation {
  int line = 0;
  std::string what;
};

// path is below app/, with '/': "kernel/nvrtc.cpp", "main.cpp".
std::vector<Violation> include_violations(const IncludeRules& rules, const std::string& path,
                                          std::string_view source);

// What a folder may include: of its own row, else of the pattern that matches; nullptr: none does.
const std::set<std::string>* folders_below(const IncludeRules& rules, const std::string& folder);

// Includes between the folders of a layer that the table does not allow. `sources`: texts by path,
// as above. What a file in the layer's own folder includes counts for everybody who includes it, so
// that no cycle can be closed through it. The key is the path of the file at fault.
std::vector<std::pair<std::string, Violation>> folder_violations(
    const IncludeRules& rules, const std::map<std::string, std::string>& sources);

// Folders of a layer of which each includes the next one and the last one the first; empty: there
// are none. A file in the layer's own folder passes on what it includes, as above.
std::vector<std::string> folder_cycle(const std::string& layer,
                                      const std::map<std::string, std::string>& sources);

// Glob with '*' alone.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace tilescope
