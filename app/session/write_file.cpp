#include "session/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tilescope {
namespace fs = std::filesystem;
namespace {

Error failed(const fs::path& file, const char* what, int reason) {
  return {ErrorCode::kMachine,
          std::string(what) + ": " + std::strerror(reason),
          "Choose another place, or make room there",
          {file.string(), 0, 0}};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// That the name has changed, too, must outlive a crash. A file system that cannot, need not.
void synchronise_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

Status write_file(const fs::path& wanted, std::string_view text) {
  std::error_code ignored;
  fs::path file = fs::absolute(wanted, ignored);
  if (fs::is_symlink(file, ignored)) file = fs::weakly_canonical(file, ignored);
  const fs::path folder = file.parent_path();
  fs::create_directories(folder, ignored);
  const fs::path beside = folder / fmt::format(".{}.{}.tmp", file.filename().string(), ::getpid());
  struct stat before {};
  const bool replaces = ::stat(file.c_str(), &before) == 0;
  const mode_t mode = replaces ? before.st_mode & 0777U : 0666U;
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor < 0) return failed(file, "cannot be written", errno);
  if (replaces) (void)::fchmod(descriptor, mode);
  const bool written = write_all(descriptor, text) && ::fsync(descriptor) == 0;
  int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (written && !closed) reason = errno;
  if (!written || !closed || ::rename(beside.c_str(), file.c_str()) != 0) {
    if (written && closed) reason = errno;
    ::unlink(beside.c_str());
    return failed(file, "cannot be written", reason);
  }
  synchronise_folder(folder);
  return ok_status();
}

}  // namespace tilescope
