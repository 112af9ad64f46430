#include "session/autosave.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/file.h"
#include "session/session_file.h"

namespace tilescope {

namespace fs = std::filesystem;
namespace {

fs::path lock_of(fs::path document) { return document.replace_extension(".lock"); }

constexpr std::chrono::seconds kPatience{5};  // for a process that is killed to be gone

// Whether the process that made the place has ended, but not all of its threads yet: until then its
// lock is held. False too where there is no such process, or it cannot be seen.
bool is_ending(const fs::path& document) {
  const std::string name = document.stem().string();
  std::ifstream status("/proc/" + name.substr(name.rfind('-') + 1) + "/status");
  constexpr std::string_view kState = "State:\t";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kState)) return line[kState.size()] == 'Z' || line[kState.size()] == 'X';
  }
  return false;
}

// The lock of a place, which a process that is ending gives up soon.
std::optional<FileLock> take_lock_of(const fs::path& document) {
  const auto latest = std::chrono::steady_clock::now() + kPatience;
  auto lock = FileLock::take(lock_of(document));
  while (!lock && is_ending(document) && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lock = FileLock::take(lock_of(document));
  }
  // It may have been gone between the two questions.
  return lock ? std::move(lock) : FileLock::take(lock_of(document));
}

}  // namespace

std::optional<FileLock> FileLock::take(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return std::nullopt;
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Result<AutosaveSlot> AutosaveSlot::make(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  fs::permissions(folder, fs::perms::owner_all, ignored);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto stamp = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const fs::path file = folder / (std::to_string(stamp) + "-" + std::to_string(::getpid()) +
                                  std::string(kSessionEnding));
  auto lock = FileLock::take(lock_of(file));
  if (!lock) {
    return Error{ErrorCode::kMachine,
                 fmt::format("'{}' cannot be written to: {}", folder.string(),
                             std::generic_category().message(errno)),
                 "Make it writable or make room there, or name another folder in XDG_DATA_HOME",
                 {}};
  }
  return AutosaveSlot(file, std::move(*lock));
}

std::vector<AutosaveSlot> AutosaveSlot::left_behind(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    std::error_code ignored;
    if (is_session_file(entry.path().string())) {
      found.emplace_back(entry.last_write_time(ignored), entry.path());
    } else if (entry.path().extension() == ".lock") {
      // A window that left nothing.
      fs::path document = entry.path();
      document.replace_extension(kSessionEnding);
      if (fs::exists(document, ignored)) continue;
      if (const auto lock = FileLock::take(entry.path())) fs::remove(entry.path(), ignored);
    }
  }
  std::ranges::sort(found, std::greater());
  std::vector<AutosaveSlot> left;
  for (auto& [time, file] : found) {
    auto lock = take_lock_of(file);
    if (!lock) continue;
    if (fs::exists(file, failure)) {
      left.push_back(AutosaveSlot(std::move(file), std::move(*lock)));
    }
  }
  return left;
}

std::string AutosaveSlot::when() const {
  struct stat status {};
  std::tm local{};
  if (stat(file_.c_str(), &status) != 0) return {};
  if (localtime_r(&status.st_mtime, &local) == nullptr) return {};
  constexpr std::array kMonths{"January",   "February", "March",    "April",
                               "May",       "June",     "July",     "August",
                               "September", "October",  "November", "December"};
  return fmt::format("{} {}, {:02}:{:02}", local.tm_mday,
                     kMonths[static_cast<std::size_t>(local.tm_mon)], local.tm_hour, local.tm_min);
}

void AutosaveSlot::discard() && {
  std::error_code ignored;
  fs::remove(file_, ignored);
  fs::remove(lock_of(file_), ignored);
}

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

namespace {

constexpr std::uintmax_t kMostListBytes = 1U << 20;

}  // namespace

std::vector<std::string> recent_files(const std::filesystem::path& list) {
  std::vector<std::string> files;
  const nlohmann::json json = nlohmann::json::parse(
      read_file(list, kMostListBytes).value_or(std::string()), nullptr, false);
  if (!json.is_array()) return files;
  for (const nlohmann::json& item : json) {
    if (item.is_string() && files.size() < kMostRecentFiles) {
      files.push_back(item.get<std::string>());
    }
  }
  return files;
}

std::vector<std::string> add_recent_file(const std::filesystem::path& list,
                                         const std::string& file) {
  std::error_code failure;
  const std::filesystem::path absolute = std::filesystem::absolute(file, failure);
  const std::string name = failure ? file : absolute.lexically_normal().string();
  std::vector<std::string> files = recent_files(list);
  std::erase(files, name);
  files.insert(files.begin(), name);
  if (files.size() > kMostRecentFiles) files.resize(kMostRecentFiles);
  const nlohmann::json json = files;
  // A home that cannot be written to costs the memory, nothing else.
  (void)write_own_file(list, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return files;
}

}  // namespace tilescope
