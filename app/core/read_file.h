#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tilescope {

// The file's bytes; nullopt: it cannot be read, is a folder, a pipe or a device, or has more than
// `most_bytes`. Throws nothing, whatever stands at that place.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& file,
                                                   std::uintmax_t most_bytes);

}  // namespace tilescope
