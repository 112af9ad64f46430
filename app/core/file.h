#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// The file's bytes; nullopt: it cannot be read, is a folder, a pipe or a device, or has more than
// `most_bytes`. Throws nothing, whatever stands at that place.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& file,
                                                   std::uintmax_t most_bytes);

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
