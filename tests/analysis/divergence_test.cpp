#include "analysis/study/divergence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "emulator/device_memory.h"

namespace tilescope {
namespace {

struct Traced {
  std::shared_ptr<const Program> program;
  BlockTrace trace;
  BlockLanes lanes;
};

// Runs one block of a kernel without arguments: %r1 is the thread's index.
Traced run(const std::string& body, std::uint32_t threads = 32,
           std::size_t most_events = 1u << 16) {
  const std::string ptx =
      ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"probe.cu\"\n"
      ".visible .entry probe()\n{\n.reg .pred %p<8>;\n.reg .b32 %r<16>;\n"
      "mov.u32 %r1, %tid.x;\n" +
      body + "}\n";
  Traced traced;
  auto program = decode_ptx(ptx, "probe", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  traced.program = *program;
  Launch launch;
  launch.grid = {1, 1, 1};
  launch.block = {threads, 1, 1};
  DeviceMemory memory;
  auto trace = trace_block(*traced.program, launch, memory, 0, most_events, {});
  EXPECT_TRUE(trace.ok());
  traced.trace = *std::move(trace);
  traced.lanes = block_lanes_of(*traced.program, traced.trace, threads);
  return traced;
}

std::string text_of(const Traced& traced, std::uint32_t instruction) {
  return std::string(traced.program->instructions()[instruction].text);
}

void expect_every_slot_is_something(const LaneSlots& slots) {
  EXPECT_EQ(slots.total(),
            slots.working + slots.predicated + slots.waiting + slots.done + slots.absent);
}

TEST(BlockLanes, AWarpThatStaysTogetherLosesNothing) {
  const Traced traced = run("add.s32 %r2, %r1, 1;\nadd.s32 %r2, %r2, 1;\nret;\n");
  const WarpLanes& warp = traced.lanes.warps.at(0);
  EXPECT_EQ(warp.slots.instructions, 4u);
  EXPECT_EQ(warp.slots.lost(), 0u);
  EXPECT_EQ(warp.slots.ideal_instructions(), 4u);
  EXPECT_TRUE(warp.divergences.empty());
  ASSERT_EQ(warp.runs.size(), 1u);
  EXPECT_EQ(warp.runs[0].path, kTogether);
  EXPECT_EQ(traced.lanes.diverging_warps(), 0u);
}

constexpr const char* kTwoWays = R"(
setp.lt.s32 %p1, %r1, 8;
.loc 1 7 1
@%p1 bra LEFT;
.loc 1 8 1
add.s32 %r2, %r1, 1;
add.s32 %r2, %r2, 1;
bra MEET;
LEFT:
.loc 1 9 1
add.s32 %r2, %r1, 3;
MEET:
.loc 1 10 1
add.s32 %r3, %r2, 1;
ret;
)";

TEST(BlockLanes, TwoWaysAreWalkedOneAfterTheOther) {
  const Traced traced = run(kTwoWays);
  const WarpLanes& warp = traced.lanes.warps.at(0);
  ASSERT_EQ(warp.divergences.size(), 1u);
  const Divergence& divergence = warp.divergences[0];
  EXPECT_EQ(text_of(traced, divergence.branch), "@%p1 bra LEFT;");
  EXPECT_EQ(divergence.begin, 3u);
  EXPECT_EQ(divergence.end, 7u);
  EXPECT_EQ(divergence.groups, 2);
  EXPECT_EQ(divergence.paths, 2);
  EXPECT_FALSE(divergence.is_loop);
  EXPECT_EQ(divergence.waiting, 3u * 8 + 24);
  EXPECT_EQ(warp.slots.waiting, divergence.waiting);
  EXPECT_EQ(warp.slots.done, 0u);
  expect_every_slot_is_something(warp.slots);
  ASSERT_EQ(warp.branches.size(), 1u);
  EXPECT_EQ(warp.branches[0].times, 1u);
}

TEST(BlockLanes, TheLineWhereMostLanesWaitComesFirst) {
  const Traced traced = run(kTwoWays);
  ASSERT_GE(traced.lanes.lines.size(), 2u);
  EXPECT_EQ(traced.lanes.lines[0].slots.lost(), 24u);
  EXPECT_EQ(traced.lanes.lines[1].slots.lost(), 24u);
  EXPECT_EQ(traced.lanes.lines[0].line.line, 8u);
  EXPECT_EQ(traced.lanes.lines[1].line.line, 9u);
  LaneSlots sum;
  std::uint64_t parted = 0;
  for (const LineLanes& line : traced.lanes.lines) {
    sum += line.slots;
    parted += line.parted;
  }
  EXPECT_EQ(sum.lost(), traced.lanes.slots.lost());
  EXPECT_EQ(sum.instructions, traced.lanes.slots.instructions);
  EXPECT_EQ(parted, 1u);
}

TEST(BlockLanes, AnIfWithoutElseLetsTheOthersWait) {
  const Traced traced =
      run("setp.lt.s32 %p1, %r1, 8;\n@%p1 bra MEET;\nadd.s32 %r2, %r1, 1;\nMEET:\n"
          "add.s32 %r3, %r2, 1;\nret;\n");
  ASSERT_EQ(traced.lanes.warps[0].divergences.size(), 1u);
  EXPECT_EQ(traced.lanes.warps[0].divergences[0].groups, 2);
  EXPECT_EQ(traced.lanes.warps[0].divergences[0].paths, 1);
  EXPECT_EQ(traced.lanes.slots.waiting, 8u);
}

TEST(BlockLanes, ALoopTurnsUntilItsLastLaneIsDone) {
  const Traced traced = run(
      "mov.u32 %r2, 0;\nLOOP:\nadd.s32 %r2, %r2, 1;\nsetp.le.s32 %p1, %r2, %r1;\n@%p1 bra LOOP;\n"
      "add.s32 %r3, %r2, 1;\nret;\n");
  const WarpLanes& warp = traced.lanes.warps.at(0);
  ASSERT_EQ(warp.divergences.size(), 1u);
  const Divergence& divergence = warp.divergences[0];
  EXPECT_TRUE(divergence.is_loop);
  EXPECT_EQ(divergence.fewest_turns, 1u);
  EXPECT_EQ(divergence.most_turns, 32u);
  EXPECT_EQ(divergence.groups, 32);
  EXPECT_EQ(divergence.paths, 1);
  EXPECT_EQ(warp.slots.waiting, 3u * (31 * 32 / 2));
  expect_every_slot_is_something(warp.slots);
}

TEST(BlockLanes, ALoopTestedAtItsHeadTurnsOnceLessThanItIsTested) {
  const Traced traced = run(
      "mov.u32 %r2, 0;\nLOOP:\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra DONE;\nadd.s32 %r2, %r2, 1;\n"
      "bra LOOP;\nDONE:\nadd.s32 %r3, %r2, 1;\nret;\n");
  ASSERT_EQ(traced.lanes.warps[0].divergences.size(), 1u);
  const Divergence& divergence = traced.lanes.warps[0].divergences[0];
  EXPECT_TRUE(divergence.is_loop);
  EXPECT_EQ(divergence.fewest_turns, 0u);
  EXPECT_EQ(divergence.most_turns, 31u);
}

TEST(BlockLanes, ASwitchHasAsManyGroupsAsWays) {
  std::string body = "and.b32 %r2, %r1, 3;\n";
  for (int way = 0; way < 3; ++way) {
    body += fmt::format("setp.eq.s32 %p1, %r2, {0};\n@%p1 bra WAY{0};\n", way);
  }
  for (int way = 3; way >= 0; --way) {
    body += fmt::format("WAY{0}:\nadd.s32 %r3, %r1, {0};\nbra MEET;\n", way);
  }
  const Traced traced = run(body + "MEET:\nadd.s32 %r4, %r3, 1;\nret;\n");
  ASSERT_EQ(traced.lanes.warps[0].divergences.size(), 1u);
  EXPECT_EQ(traced.lanes.warps[0].divergences[0].groups, 4);
}

TEST(BlockLanes, LanesThatLeaveEarlyAreDone) {
  const Traced traced =
      run("setp.ge.s32 %p1, %r1, 20;\n@%p1 bra END;\nadd.s32 %r2, %r1, 1;\nadd.s32 %r2, %r2, 1;\n"
          "END:\nret;\n");
  const LaneSlots& slots = traced.lanes.slots;
  EXPECT_EQ(slots.done, 2u * 12);
  EXPECT_EQ(slots.waiting, 0u);
  EXPECT_TRUE(traced.lanes.warps[0].divergences.empty());
  expect_every_slot_is_something(slots);
}

TEST(BlockLanes, ABlockOf48ThreadsHasHalfAWarp) {
  const Traced traced = run("add.s32 %r2, %r1, 1;\nret;\n", 48);
  ASSERT_EQ(traced.lanes.warps.size(), 2u);
  EXPECT_EQ(traced.lanes.warps[0].slots.lost(), 0u);
  EXPECT_EQ(traced.lanes.warps[1].existing, 0xffffu);
  EXPECT_EQ(traced.lanes.warps[1].slots.absent, 3u * 16);
  EXPECT_DOUBLE_EQ(traced.lanes.slots.lost_share(), 0.25);
}

TEST(BlockLanes, APredicateSwitchesLanesOffWithoutParting) {
  const Traced traced =
      run("setp.lt.s32 %p1, %r1, 8;\n@%p1 add.s32 %r2, %r1, 1;\nadd.s32 %r2, %r2, 1;\nret;\n");
  EXPECT_EQ(traced.lanes.slots.predicated, 24u);
  EXPECT_EQ(traced.lanes.slots.lost(), 24u);
  EXPECT_TRUE(traced.lanes.warps[0].divergences.empty());
  const LaneStates states =
      lane_columns(*traced.program, traced.trace, traced.lanes.warps[0], 2, 3, 1).at(0).states;
  EXPECT_EQ(states.working, 0xffu);
  EXPECT_EQ(states.predicated, ~0xffu);
}

TEST(BlockLanes, OfATraceThatWasCutNobodyIsDone) {
  const Traced traced = run(kTwoWays, 32, 4);
  EXPECT_TRUE(traced.trace.truncated);
  const WarpLanes& warp = traced.lanes.warps.at(0);
  EXPECT_EQ(warp.slots.done, 0u);
  ASSERT_EQ(warp.divergences.size(), 1u);
  EXPECT_EQ(warp.divergences[0].end, 4u);
}

TEST(BlockLanes, MomentsOfTheBlockFindTheWarpsOwnInstruction) {
  const Traced traced = run("add.s32 %r2, %r1, 1;\nret;\n", 64);
  const WarpLanes& second = traced.lanes.warps.at(1);
  ASSERT_EQ(second.events.size(), 3u);
  EXPECT_EQ(second.index_at(0), 0u);
  EXPECT_EQ(second.index_at(second.events[1]), 1u);
  EXPECT_EQ(second.index_at(1000), 2u);
}

TEST(LaneColumns, MergeInstructionsAndKeepTheirSlots) {
  const Traced traced = run(kTwoWays);
  const WarpLanes& warp = traced.lanes.warps.at(0);
  const auto size = static_cast<std::uint32_t>(warp.events.size());
  for (const std::uint32_t most : {1u, 3u, 4u, 100u}) {
    const auto columns = lane_columns(*traced.program, traced.trace, warp, 0, size, most);
    ASSERT_FALSE(columns.empty());
    EXPECT_LE(columns.size(), most);
    EXPECT_EQ(columns.front().begin, 0u);
    EXPECT_EQ(columns.back().end, size);
    LaneSlots sum;
    for (const LaneColumn& column : columns) {
      sum += column.slots;
      const LaneStates& s = column.states;
      EXPECT_EQ(s.working | s.predicated | s.waiting | s.done | s.absent, 0xffffffffu);
    }
    EXPECT_EQ(sum.lost(), warp.slots.lost());
    EXPECT_EQ(sum.instructions, warp.slots.instructions);
  }
  const auto each = lane_columns(*traced.program, traced.trace, warp, 0, size, 100);
  EXPECT_EQ(each[3].states.working, 0xffffff00u);
  EXPECT_EQ(each[3].states.waiting, 0xffu);
  EXPECT_EQ(each[3].path, 0);
  EXPECT_EQ(each[6].path, 1);
  EXPECT_EQ(each[7].path, kTogether);
}

}  // namespace
}  // namespace tilescope
