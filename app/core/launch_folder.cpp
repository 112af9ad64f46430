#include "core/launch_folder.h"

#include <signal.h>  // NOLINT: kill()

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "core/paths.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// The files of one run.
struct Run {
  std::vector<fs::path> paths;
  std::uint64_t bytes = 0;
  fs::file_time_type written = fs::file_time_type::min();
  bool is_needed = false;
};

void add(const fs::path& path, Run& run) {
  std::error_code gone;
  run.paths.push_back(path);
  run.written = std::max(run.written, fs::last_write_time(path, gone));
  if (fs::is_regular_file(path, gone)) run.bytes += fs::file_size(path, gone);
  if (!fs::is_directory(path, gone)) return;
  for (const auto& entry : fs::recursive_directory_iterator(path, gone)) {
    if (entry.is_regular_file(gone)) run.bytes += entry.file_size(gone);
  }
}

bool is_running(const std::string& name) {
  int process = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), process);
  if (read.ec != std::errc{} || process <= 0) return false;
  return ::kill(process, 0) == 0 || errno == EPERM;
}

}  // namespace

fs::path launch_folder() {
  const fs::path folder = cache_directory() / "launches";
  std::error_code failure;  // then nothing can be written there, which says so
  fs::create_directories(folder, failure);
  return folder;
}

void clean_launch_folder(const fs::path& folder, const LaunchFolderLimits& limits) {
  std::map<std::string, Run> by_name;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    const std::string file = entry.path().filename().string();
    const std::string name = file.substr(0, file.find('.'));
    Run& run = by_name[name];
    run.is_needed = is_running(name);
    add(entry.path(), run);
  }
  std::vector<const Run*> runs;
  std::uint64_t bytes = 0;
  for (const auto& [name, run] : by_name) {
    bytes += run.bytes;
    if (!run.is_needed) runs.push_back(&run);
  }
  std::ranges::sort(runs, {}, [](const Run* run) { return run->written; });
  const fs::file_time_type oldest = fs::file_time_type::clock::now() - limits.age;
  for (const Run* run : runs) {
    if (run->written >= oldest && bytes <= limits.bytes) return;
    for (const fs::path& path : run->paths) fs::remove_all(path, gone);
    bytes -= run->bytes;
  }
}

}  // namespace tilescope
