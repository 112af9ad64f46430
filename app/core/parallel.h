#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tilescope {

// Threads that this machine runs at once; 1 where it does not say.
[[nodiscard]] inline unsigned processor_count() {
  return std::max(std::thread::hardware_concurrency(), 1U);
}

// Calls task(0) ... task(count - 1), in that order where one thread does all of them, on up to
// `threads` threads, the caller's among them: fewer where the machine starts no more. Returns when
// the last one ended; what a task throws (no memory) is then thrown here, and no other task begins.
template <typename Task>
void for_each_parallel(std::size_t count, unsigned threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto work = [&] {
    try {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t) {
        others.emplace_back(work);
      }
    } catch (const std::system_error&) {  // the machine starts no more
    }
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace tilescope
