#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tilescope {

// Why a file cannot be written, by errno, with what to do about it: another folder, another name,
// more room.
[[nodiscard]] Error cannot_write(const std::filesystem::path& file, int error_number);

// Writes the whole file or removes what it has written of it. A file that is there is replaced.
Status write_file(const std::filesystem::path& file, std::string_view bytes);

// "48.2 KiB"
[[nodiscard]] std::string file_size_text(const std::filesystem::path& file);

}  // namespace tilescope
