#pragma once
#include <filesystem>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Why a file cannot be written, by errno, with what to do about it: another folder, another name,
// more room.
[[nodiscard]] Error cannot_write(const std::filesystem::path& file, int error_number);

// Writes the whole file or nothing: into a file beside it, synchronised, then renamed over it. Who
// reads it, now or after a crash, finds the old bytes or the new ones. A symbolic link is followed,
// permissions are kept. What is no regular file (a pipe, a device) takes the bytes as they come.
// Errors: kMachine, by cannot_write().
Status write_file(const std::filesystem::path& file, std::string_view bytes);

// The same of a file that the program keeps for itself: folders that are missing are made.
Status write_own_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tilescope
