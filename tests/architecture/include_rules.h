#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// The two tables of docs/architecture.md.
struct IncludeRules {
  struct Outside {
    std::vector<std::string> headers;  // patterns, '*' for any characters
    std::vector<std::string> places;   // layers, or patterns of paths below app/
  };
  std::vector<std::string> layers;                   // in the table's order, bottom first
  std::map<std::string, std::set<std::string>> may;  // layer -> layers it may include
  std::vector<Outside> outside;
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

// Glob with '*' alone.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace tilescope
