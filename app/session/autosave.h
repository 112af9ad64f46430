#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
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
  // When it was written last, local time: "27 November, 14:20"; empty: there is no such file.
  [[nodiscard]] std::string when() const;
  // Gives the place up, with what stands there.
  void discard() &&;

 private:
  AutosaveSlot(std::filesystem::path file, FileLock lock)
      : file_(std::move(file)), lock_(std::move(lock)) {}
  std::filesystem::path file_;
  FileLock lock_;
};

// Writes files (write_file.h) on a thread of its own, in order, for callers that must not wait for
// a disk. The text is made there too.
class FileWriter {
 public:
  FileWriter();
  ~FileWriter();  // writes what waits
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // One that still waits for the same file is dropped: the newer text holds it all.
  void write(std::filesystem::path file, std::function<std::string()> text);
  void remove(std::filesystem::path file);

  struct Written {
    std::filesystem::path file;
    Status status = ok_status();
  };
  [[nodiscard]] std::vector<Written> take();  // since the last call; removals are not reported
  [[nodiscard]] bool idle() const;
  void wait();  // until all is written

 private:
  void run();

  struct Task {
    std::filesystem::path file;
    std::function<std::string()> text;  // empty: remove it
  };
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::vector<Written> written_;
  bool writing_ = false;
  bool closing_ = false;
  std::thread thread_;
};

inline constexpr std::size_t kMostRecentFiles = 12;

// Sessions and kernels that were opened or saved, newest first, kept as a JSON list. A file that
// cannot be read holds none.
[[nodiscard]] std::vector<std::string> recent_files(const std::filesystem::path& list);
// Puts `file` first; others' additions meanwhile are kept.
std::vector<std::string> add_recent_file(const std::filesystem::path& list,
                                         const std::string& file);

}  // namespace tilescope
