#pragma once
#include <mutex>
#include <utility>
#include <vector>

namespace tilescope {

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
