#include "kernel/launch/near_sources.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200;
constexpr std::uintmax_t kMostBytes = 256 << 10;

bool may_launch(const fs::path& path) {
  constexpr std::array<std::string_view, 6> kEndings{".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc"};
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

// In the order of their names.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code unknown;
    if (may_launch(entry->path()) && entry->is_regular_file(unknown) &&
        entry->file_size(unknown) <= kMostBytes) {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::string> sources_near(const std::string& path, const std::string& kernel) {
  std::error_code failed;
  const fs::path own = fs::canonical(path, failed);
  if (failed || !fs::is_regular_file(own, failed)) return {};
  const std::string name = kernel.substr(kernel.rfind(':') + 1);  // npos + 1: from the beginning
  std::vector<std::string> sources;
  std::size_t seen = 0;
  for (const fs::path& folder : {own.parent_path(), own.parent_path().parent_path()}) {
    for (const fs::path& file : files_of(folder)) {
      if (file == own || ++seen > kMostFiles) continue;
      std::ifstream stream(file, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      const bool launches = text.find("<<<") != std::string::npos;
      if (launches && text.find(name) != std::string::npos) sources.push_back(std::move(text));
    }
  }
  return sources;
}

}  // namespace tilescope
