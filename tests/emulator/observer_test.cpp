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
  [[nodiscard]] StepEvents needs(std::uint32_t) const override { return {.accesses = true}; }
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

// Needs before() of instruction 1 and after() of instruction 2, and counts its calls.
class Counter final : public BlockObserver {
 public:
  [[nodiscard]] StepEvents needs(std::uint32_t instruction) const override {
    return {.before = instruction == 1, .after = instruction == 2};
  }
  void before(const WarpStep&) override { ++calls_before; }
  void after(const WarpStep&) override { ++calls_after; }
  void on_skip(const WarpStep&) override { ++skips; }
  int calls_before = 0;
  int calls_after = 0;
  int skips = 0;
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
  observers.watch(1, nullptr);
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
  observers.watch(1, nullptr);
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
  observers.watch(1, &sink);
  Access access;
  observers.on_access(access.where, access.access);  // of an instruction that nobody watches
  access.make(observers);
  EXPECT_EQ(sink.accesses, 2);
  EXPECT_EQ(taker.seen.size(), 1U);
}

TEST(Observers, TellEachOfTheInstructionsThatItNeedsAndOfAllWhileItFollowsThem) {
  Counter some;
  Counter all;
  Observers observers;
  for (Counter* counter : {&some, &all}) observers.add(*counter);
  EXPECT_FALSE(observers.watches_any());
  observers.watch(3, nullptr);
  EXPECT_TRUE(observers.watches_any());
  const Warp warp;
  std::vector<MicroOp> ops(3);
  for (std::uint32_t i = 0; i < 3; ++i) ops[i].instruction = i;
  const auto execute = [&] {
    for (const MicroOp& op : ops) {
      const WarpStep step{op, nullptr, 0xf, warp};
      observers.on_skip(step);
      if (!observers.watches(op)) continue;
      observers.before(step);
      EXPECT_EQ(observers.step(), &step);
      observers.after(step);
      EXPECT_EQ(observers.step(), nullptr);
    }
  };
  execute();
  EXPECT_FALSE(observers.watches(ops[0]));
  observers.follow(all, true);
  execute();
  observers.follow(all, false);
  execute();
  EXPECT_EQ(some.calls_before, 3);
  EXPECT_EQ(some.calls_after, 3);
  EXPECT_EQ(some.skips, 0);
  EXPECT_EQ(all.calls_before, 1 + 3 + 1);
  EXPECT_EQ(all.calls_after, 1 + 3 + 1);
  EXPECT_EQ(all.skips, 3);
}

}  // namespace
}  // namespace tilescope
