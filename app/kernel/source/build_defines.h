#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

// The macros that a project's build hands to its compilers, "NAME" or "NAME=VALUE": each -D in the
// Makefile, the CMakeLists.txt and the .mk files of `folder`, or where these have none of the
// nearest folder above it that belongs to the project. Each name once, the first. A value may be a
// variable that the same file sets to one word; none that the build computes.
[[nodiscard]] std::vector<std::string> build_defines(const std::filesystem::path& folder);

// The libraries that the same files name, each -l with its name alone: "crypto".
[[nodiscard]] std::vector<std::string> build_libraries(const std::filesystem::path& folder);

}  // namespace tilescope
