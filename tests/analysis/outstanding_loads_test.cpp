#include "analysis/time/outstanding_loads.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/study/kernel_study.h"
#include "core/paths.h"

namespace tilescope {
namespace {

// A kernel of one warp whose lanes load from where `body` says; each load brings 128 B.
std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
         ".reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 16 .b8 s[4096];\n"
         "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
         "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;\n" +
         body + "ret;\n}\n";
}

OutstandingLoads loads_of(const std::string& body) {
  auto program = decode_ptx(kernel(body), "", "");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  if (!program) return {};
  const std::size_t size = (*program)->instructions().size();
  LaunchCounters counters;
  counters.by_instruction.resize(size);
  counters.executed = ExecutionCounts(size);
  for (std::size_t i = 0; i < size; ++i) {
    const StaticInstruction& instruction = (*program)->instructions()[i];
    counters.executed.warps[i] = 1;
    if (instruction.space != MemorySpace::kGlobal && instruction.access != AccessKind::kAsyncCopy) {
      continue;
    }
    counters.by_instruction[i].requests = 2;
    counters.by_instruction[i].global_requests = 2;
    counters.by_instruction[i].distinct_bytes = 2 * 32 * instruction.bytes_per_lane;
  }
  return outstanding_loads(**program, counters);
}

TEST(OutstandingLoads, AKernelWithoutLoadsHasNone) {
  const OutstandingLoads none = loads_of("st.global.u32 [%rd4], %r1;\n");
  EXPECT_EQ(none.loads, 0);
  EXPECT_EQ(none.bytes, 0);
}
TEST(OutstandingLoads, EachUseWaits) {
  const OutstandingLoads one = loads_of(
      "ld.global.u32 %r2, [%rd4]; add.u32 %r3, %r2, 1; ld.global.u32 %r4, [%rd4+128];\n"
      "add.u32 %r5, %r4, 1;\n");
  EXPECT_EQ(one.loads, 1);
  EXPECT_EQ(one.bytes, 128);
}
TEST(OutstandingLoads, LoadsInARowAddUp) {
  const OutstandingLoads three = loads_of(
      "ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, [%rd4+128]; ld.global.u32 %r4, [%rd4+256];\n"
      "add.u32 %r5, %r2, %r3; add.u32 %r5, %r5, %r4;\n");
  EXPECT_EQ(three.loads, 3);
  EXPECT_EQ(three.bytes, 384);
}
TEST(OutstandingLoads, AUseLeavesWhatWasLoadedLater) {
  const OutstandingLoads two = loads_of(
      "ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, [%rd4+128]; add.u32 %r5, %r2, 1;\n"
      "ld.global.u32 %r4, [%rd4+256]; add.u32 %r5, %r3, %r4;\n");
  EXPECT_EQ(two.loads, 2);
}
TEST(OutstandingLoads, WiderLoadsCarryMore) {
  const OutstandingLoads wide =
      loads_of("ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%rd4]; add.u32 %r6, %r5, 1;\n");
  EXPECT_EQ(wide.loads, 1);
  EXPECT_EQ(wide.bytes, 512);
}
TEST(OutstandingLoads, WhatAPassPrefetchesIsUnderWayInTheNext) {
  const OutstandingLoads two = loads_of(
      "ld.global.u32 %r2, [%rd4]; mov.u32 %r9, 0;\n"
      "L: ld.global.u32 %r3, [%rd4+128]; add.u32 %r9, %r9, %r2; mov.u32 %r2, %r3;\n"
      "setp.lt.u32 %p1, %r9, 9; @%p1 bra L;\n");
  EXPECT_EQ(two.loads, 2);
}
TEST(OutstandingLoads, CopyGroupsStayUntilTheirWait) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%rd4], 4; cp.async.commit_group;\n";
  const OutstandingLoads ring =
      loads_of("mov.u32 %r9, 0;\n" + copy + copy + "L: cp.async.wait_group 1;\n" + copy +
               "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 9;\n"
               "@%p1 bra L; cp.async.wait_all;\n");
  EXPECT_EQ(ring.loads, 2);  // a third one starts when the first has been waited for
  EXPECT_EQ(ring.bytes, 256);
  EXPECT_TRUE(ring.asynchronous);
}
TEST(OutstandingLoads, APrologueInALoopFillsTheRing) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%rd4], 4; cp.async.commit_group;\n";
  const OutstandingLoads ring = loads_of(
      "mov.u32 %r8, 0; mov.u32 %r9, 0;\nP: " + copy +
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 4; @%p2 bra P;\nL: cp.async.wait_group 3;\n" +
      copy + "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 9; @%p1 bra L;\n");
  EXPECT_EQ(ring.loads, 4);
}

}  // namespace
}  // namespace tilescope
