#pragma once
#include <filesystem>
#include <vector>

namespace tilescope {

// The folders of a list as $PATH is one: parts between ':', empty ones left out. nullptr: none.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_list(const char* list);

// The program that $PATH finds; empty where there is none.
[[nodiscard]] std::filesystem::path find_on_path(const char* program);

}  // namespace tilescope
