#pragma once
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.h"

namespace tilescope {

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

}  // namespace tilescope
