#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

// Where a project keeps headers that its build names with -I, nearest first: in `folder` and each
// folder above it, that one and what is beside it under a usual name ("include", "common").
// The search ends with the repository's root, the folder that has a .git; without one five folders
// above, and in any case below the home folder and the root of the file system. Only folders that
// exist; `folder` itself is not among them. Paths are relative where `folder` is. Last come the
// folders of libraries of headers in a checkout that a variable names, $CUTLASS_PATH, and in the
// Python package nvidia-cutlass.
[[nodiscard]] std::vector<std::filesystem::path> header_folders(
    const std::filesystem::path& folder);

// Where below the root of `folder`'s repository a header lies that is in none of these, in a way
// that `header` is its path from there; of several the one that shares most folders with `folder`.
// Empty: nowhere, or several are as near, or there is no repository, or it has very many files.
[[nodiscard]] std::filesystem::path folder_of_header(const std::filesystem::path& folder,
                                                     const std::string& header);

// The sources, no headers, of the repository that `folder` is in: those first that lie in the
// folder or below it, then by the folder above it that holds them. Empty where there is no
// repository, or it has very many files.
[[nodiscard]] std::vector<std::filesystem::path> repository_sources(
    const std::filesystem::path& folder);

// The variable that names a checkout of the library that "cute/tensor.hpp" is of; empty: none is
// known.
[[nodiscard]] std::string_view library_variable(std::string_view header);

// `folder`, whole, and the folders above it that belong to its project, as above; nearest first.
[[nodiscard]] std::vector<std::filesystem::path> project_folders(
    const std::filesystem::path& folder);

// The folders that a person named for headers: $TILESCOPE_INCLUDE, separated by colons.
[[nodiscard]] std::vector<std::string> given_header_folders();
// Adds folders before those, for this process and those that it starts: the option -I. Before any
// thread that compiles is started.
void give_header_folders(const std::vector<std::string>& folders);

}  // namespace tilescope
