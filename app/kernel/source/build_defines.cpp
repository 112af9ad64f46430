#include "kernel/source/build_defines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <system_error>

#include "core/file.h"
#include "kernel/source/header_folders.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_build_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "Makefile" || name == "makefile" || name == "GNUmakefile" ||
         name == "CMakeLists.txt" || path.extension() == ".mk";
}

// In the order of their names.
std::vector<fs::path> build_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (is_build_file(entry->path())) files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

// $(NAME) and ${NAME} as what the same file sets them to, where that is one word.
std::string with_variables(const std::string& text) {
  const std::regex set(
      R"((?:^|\n)[ \t]*(?:set\(\s*(\w+)\s+([\w.]+)\s*\)|(\w+)[ \t]*[:?]?=[ \t]*([\w.]+)[ \t]*(?=\n|$)))");
  std::map<std::string, std::string> values;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), set); at != std::sregex_iterator();
       ++at) {
    const bool is_cmake = (*at)[1].matched;
    values.emplace((*at)[is_cmake ? 1 : 3].str(), (*at)[is_cmake ? 2 : 4].str());
  }
  const std::regex use(R"(\$[({](\w+)[)}])");
  std::string whole;
  std::size_t done = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), use); at != std::sregex_iterator();
       ++at) {
    const auto value = values.find((*at)[1].str());
    if (value == values.end()) continue;
    whole += text.substr(done, static_cast<std::size_t>(at->position()) - done) + value->second;
    done = static_cast<std::size_t>(at->position() + at->length());
  }
  return whole + text.substr(done);
}

// What CMake's commands define, as options of the compiler: "-DTILE=16 -DFAST" of
// target_compile_definitions(program PRIVATE TILE=16 FAST).
std::string definitions_as_options(const std::string& text) {
  const std::regex command(R"(\b(add|target)_compile_definitions\s*\(([^)]*)\))");
  const std::regex word(R"((?:^|[\s"])([A-Za-z_]\w*(?:=[^\s"')$]+)?)(?![=$\w]))");
  std::string options;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), command);
       at != std::sregex_iterator(); ++at) {
    const std::string words = (*at)[2].str();
    auto one = std::sregex_iterator(words.begin(), words.end(), word);
    if ((*at)[1] == "target" && one != std::sregex_iterator()) ++one;  // its name
    for (; one != std::sregex_iterator(); ++one) {
      const std::string define = (*one)[1].str();
      const bool is_scope = define == "PRIVATE" || define == "PUBLIC" || define == "INTERFACE";
      if (!is_scope) options += " -D" + define;
    }
  }
  return options;
}

// What `pattern` finds in a project's build files, its groups together, each first group once: of
// the nearest folder in whose files it finds something.
std::vector<std::string> said_by_build(const fs::path& folder, const std::regex& pattern) {
  constexpr std::uintmax_t kMostBytes = 256 << 10;
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const fs::path& place : project_folders(folder)) {
    for (const fs::path& file : build_files(place)) {
      const auto written = read_file(file, kMostBytes);
      if (!written) continue;
      std::string text = with_variables(*written);
      text += definitions_as_options(text);
      for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
           at != std::sregex_iterator(); ++at) {
        const bool is_of_cmake = (*at)[1].str().starts_with("CMAKE_");
        if (!is_of_cmake && names.insert((*at)[1].str()).second) {
          found.push_back((*at)[1].str() + (*at)[2].str());
        }
      }
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

std::vector<std::string> build_defines(const fs::path& folder) {
  return said_by_build(
      folder,
      std::regex(R"((?:^|[\s"'=(])-D\s?([A-Za-z_]\w*)(=[^\s"')$]+(?=[\s"')]|$))?(?![=$\w]))"));
}

std::vector<std::string> build_libraries(const fs::path& folder) {
  return said_by_build(folder, std::regex(R"((?:^|[\s"'=(])-l(?!ineinfo)([A-Za-z][\w+.-]*)())"));
}

}  // namespace tilescope
