#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

inline constexpr std::size_t kMostRecentFiles = 12;

// Sessions and kernels that were opened or saved, newest first, kept as a JSON list. A file that
// cannot be read holds none.
[[nodiscard]] std::vector<std::string> recent_files(const std::filesystem::path& list);
// Puts `file` first; others' additions meanwhile are kept.
std::vector<std::string> add_recent_file(const std::filesystem::path& list,
                                         const std::string& file);

}  // namespace tilescope
