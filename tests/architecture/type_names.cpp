#include "architecture/type_names.h"

#include <regex>
#include <sstream>

namespace tilescope {

std::vector<std::string> defined_types(std::string_view header) {
  static const std::regex kOpening(R"(^(?:inline )?namespace ([\w:]+) \{)");
  static const std::regex kClosing(R"(^\}  // namespace ([\w:]+))");
  static const std::regex kDefinition(
      R"(^(?:struct|class|union|enum class|enum) (\w+)(?: final)?(?: : [^;]*)? \{)");
  std::vector<std::string> scopes;
  std::vector<std::string> found;
  std::istringstream lines{std::string(header)};
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, kOpening)) {
      scopes.push_back(match[1]);
    } else if (!scopes.empty() && std::regex_search(line, match, kClosing)) {
      scopes.pop_back();
    } else if (std::regex_search(line, match, kDefinition)) {
      std::string name;
      for (const std::string& scope : scopes) name += scope + "::";
      found.push_back(name + match[1].str());
    }
  }
  return found;
}

}  // namespace tilescope
