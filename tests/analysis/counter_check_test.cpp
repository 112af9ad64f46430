#include "analysis/study/counter_check.h"

#include <gtest/gtest.h>

#include <array>

namespace tilescope {
namespace {

using Verdict = CheckedCounter::Verdict;
const std::string kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const std::string kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";

TEST(CounterCheck, WhatLiesBetweenTheReadingsIsEqual) {
  EXPECT_EQ((CheckedCounter{kSectors, 64, 64, 64}).verdict(), Verdict::kEqual);
  EXPECT_EQ((CheckedCounter{kSectors, 64, 63, 65}).verdict(), Verdict::kEqual);
  EXPECT_EQ((CheckedCounter{kSectors, 64, 65, 65}).verdict(), Verdict::kDifferent);
}

TEST(CounterCheck, OnlyThePipeOfSharedMemoryIsContendedAndOnlyWhereItsReadingsDiffer) {
  EXPECT_EQ((CheckedCounter{kWavefronts, 64, 65, 67}).verdict(), Verdict::kContended);
  EXPECT_EQ((CheckedCounter{kWavefronts, 64, 65, 65}).verdict(), Verdict::kDifferent);
  EXPECT_EQ((CheckedCounter{kWavefronts, 64, 60, 63}).verdict(), Verdict::kDifferent);
  EXPECT_EQ((CheckedCounter{kSectors, 64, 65, 67}).verdict(), Verdict::kDifferent);
}

TEST(CounterCheck, WhatOtherTurnsChangeIsNoDifference) {
  EXPECT_EQ((CheckedCounter{kSectors, 64, 65, 65, 66}).verdict(), Verdict::kByTurns);
  EXPECT_EQ((CheckedCounter{kSectors, 64, 64, 64, 66}).verdict(), Verdict::kEqual);
  EXPECT_EQ((CheckedCounter{kWavefronts, 64, 65, 67, 60}).verdict(), Verdict::kByTurns);
}

TEST(CounterCheck, ConflictsAreMeasuredAgainstTheWavefrontsThatTheyAreSomeOf) {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  HardwareCounters hardware;
  hardware.counters = {{conflicts, 0, 4, 4}, {kWavefronts, 1000, 1000, 1000}};
  EXPECT_DOUBLE_EQ(hardware.share_of(hardware.counters[0]), 0.004);
  EXPECT_TRUE(hardware.counters[0].may_be_contended());
  const std::array<std::string_view, 1> parts{"bank_conflicts"};
  EXPECT_EQ(hardware.most_different(parts), &hardware.counters[0]);
  hardware.counters[0].most = hardware.counters[0].least = 0;
  EXPECT_EQ(hardware.most_different(parts), nullptr);
}

TEST(CounterCheck, TheWorstOfSomeSpeaksForThem) {
  HardwareCounters hardware;
  hardware.counters = {{kSectors, 64, 65, 65}, {kWavefronts, 64, 65, 67}};
  using Parts = std::array<std::string_view, 1>;
  EXPECT_EQ(hardware.worst_of(Parts{"mem_global"}), Verdict::kDifferent);
  EXPECT_EQ(hardware.worst_of(Parts{"mem_shared"}), Verdict::kContended);
  EXPECT_EQ(hardware.worst_of(Parts{"mem_local"}), Verdict::kEqual);
}

}  // namespace
}  // namespace tilescope
