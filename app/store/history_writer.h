#pragma once
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "store/history.h"

namespace tilescope {

// Puts entries into a history on a thread of its own, for callers that must not wait for a disk.
class HistoryWriter {
 public:
  explicit HistoryWriter(std::filesystem::path file);
  ~HistoryWriter();  // writes what waits
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  void keep(HistoryEntry entry);
  // Why entries are lost, once that happened.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  void run();

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<HistoryEntry> waiting_;
  std::optional<Error> problem_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace tilescope
