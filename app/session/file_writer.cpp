#include "session/file_writer.h"

#include <system_error>
#include <utility>

#include "core/write_file.h"

namespace tilescope {

FileWriter::FileWriter() : thread_([this] { run(); }) {}

FileWriter::~FileWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FileWriter::write(std::filesystem::path file, std::function<std::string()> text) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const Task& task) { return task.file == file; });
    waiting_.push_back({std::move(file), std::move(text)});
  }
  changed_.notify_all();
}

void FileWriter::remove(std::filesystem::path file) { write(std::move(file), {}); }

std::vector<FileWriter::Written> FileWriter::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

bool FileWriter::idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !writing_;
}

void FileWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void FileWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    Status status = ok_status();
    if (task.text) {
      status = write_own_file(task.file, task.text());
    } else {
      std::error_code ignored;
      std::filesystem::remove(task.file, ignored);
    }
    lock.lock();
    writing_ = false;
    if (task.text) written_.push_back({task.file, std::move(status)});
    changed_.notify_all();
  }
}

}  // namespace tilescope
