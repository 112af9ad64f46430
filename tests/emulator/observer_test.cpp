#include "emulator/execution/observer.h"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/execution/warp.h"

namespace tilescope {
namespace {

// Remembers the lanes that it was shown, and takes some of them out.
class Taker final : public BlockObserver {
 public:
  explicit Taker(std::uint32_t lanes, bool ignores = false) : takes_(lanes), ignores_(ignores) {}
  void inspect(ObservedAccess& access) override {
    seen.push_back(access.lanes);
    access.lanes &= ~takes_;
    access.ignored = ignores_;
  }
  std::vector<std::uint32_t> seen;

 private:
  std::uint32_t takes_;
  bool ignores_;
};

class CountingSink final : public TraceSink {
 public:
  void on_access(const WarpPoint&, const WarpAccess&) override { ++accesses; }
  int accesses = 0;
};

struct Access {
  Access() { access.active = 0xf; }
  void make(Observers& observers) {
    const WarpStep step{op, nullptr, 0xf, warp};
    observers.before(step);
    observers.on_access(where, access);
    observers.after(step);
  }
  MicroOp op;
  Warp warp;
  WarpPoint where;
  WarpAccess access;
};

TEST(Observers, ShowTheLaterOnesOnlyTheLanesThatEarlierOnesLeave) {
  Taker first(0x3);
  Taker second(0x4);
  Taker third(0);
  Observers observers;
  for (Taker* taker : {&first, &second, &third}) observers.add(*taker);
  observers.watch({1}, nullptr);
  Access access;
  access.make(observers);
  EXPECT_EQ(first.seen, std::vector<std::uint32_t>{0xf});
  EXPECT_EQ(second.seen, std::vector<std::uint32_t>{0xc});
  EXPECT_EQ(third.seen, std::vector<std::uint32_t>{0x8});
}

TEST(Observers, ShowNobodyAnAccessThatAnEarlierOneIgnores) {
  Taker first(0, true);
  Taker second(0);
  Observers observers;
  observers.add(first);
  observers.add(second);
  observers.watch({1}, nullptr);
  Access access;
  access.make(observers);
  EXPECT_EQ(first.seen.size(), 1U);
  EXPECT_TRUE(second.seen.empty());
}

TEST(Observers, PassEveryAccessToTheSinkAndThoseOfWatchedInstructionsToObservers) {
  Taker taker(0);
  CountingSink sink;
  Observers observers;
  observers.add(taker);
  observers.watch({1}, &sink);
  Access access;
  observers.on_access(access.where, access.access);  // of an instruction that nobody watches
  access.make(observers);
  EXPECT_EQ(sink.accesses, 2);
  EXPECT_EQ(taker.seen.size(), 1U);
}

TEST(Observers, WatchWhatTheyAreToldToAndAllWhileSomebodyNeedsAll) {
  Observers observers;
  EXPECT_FALSE(observers.watches_any());
  observers.watch({0, 1}, nullptr);
  MicroOp op;
  EXPECT_FALSE(observers.watches(op));
  op.instruction = 1;
  EXPECT_TRUE(observers.watches(op));
  op.instruction = 0;
  observers.watch_all(true);
  EXPECT_TRUE(observers.watches(op));
  observers.watch_all(false);
  EXPECT_FALSE(observers.watches(op));
}

}  // namespace
}  // namespace tilescope
