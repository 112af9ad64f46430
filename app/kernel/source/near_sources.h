#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tilescope {

// Texts of the files beside `path` and in the folders above it, as far as they are its project's,
// that launch something and name `kernel`: the nearest first, by name. Reads a few hundred files
// at most. Empty where `path` is no file.
[[nodiscard]] std::vector<std::string> sources_near(const std::string& path,
                                                    const std::string& kernel);

// The nearest of those files that call this function, within a body of theirs: a wrapper around a
// launch, say. Empty where there is none.
[[nodiscard]] std::string caller_near(const std::string& path, const std::string& function);

// The nearest source, no header, that has this function's body and no main() but under an #ifdef,
// and is none of `paths`: beside one of these or a header that they include, directly or not, in a
// folder above the first or in one of header_folders(), else anywhere in the repository. Empty
// where there is none.
[[nodiscard]] std::string definer_near(const std::vector<std::string>& paths,
                                       const std::string& function);

// The nearest source with a main() that calls what this file has the body of, and does not include
// it: beside it, in the folders above or in one of header_folders(). Empty where there is none.
[[nodiscard]] std::string main_near(const std::string& path);

// The nearest of those files with an #include "..." of this one, and what it has before that: a
// file that is a piece of another takes types and macros from there.
struct Includer {
  std::string path;
  std::string beginning;  // its text up to the line of the #include, every #if closed
};
[[nodiscard]] std::optional<Includer> includer_of(const std::string& path);

}  // namespace tilescope
