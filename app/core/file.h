#pragma once
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace tilescope {

// Owns one open file descriptor; -1 is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

// Whether anything stands at that place, a folder too. Throws nothing.
[[nodiscard]] bool is_there(const std::filesystem::path& path);

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
