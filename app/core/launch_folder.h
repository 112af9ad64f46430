#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>

namespace tilescope {

// Where the launches of programs are kept that the user has saved nowhere: launches/ of the cache.
// A name there begins with the process that made it: "4711-2.tilescope", "4711-2.tilescope.data".
[[nodiscard]] std::filesystem::path launch_folder();  // made where it is missing

struct LaunchFolderLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  // of all together
  std::chrono::hours age{30 * 24};
};

// Removes what is older, and then the oldest until the rest is small enough. What a process made
// that is still running stays. Takes as long as the folder is large.
void clean_launch_folder(const std::filesystem::path& folder, const LaunchFolderLimits& limits);

}  // namespace tilescope
