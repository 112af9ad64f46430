#include "emulator/block/event_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/block/block_trace.h"
#include "kernel_run.h"

namespace tilescope {
namespace {

bool equal(const TraceEvent& a, const TraceEvent& b) {
  return a.instruction == b.instruction && a.active == b.active && a.access == b.access &&
         a.warp == b.warp && a.present == b.present;
}

bool equal(const WarpAccess& a, const WarpAccess& b) {
  if (a.active != b.active || a.bytes_per_lane != b.bytes_per_lane || a.space != b.space ||
      a.kind != b.kind) {
    return false;
  }
  for (std::uint32_t left = a.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    if (a.address[lane] != b.address[lane]) return false;
  }
  return true;
}

// Two blocks of code: a load, a cp.async and a branch; then two instructions without an end.
std::shared_ptr<const BlockLayouts> two_blocks() {
  BlockLayouts layouts;
  layouts.steps = {{10, 0, true}, {11, 1, true}, {12, 3, false}, {20, 0, false}, {21, 0, true}};
  layouts.blocks = {{0, 3, false, true}, {3, 2, false, false}};
  return std::make_shared<const BlockLayouts>(layouts);
}

void add_access(EventList& events, std::uint32_t instruction) {
  WarpAccess access;
  access.active = 1;
  AccessList& list = events.accesses();
  list.append({base_of(access), list.shape_of(access, kNoAccess), instruction});
}

TEST(EventList, SpellsOutTheRunsOfBlocks) {
  EventList events(two_blocks());
  for (const std::uint32_t instruction : {10u, 11u, 11u, 21u}) add_access(events, instruction);
  events.add_block(0, 3, 0xff, 0x0f, 0);
  events.add({99, 1, kNoAccess, 4, 1}, 3);
  events.add_block(1, 5, 0xf0, 0, 3);
  const std::vector<TraceEvent> expected = {
      {10, 0xff, 0, 3, 0xff},   {11, 0xff, 1, 3, 0xff},         {12, 0x0f, kNoAccess, 3, 0xff},
      {99, 1, kNoAccess, 4, 1}, {20, 0xf0, kNoAccess, 5, 0xf0}, {21, 0xf0, 3, 5, 0xf0},
  };
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(equal(events[i], expected[i])) << i;
  const std::vector<std::uint32_t> backwards = {5, 4, 3, 2, 1, 0};
  events.reorder(backwards);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(equal(events[i], expected[expected.size() - 1 - i])) << i;
  }
}

// A predicate or an address may keep an instruction of the block from its access.
TEST(EventList, AnInstructionWithoutItsLikelyAccessHasNone) {
  EventList events(two_blocks());
  for (const std::uint32_t instruction : {11u, 11u, 10u, 11u, 11u}) {
    add_access(events, instruction);
  }
  events.add_block(0, 0, ~0u, ~0u, 0);  // instruction 10 made none
  events.add_block(0, 0, ~0u, ~0u, 2);
  EXPECT_EQ(events[0].access, kNoAccess);
  EXPECT_EQ(events[1].access, 0u);
  EXPECT_EQ(events[3].access, 2u);
  EXPECT_EQ(events[4].access, 3u);
}

TEST(EventList, FindsEveryEventOfManyRuns) {
  EventList events(two_blocks());
  for (int i = 0; i < 100; ++i) events.add({1, 1, kNoAccess, 0, 1}, 0);
  for (int i = 0; i < 1000; ++i) {
    events.add_block(i % 3 == 0 ? 0 : 1, static_cast<std::uint16_t>(i), 1, 1, 0);
    if (i % 7 == 0) events.add({1, 1, kNoAccess, static_cast<std::uint16_t>(i), 1}, 0);
  }
  std::size_t index = 0;
  std::uint16_t last = 0;
  for (const TraceEvent& event : events) {
    EXPECT_TRUE(equal(event, events[index]));
    EXPECT_GE(event.warp, last);
    last = event.warp;
    ++index;
  }
  EXPECT_EQ(index, events.size());
  EXPECT_EQ(events.back().warp, 999);
}

TEST(EventList, PassagesHoldEachEventInItsOrder) {
  EventList events(two_blocks());
  events.add({1, 1, kNoAccess, 2, 1}, 0);
  for (std::uint16_t i = 0; i < 50; ++i) {
    events.add_block(i % 2, i, 1, 1, 0);
    if (i % 5 == 0) events.add({7, 1, kNoAccess, i, 1}, 0);
  }
  std::size_t index = 0;
  events.for_each_passage([&](const EventList::Passage& passage) {
    EXPECT_EQ(passage.begin, index);
    for (const BlockLayouts::Step& step : passage.steps) {
      ASSERT_LT(index, events.size());
      EXPECT_EQ(step.instruction, events[index].instruction);
      EXPECT_EQ(passage.warp, events[index].warp);
      ++index;
    }
  });
  EXPECT_EQ(index, events.size());
}

// Sees every access where it happens.
class Collector final : public TraceSink {
 public:
  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    seen.emplace_back(where.instruction, access);
  }
  std::vector<std::pair<std::uint32_t, WarpAccess>> seen;
};

class TraceOf : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// What is written down where an access repeats, and of a block as a whole, is what a sink sees that
// is told everything.
TEST_P(TraceOf, KeepsEveryAccessAtItsEvent) {
  PreparedKernel prepared = prepare_kernel(GetParam().first, {}, GetParam().second);
  ASSERT_NE(prepared.program, nullptr);
  Collector collector;
  const auto told =
      trace_block(*prepared.program, prepared.launch, prepared.memory, 0, 1u << 22, {}, &collector);
  const auto alone =
      trace_block(*prepared.program, prepared.launch, prepared.memory, 0, 1u << 22, {});
  ASSERT_TRUE(told.ok() && alone.ok());
  const AccessList& kept = alone->events.accesses();
  std::uint32_t end = static_cast<std::uint32_t>(kept.size());
  std::size_t next = collector.seen.size();
  for (std::size_t i = alone->events.size();
       i-- > 0;) {  // backwards: each ends where the next begins
    const TraceEvent event = alone->events[i];
    ASSERT_TRUE(equal(event, told->events[i])) << i;
    if (event.access == kNoAccess) continue;
    for (std::uint32_t access = end; access-- > event.access;) {
      if (kept.instruction(access) == kNoInstruction) continue;
      ASSERT_GT(next--, 0u);
      const auto& [instruction, seen] = collector.seen[next];
      ASSERT_EQ(instruction, event.instruction) << i;
      ASSERT_EQ(kept.instruction(access), event.instruction) << i;
      ASSERT_TRUE(equal(alone->access(access), seen)) << i;
      ASSERT_TRUE(equal(told->access(access), seen)) << i;
    }
    end = event.access;
  }
  EXPECT_EQ(next, 0u);
  EXPECT_GT(collector.seen.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, TraceOf,
                         testing::Values(std::pair{"gemm/naive", "33x65x17"},
                                         std::pair{"gemm/shared_tile", "37x29x19"},
                                         std::pair{"gemm/register_tile", "130x256x50"},
                                         std::pair{"gemm/prefetch", "130x128x52"},
                                         std::pair{"gemm/tensor_core", "128x128x64"},
                                         std::pair{"gemm/warpgroup", "128x128x64"},
                                         std::pair{"transpose/tiled", "45x77"},
                                         std::pair{"divergence/switch", "1000"}),
                         [](const auto& tested) {
                           std::string name = tested.param.first;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace tilescope
