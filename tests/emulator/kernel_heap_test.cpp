#include "emulator/execution/kernel_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace tilescope {
namespace {

class KernelHeap : public ::testing::Test {
 protected:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(64 << 10);
};

TEST_F(KernelHeap, AllocationsDoNotOverlap) {
  std::uint64_t end = 0;
  for (const unsigned size : {1U, 16U, 17U, 100U, 4000U, 0U}) {
    const std::uint64_t offset = allocate_in(bytes_, size);
    ASSERT_NE(offset, 0U);
    EXPECT_EQ(offset % 16, 0U);
    EXPECT_GE(offset, end);
    end = offset + size;
    ASSERT_LE(end, bytes_.size());
    std::memset(bytes_.data() + offset, 0xff, size);  // what is the program's may be anything
  }
}

TEST_F(KernelHeap, WhatWasFreedIsHandedOutAgainWhereNothingElseIsLeft) {
  std::set<std::uint64_t> all;
  while (const std::uint64_t offset = allocate_in(bytes_, 1000)) all.insert(offset);
  EXPECT_GT(all.size(), 50U);
  EXPECT_EQ(allocate_in(bytes_, 1000), 0U);
  EXPECT_TRUE(release_in(bytes_, *all.begin()));
  EXPECT_EQ(allocate_in(bytes_, 1000), *all.begin());
  EXPECT_EQ(allocate_in(bytes_, 1000), 0U);
}

TEST_F(KernelHeap, OnlyALiveAllocationIsFreed) {
  EXPECT_FALSE(release_in(bytes_, 1024)) << "nothing was allocated";
  const std::uint64_t offset = allocate_in(bytes_, 64);
  EXPECT_FALSE(release_in(bytes_, offset + 16));
  EXPECT_FALSE(release_in(bytes_, offset - 16));
  EXPECT_FALSE(release_in(bytes_, bytes_.size() - 16));
  EXPECT_TRUE(release_in(bytes_, offset));
  EXPECT_FALSE(release_in(bytes_, offset)) << "a second time";
}

TEST_F(KernelHeap, TheAllocationBeforeAnOffsetIsKnown) {
  const std::uint64_t first = allocate_in(bytes_, 4000);
  const std::uint64_t second = allocate_in(bytes_, 7);
  EXPECT_FALSE(allocation_before(bytes_, first - 1).has_value());
  EXPECT_TRUE(release_in(bytes_, second));
  const auto at_end = allocation_before(bytes_, first + 3999);
  ASSERT_TRUE(at_end.has_value());
  EXPECT_EQ(at_end->begin, first);
  EXPECT_EQ(at_end->bytes, 4000U);
  EXPECT_TRUE(at_end->live);
  const auto freed = allocation_before(bytes_, second + 3);
  ASSERT_TRUE(freed.has_value());
  EXPECT_EQ(freed->begin, second);
  EXPECT_FALSE(freed->live);
}

TEST_F(KernelHeap, AKernelMayOverwriteAllThatIsKnownOfIt) {
  for (const int byte : {0xff, 0x00, 0x7f, 0x20}) {
    const std::uint64_t offset = allocate_in(bytes_, 64);
    if (offset != 0) release_in(bytes_, offset);
    std::memset(bytes_.data(), byte, bytes_.size());
    for (unsigned size = 1; size < bytes_.size(); size *= 2) {
      const std::uint64_t got = allocate_in(bytes_, size);
      EXPECT_LE(got, bytes_.size() - std::min<std::size_t>(size, bytes_.size()));
      release_in(bytes_, got == 0 ? 4096 : got);
    }
    for (std::uint64_t at = 0; at < bytes_.size(); at += 97)
      static_cast<void>(allocation_before(bytes_, at));
  }
}

TEST_F(KernelHeap, TooMuchIsNotThere) {
  EXPECT_EQ(allocate_in(bytes_, bytes_.size()), 0U);
  EXPECT_EQ(allocate_in(bytes_, ~std::uint64_t{0}), 0U);
  EXPECT_NE(allocate_in(bytes_, 16), 0U);
}

TEST_F(KernelHeap, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::vector<std::vector<std::uint64_t>> got(4);
  for (auto& mine : got) {
    threads.emplace_back([this, &mine] {
      for (int i = 0; i < 100; ++i) mine.push_back(allocate_in(bytes_, 16));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::uint64_t> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 400U);
  EXPECT_FALSE(all.contains(0));
}

}  // namespace
}  // namespace tilescope
