#include "kernel/compile/spelled_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/file.h"
#include "core/paths.h"
#include "kernel/compile/compile_cache.h"
#include "kernel/compile/virtual_headers.h"
#include "kernel/source/header_folders.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool is_same_but_for_case(std::string_view one, std::string_view other) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(one, other,
                            [&](char left, char right) { return small(left) == small(right); });
}

// The file below `folder`, whatever the case of the letters in the path.
std::optional<fs::path> file_below(const fs::path& folder, const fs::path& path) {
  fs::path here = folder;
  for (const fs::path& part : path) {
    std::error_code failure;
    if (part == ".." || part == "." || fs::exists(here / part, failure)) {
      here /= part;
      continue;
    }
    const fs::path before = here;
    for (fs::directory_iterator entry(here, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const fs::path name = entry->path().filename();
      if (is_same_but_for_case(name.string(), part.string())) here = before / name;
    }
    if (here == before) return std::nullopt;
  }
  std::error_code failure;
  return fs::is_regular_file(here, failure) ? std::optional(here) : std::nullopt;
}

}  // namespace

fs::path folder_of_spelling(const fs::path& folder, const std::string& header) {
  std::string path = header;
  std::ranges::replace(path, '\\', '/');
  std::vector<fs::path> places{folder.empty() ? fs::path(".") : folder};
  std::ranges::copy(header_folders(folder), std::back_inserter(places));
  places.push_back(sample_headers());
  for (const fs::path& place : places) {
    const auto meant = file_below(place, path);
    if (!meant) continue;
    std::error_code failure;
    const fs::path whole = fs::canonical(*meant, failure);
    CacheKey key;
    key.add(whole.string());
    key.add(header);
    fs::path root = cache_directory() / "spellings" / key.digest();
    for (const fs::path& part : fs::path(header)) {
      if (part == "..") root /= "below";  // so that it lies in the cache, too
    }
    const fs::path made = (root / header).lexically_normal();
    fs::create_directories(root, failure);
    fs::create_directories(made.parent_path(), failure);
    const bool is_made =
        fs::exists(made, failure) ||
        static_cast<bool>(write_file(made, fmt::format("#include \"{}\"\n", whole.string())));
    return is_made ? root : fs::path();
  }
  return {};
}

}  // namespace tilescope
