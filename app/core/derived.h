#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/job_pool.h"
#include "core/result.h"

namespace tilescope {

// Runs a job: on a pool, where it replaces the older job of its tag, or before it returns.
using RunJob = std::function<void(const std::string& tag, JobPool::Work work)>;
inline void run_now(const std::string& /*tag*/, const JobPool::Work& work) { work({}); }

// A key that is this very object, without keeping it alive.
struct SameObject {
  std::weak_ptr<const void> object;
  friend bool operator==(const SameObject& a, const SameObject& b) {
    return !a.object.owner_before(b.object) && !b.object.owner_before(a.object);
  }
};

// Values that jobs compute from keys, each value once. The ones that were asked for last are kept.
// Owned by one thread; the jobs may run on others, and may end after this object.
template <class Key, class Value>
class Derived {
 public:
  // nullptr: the job is not done yet. An error: what the job ended with.
  using Answer = Result<std::shared_ptr<const Value>>;

  Derived(RunJob run, std::size_t most) : run_(std::move(run)), most_(most) {}

  // Unless the value is known or its job is under way, `begin` is called here, and what it returns
  // by a job: a Result<Value>(const std::stop_token&). A job that was dropped or stopped is started
  // again.
  template <class Begin>
  [[nodiscard]] Answer get(const Key& key, const std::string& tag, const Begin& begin) {
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    if (known != entries_.end()) {
      std::rotate(known, known + 1, entries_.end());
    } else {
      if (entries_.size() == most_) entries_.erase(entries_.begin());
      entries_.push_back({key, std::make_shared<Slot>()});
    }
    const std::shared_ptr<Slot> slot = entries_.back().slot;
    if (slot.use_count() <= 1 + kOfEntries && !slot->is_done()) {
      run_(tag, [slot, make = begin()](const std::stop_token& stop) {
        Result<Value> made = make(stop);
        if (!made && made.error().code == ErrorCode::kCancelled) return;
        slot->put(made ? Answer(std::make_shared<const Value>(*std::move(made)))
                       : Answer(std::move(made).error()));
      });
    }
    return slot->answer();
  }
  // The value if it is known; starts no job.
  [[nodiscard]] std::shared_ptr<const Value> find(const Key& key) const {
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    const Answer answer = known != entries_.end() ? known->slot->answer() : Answer(nullptr);
    return answer ? *answer : nullptr;
  }
  // Whether its job waits or runs.
  [[nodiscard]] bool is_under_way(const Key& key) const {
    const auto known = std::ranges::find(entries_, key, &Entry::key);
    return known != entries_.end() && known->slot.use_count() > kOfEntries;
  }
  // How many values are known.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](const Entry& entry) { return entry.slot->is_done(); }));
  }

 private:
  class Slot {
   public:
    void put(Answer answer) {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
    }
    [[nodiscard]] Answer answer() const {
      const std::lock_guard lock(mutex_);
      return answer_.value_or(Answer(nullptr));
    }
    [[nodiscard]] bool is_done() const {
      const std::lock_guard lock(mutex_);
      return answer_.has_value();
    }

   private:
    mutable std::mutex mutex_;
    std::optional<Answer> answer_;
  };
  // Owners of a slot without a job, which holds it until it ends or is dropped.
  static constexpr long kOfEntries = 1;
  struct Entry {
    Key key;
    std::shared_ptr<Slot> slot;
  };

  RunJob run_;
  std::size_t most_;
  std::vector<Entry> entries_;  // the one that was asked for last is the last
};

}  // namespace tilescope
