#include "export/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "core/quantity.h"

namespace tilescope {
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

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Error cannot_write(const std::filesystem::path& file, int error_number) {
  return {ErrorCode::kMachine,
          fmt::format("'{}' cannot be written: {}", file.string(),
                      std::generic_category().message(error_number)),
          remedy_for(error_number),
          {}};
}

Status write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::unique_ptr<std::FILE, Close> out(std::fopen(file.c_str(), "wbe"));
  if (out == nullptr) return cannot_write(file, errno);
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), out.get()) == bytes.size();
  int why = errno;
  if (written && std::fflush(out.get()) != 0) {
    written = false;
    why = errno;
  }
  out.reset();
  if (written) return ok_status();
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) std::filesystem::remove(file, ignored);
  return cannot_write(file, why);
}

std::string file_size_text(const std::filesystem::path& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  return failure ? std::string("–") : format(static_cast<double>(size), Unit::kBytes);
}

}  // namespace tilescope
