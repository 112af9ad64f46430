#include "session/session_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

// The texts of the variants and of the list, and what JSON makes of their lines.
constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{96} << 20;

}  // namespace

bool is_session_file(std::string_view path) { return path.ends_with(kSessionEnding); }

Result<LoadedSession> read_session(const std::filesystem::path& file, const SessionNames& names,
                                   bool own_recovery) {
  const auto refuse = [&](std::string message, std::string remedy) {
    return Error{ErrorCode::kUsage, std::move(message), std::move(remedy), {file.string(), 0, 0}};
  };
  std::error_code failure;
  if (std::filesystem::is_directory(file, failure)) {
    return refuse("this is a folder", "Give a file in it");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (!failure && !std::filesystem::is_regular_file(file, failure)) {
    return refuse("this is no file to be read", "Give the name of a session");
  }
  if (failure) return refuse("cannot be read: " + failure.message(), "Check its name");
  if (bytes > kMostFileBytes) {
    return refuse(
        fmt::format("{} MiB are more than a session's {}", bytes >> 20, kMostFileBytes >> 20),
        "Open another file; what is open stays as it is");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream || text.size() != bytes) return refuse("cannot be read", "Check who may read it");
  return parse_session(std::move(text), file, names, own_recovery);
}

}  // namespace tilescope
