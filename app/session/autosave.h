#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace tilescope {

// A file that is held for as long as this process lives: its lock falls when the process ends,
// however it ends. Movable.
class FileLock {
 public:
  // nullopt: another process holds it, or it cannot be made.
  [[nodiscard]] static std::optional<FileLock> take(const std::filesystem::path& file);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// The place of one window's document while it is worked on, in a folder that all windows share:
// NAME.tilescope, and NAME.lock, which its window holds. A document whose lock is free was left by
// a window that is gone.
class AutosaveSlot {
 public:
  // A new place. kMachine: the folder cannot be made or written to.
  [[nodiscard]] static Result<AutosaveSlot> make(const std::filesystem::path& folder);
  // Places that were left, newest first, now held by this process. Waits some seconds for a window
  // that was killed but is not gone yet.
  [[nodiscard]] static std::vector<AutosaveSlot> left_behind(const std::filesystem::path& folder);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  // Gives the place up, with what stands there.
  void discard() &&;

 private:
  AutosaveSlot(std::filesystem::path file, FileLock lock)
      : file_(std::move(file)), lock_(std::move(lock)) {}
  std::filesystem::path file_;
  FileLock lock_;
};

}  // namespace tilescope
