#pragma once
#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Writes the whole file or nothing: into a file beside it, synchronised, then renamed over it. Who
// reads it, now or after a crash, finds the old text or the new one. A symbolic link is followed,
// permissions are kept, folders that are missing are made. Errors (kMachine) name the file.
Status write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace tilescope
