#include <gtest/gtest.h>

#include <thread>

#include "core/job_pool.h"

namespace tilescope {
namespace {

TEST(Inbox, GivesWhatArrivedOnceAndInOrder) {
  Inbox<int> inbox;
  inbox.put(3);
  inbox.put(1);
  EXPECT_EQ(inbox.take(), (std::vector{3, 1}));
  EXPECT_TRUE(inbox.take().empty());
}

TEST(Inbox, LosesNothingThatThreadsPutAtOnce) {
  constexpr int kEach = 1000;
  Inbox<int> inbox;
  const auto fill = [&] {
    for (int i = 0; i < kEach; ++i) inbox.put(i);
  };
  std::size_t taken = 0;
  {
    const std::jthread first(fill);
    const std::jthread second(fill);
    while (taken < kEach) taken += inbox.take().size();
  }
  EXPECT_EQ(taken + inbox.take().size(), 2U * kEach);
}

}  // namespace
}  // namespace tilescope
