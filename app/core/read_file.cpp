#include "core/read_file.h"

#include <fstream>

namespace tilescope {

std::optional<std::string> read_file(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return std::nullopt;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (failure || bytes > most_bytes) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  std::string contents(static_cast<std::size_t>(bytes), '\0');
  if (!stream.read(contents.data(), static_cast<std::streamsize>(bytes))) return std::nullopt;
  return contents;
}

}  // namespace tilescope
