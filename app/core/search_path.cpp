#include "core/search_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tilescope {
namespace fs = std::filesystem;

std::vector<fs::path> folders_of_list(const char* list) {
  std::vector<fs::path> folders;
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return folders;
}

fs::path find_on_path(const char* program) {
  for (const fs::path& folder : folders_of_list(std::getenv("PATH"))) {
    fs::path file = folder / program;
    std::error_code ignored;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored)) return file;
  }
  return {};
}

}  // namespace tilescope
