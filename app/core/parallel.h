#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tilescope {

// Threads that this machine runs at once; 1 where it does not say.
[[nodiscard]] inline unsigned processor_count() {
  return std::max(std::thread::hardware_concurrency(), 1U);
}

// Calls task(0) ... task(count - 1), in that order where one thread does all of them, on up to
// `threads` threads, the caller's among them. Returns when the last one ended.
template <typename Task>
void for_each_parallel(std::size_t count, unsigned threads, const Task& task) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < std::min<std::size_t>(threads, count); ++t) others.emplace_back(work);
  work();
}

}  // namespace tilescope
