#include "core/job_pool.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace tilescope {

// On Linux a priority is the calling thread's alone.
void work_before_others() { setpriority(PRIO_PROCESS, 0, -5); }

void work_behind_window() {
  setpriority(PRIO_PROCESS, 0, 10);
  const sched_param none{};
  sched_setscheduler(0, SCHED_BATCH, &none);
}

JobPool::JobPool(unsigned threads) {
  try {
    for (unsigned i = 0; i < std::max(threads, 1u); ++i)
      threads_.emplace_back([this] { run_worker(); });
  } catch (const std::system_error&) {  // the machine starts no more: some do the work of all
    if (threads_.empty()) throw;
  }
}

JobPool::~JobPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    urgent_.clear();
    background_.clear();
    for (auto& [tag, stop] : running_) stop.request_stop();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void JobPool::cancel(const std::string& tag) {
  const std::lock_guard lock(mutex_);
  const auto same = [&](const Job& job) { return job.tag == tag; };
  std::erase_if(urgent_, same);
  std::erase_if(background_, same);
  for (auto& [running_tag, stop] : running_) {
    if (running_tag == tag) stop.request_stop();
  }
}

void JobPool::submit(std::string tag, Work work, Priority priority) {
  cancel(tag);
  {
    const std::lock_guard lock(mutex_);
    auto& queue = priority == Priority::kUrgent ? urgent_ : background_;
    queue.push_back({std::move(tag), std::move(work), std::stop_source{}});
  }
  wake_.notify_one();
}

bool JobPool::idle() const {
  const std::lock_guard lock(mutex_);
  return urgent_.empty() && background_.empty() && running_.empty();
}

void JobPool::run_worker() {
  work_behind_window();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closing_ || !urgent_.empty() || !background_.empty(); });
    if (closing_) return;
    auto& queue = urgent_.empty() ? background_ : urgent_;
    Job job = std::move(queue.front());
    queue.pop_front();
    running_.emplace_back(job.tag, job.stop);
    lock.unlock();
    job.work(job.stop.get_token());
    job.work = nullptr;  // what it captured goes before the pool counts as idle
    lock.lock();
    const auto mine = std::find_if(running_.begin(), running_.end(),
                                   [&](const auto& entry) { return entry.second == job.stop; });
    running_.erase(mine);
  }
}

}  // namespace tilescope
