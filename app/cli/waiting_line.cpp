#include "cli/waiting_line.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "cli/command.h"

namespace tilescope {

WaitingLine::WaitingLine(std::string what) {
  thread_ = std::jthread([text = std::move(what)](const std::stop_token& stop) {
    ::isatty(STDERR_FILENO) != 0 ? show(stop, text) : log(stop, text);
  });
}

void WaitingLine::log(const std::stop_token& stop, const std::string& what) {
  using std::chrono::seconds;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  for (int waited = 20;; waited *= 2) {
    changed.wait_for(lock, stop, seconds(waited == 20 ? waited : waited / 2), [] { return false; });
    if (stop.stop_requested()) return;
    print_error("tilescope: still {} ({} s)\n", what, waited);
  }
}

void WaitingLine::show(const std::stop_token& stop, const std::string& what) {
  using std::chrono::seconds;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  int waited = 0;
  for (int next = 2;; next = 1) {
    changed.wait_for(lock, stop, seconds(next), [] { return false; });
    if (stop.stop_requested()) break;
    waited += next;
    print_error("\rtilescope: still {} ({} s; Ctrl-C stops it) ", what, waited);
  }
  if (waited != 0) print_error("\r\x1b[K");
}

}  // namespace tilescope
