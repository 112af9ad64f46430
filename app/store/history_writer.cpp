#include "store/history_writer.h"

#include <utility>

namespace tilescope {

HistoryWriter::HistoryWriter(std::filesystem::path file)
    : file_(std::move(file)), thread_([this] { run(); }) {}

HistoryWriter::~HistoryWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

void HistoryWriter::keep(HistoryEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(entry));
  }
  arrived_.notify_one();
}

std::optional<Error> HistoryWriter::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

// The file is opened at the first entry: looking at kernels makes none.
void HistoryWriter::run() {
  std::optional<History> history;
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const HistoryEntry entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (problem_) continue;
    lock.unlock();
    std::optional<Error> problem;
    if (!history) {
      auto opened = History::open(file_);
      if (opened) {
        history.emplace(*std::move(opened));
      } else {
        problem = opened.error();
      }
    }
    if (history) {
      if (auto id = history->add(entry); !id) problem = id.error();
    }
    lock.lock();
    if (problem) problem_ = std::move(problem);
  }
}

}  // namespace tilescope
