#include "core/derived.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

using Squares = Derived<int, int>;

// Keeps jobs until the test runs or drops them.
struct Jobs {
  std::vector<JobPool::Work> waiting;
  [[nodiscard]] RunJob run() {
    return [this](const std::string&, JobPool::Work work) { waiting.push_back(std::move(work)); };
  }
  void run_all(const std::stop_token& stop = {}) {
    for (JobPool::Work& work : std::exchange(waiting, {})) work(stop);
  }
};

Squares::Answer ask(Squares& squares, int of, int* asked = nullptr) {
  return squares.get(of, "square", [&] {
    return [of, asked](const std::stop_token& stop) -> Result<int> {
      if (asked != nullptr) ++*asked;
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "stopped", "", {}};
      if (of < 0) return Error{ErrorCode::kKernel, "negative", "", {}};
      return of * of;
    };
  });
}

TEST(Derived, IsThereAtOnceWhereJobsRunAtOnce) {
  Squares squares(run_now, 2);
  const auto answer = ask(squares, 3);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(**answer, 9);
}

TEST(Derived, IsNothingUntilItsJobIsDone) {
  Jobs jobs;
  int asked = 0;
  Squares squares(jobs.run(), 2);
  EXPECT_EQ(*ask(squares, 3, &asked), nullptr);
  EXPECT_EQ(*ask(squares, 3, &asked), nullptr);
  EXPECT_EQ(jobs.waiting.size(), 1U) << "one job for one value";
  jobs.run_all();
  EXPECT_EQ(**ask(squares, 3, &asked), 9);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(squares.size(), 1U);
}

TEST(Derived, OfADroppedOrStoppedJobIsAskedAgain) {
  Jobs jobs;
  Squares squares(jobs.run(), 2);
  (void)ask(squares, 3);
  jobs.waiting.clear();
  EXPECT_EQ(*ask(squares, 3), nullptr);
  std::stop_source stop;
  stop.request_stop();
  jobs.run_all(stop.get_token());
  EXPECT_EQ(*ask(squares, 3), nullptr);
  jobs.run_all();
  EXPECT_EQ(**ask(squares, 3), 9);
}

TEST(Derived, AnErrorIsAnAnswerAndIsNotAskedAgain) {
  int asked = 0;
  Squares squares(run_now, 2);
  for (int i = 0; i < 2; ++i) {
    const auto answer = ask(squares, -1, &asked);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().message, "negative");
  }
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(squares.find(-1), nullptr);
}

TEST(Derived, KeepsThoseThatWereAskedForLast) {
  int asked = 0;
  Squares squares(run_now, 2);
  for (const int of : {1, 2, 1, 3}) (void)ask(squares, of, &asked);
  EXPECT_EQ(asked, 3);
  EXPECT_NE(squares.find(1), nullptr);
  EXPECT_EQ(squares.find(2), nullptr);
  EXPECT_NE(squares.find(3), nullptr);
}

TEST(Derived, KnowsWhetherAJobIsUnderWay) {
  Jobs jobs;
  Squares squares(jobs.run(), 1);
  EXPECT_FALSE(squares.is_under_way(3));
  (void)ask(squares, 3);
  EXPECT_TRUE(squares.is_under_way(3));
  jobs.run_all();
  EXPECT_FALSE(squares.is_under_way(3));
}

TEST(Derived, AJobMayOutliveIt) {
  Jobs jobs;
  {
    Squares squares(jobs.run(), 1);
    (void)ask(squares, 3);
  }
  jobs.run_all();
}

TEST(Derived, SameObjectIsTheObjectAndNotItsValue) {
  const auto one = std::make_shared<int>(1);
  const auto other = std::make_shared<int>(1);
  EXPECT_EQ(SameObject{one}, SameObject{one});
  EXPECT_FALSE(SameObject{one} == SameObject{other});
}

}  // namespace
}  // namespace tilescope
