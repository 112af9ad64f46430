#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tilescope {

// What a program lacks that ended early, going by the text of its main file: arguments that main()
// reads and that were not given, each with what it is read as ("argv[1] (a number)"), and files
// that it opens for reading by a name in the text and that are not in `folder`. One sentence, and a
// command that gives the arguments; empty: it lacks nothing that can be seen. `name`: of the file,
// as the command names it. `given`: arguments that the program got.
[[nodiscard]] std::string missing_input(const std::string& source, const std::string& name,
                                        std::size_t given, const std::filesystem::path& folder);

}  // namespace tilescope
