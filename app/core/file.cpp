#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace tilescope {

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

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

namespace fs = std::filesystem;
namespace {

std::string remedy_for(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return "Choose a folder that exists";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a folder that you may write to";
    case EISDIR:
      return "It is a folder: give the name of a file in it";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "Make room there, or choose another disk";
    case ENAMETOOLONG:
      return "Choose a shorter name";
    default:
      return "Choose another place";
  }
}

// Writes and synchronises. 0, or errno of what went wrong.
int write_into(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // A pipe and a device hold nothing back.
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

int write_and_close(int descriptor, std::string_view bytes) {
  const int reason = write_into(descriptor, bytes);
  const bool closed = ::close(descriptor) == 0;
  return reason != 0 || closed ? reason : errno;
}

// A file beside `file` that no other writer has.
fs::path beside(const fs::path& file) {
  static std::atomic<unsigned> writes = 0;
  return file.parent_path() / fmt::format(".tilescope.{}.{}.tmp", ::getpid(), writes++);
}

// That the name has changed, too, must outlive a crash. A file system that cannot, need not.
void synchronise_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

int replace(const fs::path& file, const struct stat* before, std::string_view bytes) {
  if (before != nullptr && ::access(file.c_str(), W_OK) != 0) return errno;
  const fs::path part = beside(file);
  const mode_t mode = before != nullptr ? before->st_mode & 0777U : 0666U;
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor < 0) return errno;
  if (before != nullptr) (void)::fchmod(descriptor, mode);
  int reason = write_and_close(descriptor, bytes);
  if (reason == 0 && ::rename(part.c_str(), file.c_str()) != 0) reason = errno;
  if (reason != 0) ::unlink(part.c_str());
  return reason;
}

}  // namespace

Error cannot_write(const fs::path& file, int error_number) {
  return {ErrorCode::kMachine,
          fmt::format("'{}' cannot be written: {}", file.string(),
                      std::generic_category().message(error_number)),
          remedy_for(error_number),
          {}};
}

Status write_file(const fs::path& wanted, std::string_view bytes) {
  std::error_code ignored;
  fs::path file = fs::absolute(wanted, ignored);
  if (fs::is_symlink(file, ignored)) file = fs::weakly_canonical(file, ignored);
  struct stat before {};
  const bool is_there = ::stat(file.c_str(), &before) == 0;
  if (is_there && !S_ISREG(before.st_mode)) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const int reason = descriptor < 0 ? errno : write_and_close(descriptor, bytes);
    return reason == 0 ? ok_status() : Status(cannot_write(wanted, reason));
  }
  if (const int reason = replace(file, is_there ? &before : nullptr, bytes); reason != 0) {
    return cannot_write(wanted, reason);
  }
  synchronise_folder(file.parent_path());
  return ok_status();
}

Status write_own_file(const fs::path& file, std::string_view bytes) {
  std::error_code ignored;  // a folder that cannot be made is said by what is written into it
  fs::create_directories(fs::absolute(file, ignored).parent_path(), ignored);
  return write_file(file, bytes);
}

}  // namespace tilescope
