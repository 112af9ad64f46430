#include "cli/progress_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace tilescope {

ProgressFile::ProgressFile(const std::string& file)
    : file_(file.empty()
                ? -1
                : ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)) {
  write();
}

void ProgressFile::running() {
  progress_.phase = ProgramProgress::Phase::kRunning;
  write();
}

void ProgressFile::launched(const std::string& kernel) {
  ++progress_.launches;
  progress_.kernel = kernel;
  constexpr std::uint64_t kFirst = 100;
  constexpr std::chrono::milliseconds kPause(100);
  const bool is_due = std::chrono::steady_clock::now() - written_ >= kPause;
  if (progress_.launches <= kFirst || is_due) write();
}

void ProgressFile::ended(const std::string& how, std::uint64_t problems) {
  progress_.phase = ProgramProgress::Phase::kEnded;
  progress_.how = how;
  progress_.problems = problems;
  write();
}

void ProgressFile::failed(const Error& error) {
  progress_.phase = ProgramProgress::Phase::kEnded;
  progress_.error = to_string(error);
  write();
}

void ProgressFile::write() {
  if (!file_.is_open()) return;
  written_ = std::chrono::steady_clock::now();
  const std::string line = progress_line(progress_);
  (void)!::write(file_.get(), line.data(), line.size());
}

}  // namespace tilescope
