#include "analysis/study/warp_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/memory/launch_memory.h"
#include "analysis/studied.h"
#include "analysis/study/timeline.h"
#include "analysis/time/warp_timing.h"

namespace tilescope {
namespace {

using testing::studied;

ParameterSet gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {{"M", m}, {"N", n}, {"K", k}};
}

// As the emulator executed it.
BlockTrace emulated(const KernelStudy& study) {
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  auto trace = trace_block(*study.program, study.launch, memory,
                           flatten(study.trace->block, study.launch.grid), 1U << 22U, {});
  EXPECT_TRUE(trace.ok());
  return *std::move(trace);
}

// What a warp executes, and where: independent of the other warps.
std::vector<std::vector<std::uint64_t>> ways(const BlockTrace& trace) {
  std::vector<std::vector<std::uint64_t>> ways;
  for (const std::vector<std::uint32_t>& own : events_by_warp(trace)) {
    std::vector<std::uint64_t>& way = ways.emplace_back();
    for (const std::uint32_t e : own) {
      const TraceEvent& event = trace.events[e];
      way.push_back(std::uint64_t{event.instruction} << 32U | event.active);
      if (event.access == kNoAccess) continue;
      for (const std::uint64_t address : trace.access(event.access).address) way.push_back(address);
    }
  }
  return ways;
}

TEST(WarpOrder, KeepsWhatEachWarpDoes) {
  for (const char* id : {"gemm/naive", "gemm/register_tile", "gemm/tensor_core"}) {
    const auto study = studied(id, {}, gemm(256, 256, 64));
    EXPECT_EQ(ways(*study->trace), ways(emulated(*study))) << id;
  }
}

TEST(WarpOrder, NoEventPassesABarrier) {
  const auto study = studied("gemm/register_tile", {}, gemm(256, 256, 64));
  const BlockTrace& trace = *study->trace;
  const auto own = events_by_warp(trace);
  std::vector<std::size_t> barriers(own.size(), 0);
  for (const TraceEvent& event : trace.events) {
    const auto [least, most] = std::ranges::minmax(barriers);
    // A warp that has met the others once more than they it must wait for them.
    EXPECT_LE(most - least, 1U);
    if (barriers[event.warp] > least) ADD_FAILURE() << "warp " << event.warp << " goes on alone";
    if (study->program->instructions()[event.instruction].is_barrier) ++barriers[event.warp];
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(WarpOrder, WithoutABarrierTheWarpsGoThroughTheLoopTogether) {
  const auto study = studied("gemm/naive", {}, gemm(64, 64, 256));
  const Timeline& timeline = *study->timeline;
  ASSERT_GT(timeline.step_begin.size(), 16U);
  const auto events = static_cast<std::uint32_t>(study->trace->events.size());
  for (std::uint32_t event = 0; event < events; event += 7) {
    for (std::uint32_t warp = 1; warp < timeline.warp_steps.size(); ++warp) {
      const std::uint32_t first = timeline.step_of(0, event);
      const std::uint32_t here = timeline.step_of(warp, event);
      ASSERT_LE(std::max(first, here) - std::min(first, here), 1U) << event;
    }
  }
  const BlockTrace before = emulated(*study);
  const auto middle = before.events[before.events.size() / 16];
  EXPECT_EQ(middle.warp, 0);  // as emulated, one after the other
}

constexpr const char* kHandOver = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry hand_over()
{
  .shared .align 8 .b64 ready;
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r2, ready;
  SYNC
  mov.u32 %r3, 1;
  mov.u32 %r3, 2;
  ret;
}
)";

BlockTrace of_two_warps(const std::string& sync, bool* changed) {
  std::string text = kHandOver;
  text.replace(text.find("SYNC"), 4, sync);
  const auto program = decode_ptx(text, "", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  Launch launch;
  launch.block = {64, 1, 1};
  DeviceMemory memory;
  auto trace = trace_block(**program, launch, memory, 0, 1000, {});
  EXPECT_TRUE(trace.ok());
  const EventList before = trace->events;
  put_warps_side_by_side(**program, &*trace);
  *changed = !std::ranges::equal(before, trace->events, {}, &TraceEvent::warp, &TraceEvent::warp);
  return *std::move(trace);
}

TEST(WarpOrder, StaysAsEmulatedWhereWarpsSignalInOtherWays) {
  bool changed = false;
  (void)of_two_warps("bar.sync 0;", &changed);
  EXPECT_TRUE(changed);
  (void)of_two_warps("@!%p1 mbarrier.init.shared.b64 [%r2], 1;", &changed);
  EXPECT_FALSE(changed);
  (void)of_two_warps("bar.sync 1;\n  bar.sync 2;", &changed);
  EXPECT_FALSE(changed);
}

TEST(WarpOrder, ANewOrderTakesOneInstructionOfEachWarpInTurn) {
  bool changed = false;
  const BlockTrace trace = of_two_warps("mov.u32 %r3, 0;", &changed);
  ASSERT_TRUE(changed);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    EXPECT_EQ(trace.events[i].warp, i % 2);
    EXPECT_EQ(trace.events[i].instruction, trace.events[i / 2 * 2].instruction);
  }
}

}  // namespace
}  // namespace tilescope
