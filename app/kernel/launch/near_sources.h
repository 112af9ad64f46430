#pragma once

#include <string>
#include <vector>

namespace tilescope {

// Texts of the source files that launch `kernel`, by its name, in the folder of `path` and in the
// folder above; at most 200 files of 256 KiB are looked at. Empty where `path` is no file.
[[nodiscard]] std::vector<std::string> sources_near(const std::string& path,
                                                    const std::string& kernel);

}  // namespace tilescope
