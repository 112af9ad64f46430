#include "core/job_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>

namespace tilescope {
namespace {

TEST(JobPool, NewerRequestDropsTheOneThatWaits) {
  std::atomic<int> sum = 0;
  std::promise<void> release;
  {
    JobPool pool(1);
    auto gate = release.get_future().share();
    std::promise<void> started;
    pool.submit("gate", [&](std::stop_token) {
      started.set_value();
      gate.wait();
    });
    started.get_future().wait();
    pool.submit("slider", [&](std::stop_token) { sum += 1; });
    pool.submit("slider", [&](std::stop_token) { sum += 10; });
    pool.submit("other", [&](std::stop_token) { sum += 100; });
    release.set_value();
    while (!pool.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(sum, 110);
}

TEST(JobPool, ItsThreadsComeBehindTheWindows) {
  struct Standing {
    int nice = 0;
    int policy = 0;
  };
  std::promise<Standing> told;
  JobPool pool(1);
  pool.submit("ask", [&](std::stop_token) {
    told.set_value({getpriority(PRIO_PROCESS, 0), sched_getscheduler(0)});
  });
  const Standing standing = told.get_future().get();
  EXPECT_GT(standing.nice, getpriority(PRIO_PROCESS, 0));
  EXPECT_EQ(standing.policy, SCHED_BATCH);
}

TEST(JobPool, NewerRequestAsksTheRunningOneToStop) {
  JobPool pool(2);
  std::promise<void> started;
  std::promise<bool> stopped;
  pool.submit("slider", [&](std::stop_token stop) {
    started.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
    stopped.set_value(true);
  });
  started.get_future().wait();
  pool.submit("slider", [](std::stop_token) {});
  auto answer = stopped.get_future();
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(JobPool, UrgentRunsBeforeBackground) {
  std::string order;
  std::promise<void> release;
  {
    JobPool pool(1);
    std::promise<void> started;
    auto gate = release.get_future().share();
    pool.submit("gate", [&](std::stop_token) {
      started.set_value();
      gate.wait();
    });
    started.get_future().wait();
    pool.submit(
        "b", [&](std::stop_token) { order += 'b'; }, JobPool::Priority::kBackground);
    pool.submit("u", [&](std::stop_token) { order += 'u'; });
    release.set_value();
    while (!pool.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(order, "ub");
}

}  // namespace
}  // namespace tilescope
