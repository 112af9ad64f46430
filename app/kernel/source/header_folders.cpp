#include "kernel/source/header_folders.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <system_error>

#include "core/cuda_folders.h"
#include "core/file.h"
#include "core/paths.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 14> kUsualNames = {
    "include", "inc", "includes", "common", "Common", "headers", "utils", "util", "src", "lib",
    "helpers",
    // CUTLASS, in its own repository and in those that use it
    "tools/util/include", "third_party/cutlass/include", "third-party/cutlass/include"};

// Libraries of headers that projects expect in a checkout of their own: the variables that name it,
// the usual one first, and its folders.
constexpr std::array<const char*, 3> kCutlass{"CUTLASS_PATH", "CUTLASS_HOME", "CUTLASS_DIR"};
constexpr std::array<std::string_view, 2> kCutlassFolders{"include", "tools/util/include"};

constexpr int kMostFoldersAbove = 16;
constexpr int kWithoutRepository = 5;

bool is_private_root(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return folder == folder.root_path() || folder == temporary_directory() ||
         (home != nullptr && folder == fs::path(home).lexically_normal());
}

// How many folders above `folder` belong to its project.
int folders_above(const fs::path& folder) {
  fs::path here = folder;
  for (int above = 0; above <= kMostFoldersAbove; ++above, here = here.parent_path()) {
    if (is_private_root(here)) return std::min(std::max(above - 1, 0), kWithoutRepository);
    if (is_there(here / ".git")) return above;
  }
  return kWithoutRepository;
}

fs::path above_of(const fs::path& folder) {
  const fs::path above = (folder / "..").lexically_normal();
  return above.has_filename() || above == above.root_path() ? above : above.parent_path();
}

}  // namespace

std::vector<fs::path> header_folders(const fs::path& folder) {
  std::error_code failure;
  const fs::path whole = fs::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  if (failure) return {};
  std::vector<fs::path> found;
  fs::path here = folder.empty() ? "." : folder;
  const int most = folders_above(whole.has_filename() ? whole : whole.parent_path());
  for (int above = 0; above <= most; ++above, here = above_of(here)) {
    if (above > 0) found.push_back(here);
    for (const std::string_view name : kUsualNames) {
      fs::path beside = (here / name).lexically_normal();
      if (fs::is_directory(beside, failure)) found.push_back(std::move(beside));
    }
  }
  for (const char* variable : kCutlass) {
    const char* checkout = std::getenv(variable);
    for (const std::string_view name : kCutlassFolders) {
      if (checkout == nullptr || !is_there(fs::path(checkout) / name)) continue;
      found.push_back(fs::path(checkout) / name);
    }
  }
  for (const fs::path& packages : site_packages_folders()) {
    for (const std::string_view name : kCutlassFolders) {
      fs::path source = packages / "cutlass_library" / "source" / name;
      if (is_there(source)) found.push_back(std::move(source));
    }
  }
  return found;
}

namespace {

// The headers and sources below a repository's root.
std::vector<fs::path> files_below(const fs::path& root) {
  constexpr std::size_t kMostEntries = 20'000;
  std::vector<fs::path> found;
  std::error_code failure;
  std::size_t entries = 0;
  auto entry = fs::recursive_directory_iterator(root, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (++entries > kMostEntries) return {};
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with('.')) {
      entry.disable_recursion_pending();
    } else if (path.extension().string().starts_with(".h") ||
               path.extension().string().starts_with(".c") || path.extension() == ".inl") {
      found.push_back(path);
    }
  }
  return found;
}

// As it was a moment ago: a launch is tried many times.
std::vector<fs::path> files_known_below(const fs::path& root) {
  constexpr std::chrono::seconds kMoment{10};
  struct Listing {
    fs::path root;
    std::chrono::steady_clock::time_point when;
    std::vector<fs::path> files;
  };
  static std::mutex mutex;
  static Listing last;
  const std::lock_guard lock(mutex);
  const auto now = std::chrono::steady_clock::now();
  if (last.root != root || now - last.when > kMoment) last = {root, now, files_below(root)};
  return last.files;
}

}  // namespace

fs::path folder_of_header(const fs::path& folder, const std::string& header) {
  const std::vector<fs::path> project = project_folders(folder);
  if (project.empty() || !is_there(project.back() / ".git")) return {};
  const std::string ending = "/" + fs::path(header).lexically_normal().string();
  fs::path found;
  // Folders up to the one that holds `found` too, twice; one more where its own folder is called
  // otherwise: include/device/tile.h is nearer to lib/device than old/include/tile.h.
  std::size_t nearest = 2 * project.size();
  bool is_only_one = false;
  for (const fs::path& path : files_known_below(project.back())) {
    const std::string whole = path.string();
    if (!whole.ends_with(ending)) continue;
    const auto holds = [&](const fs::path& above) {
      return whole.starts_with(above.string() + "/");
    };
    fs::path place = whole.substr(0, whole.size() - ending.size());
    const auto up =
        static_cast<std::size_t>(std::ranges::find_if(project, holds) - project.begin());
    const std::size_t away = 2 * up + (place.filename() == folder.filename() ? 0 : 1);
    if (away > nearest) continue;
    is_only_one = away < nearest;
    nearest = away;
    found = std::move(place);
  }
  return is_only_one ? found : fs::path();
}

std::vector<fs::path> repository_sources(const fs::path& folder) {
  const std::vector<fs::path> project = project_folders(folder);
  if (project.empty() || !is_there(project.back() / ".git")) return {};
  std::vector<std::pair<std::ptrdiff_t, fs::path>> sources;  // how many folders up they are
  for (const fs::path& path : files_known_below(project.back())) {
    const std::string ending = path.extension().string();
    const bool is_source = ending == ".cu" || ending == ".c" || ending == ".cc" ||
                           ending == ".cpp" || ending == ".cxx";
    if (!is_source) continue;
    const auto holds = [&](const fs::path& above) {
      return path.string().starts_with(above.string() + "/");
    };
    sources.emplace_back(std::ranges::find_if(project, holds) - project.begin(), path);
  }
  std::ranges::sort(sources);
  std::vector<fs::path> nearest;
  for (auto& source : sources) nearest.push_back(std::move(source.second));
  return nearest;
}

std::string_view library_variable(std::string_view header) {
  const bool is_cutlass = header.starts_with("cutlass/") || header.starts_with("cute/");
  return is_cutlass ? kCutlass.front() : std::string_view();
}

std::vector<fs::path> project_folders(const fs::path& folder) {
  std::error_code failure;
  fs::path here = fs::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  if (failure) return {};
  if (!here.has_filename()) here = here.parent_path();
  std::vector<fs::path> found;
  for (int above = folders_above(here); above >= 0; --above, here = above_of(here)) {
    found.push_back(here);
  }
  return found;
}

namespace {

constexpr const char* kGivenFolders = "TILESCOPE_INCLUDE";

}  // namespace

std::vector<std::string> given_header_folders() {
  std::vector<std::string> folders;
  const char* list = std::getenv(kGivenFolders);
  std::istringstream parts(list == nullptr ? "" : list);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) folders.push_back(part);
  }
  return folders;
}

void give_header_folders(const std::vector<std::string>& folders) {
  std::string list;
  for (const std::string& folder : folders) list += folder + ':';
  for (const std::string& folder : given_header_folders()) list += folder + ':';
  ::setenv(kGivenFolders, list.c_str(), 1);
}

}  // namespace tilescope
