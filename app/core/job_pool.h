#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tilescope {

// The window's thread comes before all that works beside it. What the calling thread starts later,
// threads and processes, is as it is.
void work_before_others();  // the window's, where the system lets it
void work_behind_window();  // threads of a pool: a lower priority, and they interrupt nobody

// Runs pure calls on worker threads. A job carries a tag; submitting a newer job with the same tag
// drops the older one while it still waits, and asks it to stop while it runs, so a dragged slider
// never queues up work. Jobs deliver their results themselves (by value, into a mailbox they own).
class JobPool {
 public:
  using Work = std::function<void(std::stop_token)>;

  explicit JobPool(unsigned threads);
  ~JobPool();  // drops what waits, asks what runs to stop, joins
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;

  // Thread-safe. Urgent jobs run before the others.
  enum class Priority { kUrgent, kBackground };
  void submit(std::string tag, Work work, Priority priority = Priority::kUrgent);
  void cancel(const std::string& tag);
  [[nodiscard]] bool idle() const;  // nothing waits and nothing runs

 private:
  struct Job {
    std::string tag;
    Work work;
    std::stop_source stop;
  };
  void run_worker();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> urgent_;
  std::deque<Job> background_;
  std::vector<std::pair<std::string, std::stop_source>> running_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

// Results on their way from any threads to the one that takes them, in the order of arrival.
template <class T>
class Inbox {
 public:
  void put(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
  }
  [[nodiscard]] std::vector<T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(items_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<T> items_;
};

}  // namespace tilescope
