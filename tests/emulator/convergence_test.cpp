#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "emulator/emulate.h"
#include "emulator/execution/warp.h"
#include "emulator/issued_program.h"

// Machine code meets where its convergence barriers say, and every group that arrives executes the
// BSYNC (counted so on an H200: tests/corpus, smsp__inst_executed.sum of every launch).
namespace tilescope {
namespace {

constexpr std::string_view kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_param_0)\n{\nret;\n}\n";

// How often each instruction is executed by one warp of 32 lanes.
std::map<std::string, std::uint64_t> executions(std::string_view code) {
  const std::string listing =
      std::string("\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n") + std::string(code);
  const auto written = decode_ptx(kPtx, "k", "");
  EXPECT_TRUE(written.ok());
  const auto issued = decode_machine_code(listing, **written);
  EXPECT_TRUE(issued.ok()) << to_string(issued.error());
  if (!issued.ok()) return {};
  DeviceMemory memory;
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {0};
  const auto run = emulate(**issued, launch, memory, {}, [] { return nullptr; }, {}, {});
  EXPECT_TRUE(run.ok());
  EXPECT_TRUE(run->complete);
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < (*issued)->instructions().size(); ++i) {
    const StaticInstruction& instruction = (*issued)->instructions()[i];
    if (instruction.counts) counts[std::string(instruction.text)] += run->counts.warps[i];
  }
  return counts;
}

TEST(Convergence, LanesThatBrokeAwayAreNotWaitedFor) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_1) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0030*/              @!P0 BREAK B0 ;
        /*0040*/              @!P0 BRA `(.L_x_2) ;
        /*0050*/                   LOP3.LUT R5, R4, 0x3, RZ, 0xc0, !PT ;
.L_x_0:
        /*0060*/                   IADD3 R5, R5, -0x1, RZ ;
        /*0070*/                   ISETP.GE.AND P1, PT, R5, RZ, PT ;
        /*0080*/               @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0090*/                   BSYNC B0 ;
        /*00a0*/                   MOV R6, R5 ;
.L_x_2:
        /*00b0*/                   YIELD ;
        /*00c0*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("@P1 BRA `(.L_x_0)"), 4U);
  EXPECT_EQ(counts.at("BSYNC B0"), 4U);  // lanes leave the loop after 1, 2, 3 and 4 turns
  EXPECT_EQ(counts.at("MOV R6, R5"), 1U);
  EXPECT_EQ(counts.at("YIELD"), 2U);
}

TEST(Convergence, LanesWithoutABarrierStayApart) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0020*/               @P0 BRA `(.L_x_1) ;
        /*0030*/                   MOV R5, R4 ;
.L_x_1:
        /*0040*/                   MOV R6, R4 ;
        /*0050*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("MOV R6, R4"), 2U);
}

TEST(Convergence, LanesThatAreApartTakeTheirOwnWay) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0020*/                   UMOV UR5, 0xffffffff ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   MOV R5, R4 ;
.L_x_1:
        /*0050*/                   BRA.DIV UR5, `(.L_x_2) ;
        /*0060*/                   MOV R7, R4 ;
        /*0070*/                   EXIT ;
.L_x_2:
        /*0080*/                   MOV R8, 0xffffffff ;
        /*0090*/                   WARPSYNC.COLLECTIVE R8, `(.L_x_3) ;
        /*00a0*/                   NOP ;
.L_x_3:
        /*00b0*/                   MOV R6, R4 ;
        /*00c0*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("BRA.DIV UR5, `(.L_x_2)"), 2U);
  EXPECT_EQ(counts.at("MOV R7, R4"), 0U);
  // Each half by itself, then both once more together.
  EXPECT_EQ(counts.at("WARPSYNC.COLLECTIVE R8, `(.L_x_3)"), 3U);
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
}

// What a function does that is called by lanes of which others wait at the same barrier.
TEST(Convergence, ASavedBarrierKeepsItsLanes) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_3) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0030*/               @P0 BRA `(.L_x_3) ;
        /*0040*/                   BMOV.32.CLEAR R9, B0 ;
        /*0050*/                   BSSY B0, `(.L_x_2) ;
        /*0060*/                   ISETP.GE.AND P0, PT, R4, 0x2, PT ;
        /*0070*/               @P0 BRA `(.L_x_2) ;
        /*0080*/                   MOV R5, R4 ;
.L_x_2:
        /*0090*/                   BSYNC B0 ;
        /*00a0*/                   BMOV.32 B0, R9 ;
.L_x_3:
        /*00b0*/                   BSYNC B0 ;
        /*00c0*/                   MOV R6, R4 ;
        /*00d0*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("BSYNC B0"), 4U);  // two arrivals at each
  EXPECT_EQ(counts.at("BMOV.32 B0, R9"), 1U);
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
}

// The first `lanes` lanes branch again while the others wait to go on.
std::map<std::string, std::uint64_t> branch_twice(int lanes, std::string_view meeting) {
  return executions(fmt::format(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_2) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, {:#x}, PT ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   LOP3.LUT P0, RZ, R4, 0x3, RZ, 0xc0, !PT ;
        /*0050*/               @P0 BRA `(.L_x_1) ;
        /*0060*/                   MOV R5, R4 ;
.L_x_1:
        /*0070*/                   {} ;
.L_x_2:
        /*0080*/                   MOV R6, R4 ;
        /*0090*/                   EXIT ;
)",
                                lanes, meeting));
}

// Measured on an H200, as the next three: all the lanes execute a WARPSYNC once more when the last
// of them have come; those at a BSYNC go on at once.
TEST(Convergence, LanesThatMeetAtAWarpsyncExecuteItOnceMore) {
  EXPECT_EQ(branch_twice(24, "WARPSYNC.ALL").at("WARPSYNC.ALL"), 4U);
  EXPECT_EQ(branch_twice(24, "BSYNC B0").at("BSYNC B0"), 3U);
  EXPECT_EQ(branch_twice(24, "BSYNC B0").at("MOV R6, R4"), 1U);
}

// Eight lanes are the smaller part and go first; the 24 that are left go on when both halves of
// the eight wait, and take them along.
TEST(Convergence, LanesThatComeLastToWhereTheOthersWaitArriveWithThem) {
  EXPECT_EQ(branch_twice(8, "WARPSYNC.ALL").at("WARPSYNC.ALL"), 3U);
  EXPECT_EQ(branch_twice(8, "BSYNC B0").at("BSYNC B0"), 3U);
}

// Lanes that wait for nobody any more execute the BSYNC again.
TEST(Convergence, LanesThatWaitedForThoseThatBrokeAwayArriveAgain) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_2) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0030*/              @!P0 BRA `(.L_x_1) ;
        /*0040*/                   BREAK B0 ;
        /*0050*/                   BRA `(.L_x_3) ;
.L_x_1:
        /*0060*/                   BSYNC B0 ;
.L_x_2:
        /*0070*/                   MOV R6, R4 ;
.L_x_3:
        /*0080*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("BSYNC B0"), 2U);
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
}

// Lanes that name the same lanes wait for one another; others pass with whoever passes.
TEST(Convergence, GroupsOfAWarpsyncPassTogether) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x10, PT ;
        /*0020*/                   MOV R8, 0xffff ;
        /*0030*/               @P0 MOV R8, 0xffff0000 ;
        /*0040*/                   WARPSYNC R8 ;
        /*0050*/                   MOV R6, R4 ;
        /*0060*/               @P0 MOV R9, 0xffff0000 ;
        /*0070*/              @!P0 MOV R9, 0xffffffff ;
        /*0080*/                   WARPSYNC R9 ;
        /*0090*/                   MOV R7, R4 ;
        /*00a0*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("WARPSYNC R8"), 1U);
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
  EXPECT_EQ(counts.at("WARPSYNC R9"), 2U);  // again when the upper half has left the kernel
  EXPECT_EQ(counts.at("MOV R7, R4"), 2U);
}

// Each time others YIELD, lanes that wait at a WARPSYNC come to it again (random kernels whose
// counts an H200 gives so: docs/accuracy.md).
TEST(Convergence, LanesAtAWarpsyncComeToItAgainWhenOthersYield) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x10, PT ;
        /*0020*/                   IMAD.MOV.U32 R5, RZ, RZ, RZ ;
        /*0030*/              @!P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0040*/                   YIELD ;
        /*0050*/                   IADD3 R5, R5, 0x1, RZ ;
        /*0060*/                   ISETP.LT.AND P1, PT, R5, 0x3, PT ;
        /*0070*/               @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0080*/                   WARPSYNC.ALL ;
        /*0090*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("YIELD"), 3U);
  // The half that waits: first and after two more YIELDs; the other half; all together.
  EXPECT_EQ(counts.at("WARPSYNC.ALL"), 5U);
}

TEST(Convergence, ARestoredBarrierIsExecutedOnceMore) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_1) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   BMOV.32.CLEAR R9, B0 ;
        /*0050*/                   BMOV.32 B0, R9 ;
.L_x_1:
        /*0060*/                   BSYNC B0 ;
        /*0070*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("BSYNC B0"), 3U);  // two arrivals, and all
  EXPECT_EQ(counts.at("EXIT"), 1U);
}

TEST(Convergence, SleepingLanesAreNotWaitedFor) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   BSSY B0, `(.L_x_1) ;
        /*0020*/                   ISETP.GE.AND P0, PT, R4, 0x4, PT ;
        /*0030*/               @P0 BRA `(.L_x_1) ;
        /*0040*/                   NANOSLEEP 0xa ;
.L_x_1:
        /*0050*/                   BSYNC B0 ;
        /*0060*/                   MOV R6, R4 ;
        /*0070*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("MOV R6, R4"), 2U);
}

// The lanes of each function take their turn, and all return to one place.
TEST(Convergence, ACallThroughARegisterIsExecutedOncePerFunction) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0xc, PT ;
        /*0020*/                   MOV R10, 0x90 ;
        /*0030*/               @P0 MOV R10, 0xb0 ;
        /*0040*/                   BSSY B0, `(.L_x_1) ;
        /*0050*/                   MOV R20, 0x70 ;
        /*0060*/                   CALL.REL.NOINC R10 `(k) ;
        /*0070*/                   BSYNC B0 ;
.L_x_1:
        /*0080*/                   EXIT ;
$k$first:
        /*0090*/                   MOV R6, R4 ;
        /*00a0*/                   RET.REL.NODEC R20 `(k) ;
$k$second:
        /*00b0*/                   MOV R7, R4 ;
        /*00c0*/                   RET.REL.NODEC R20 `(k) ;
)");
  EXPECT_EQ(counts.at("CALL.REL.NOINC R10 `(k)"), 2U);
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
  EXPECT_EQ(counts.at("MOV R7, R4"), 1U);
  EXPECT_EQ(counts.at("RET.REL.NODEC R20 `(k)"), 2U);
  EXPECT_EQ(counts.at("BSYNC B0"), 2U);
  EXPECT_EQ(counts.at("EXIT"), 1U);
}

TEST(Convergence, AFunctionMayCallItself) {
  const auto counts = executions(R"(
        /*0000*/                   MOV R1, 0x400 ;
        /*0010*/                   MOV R5, 0x3 ;
        /*0020*/                   MOV R20, 0x40 ;
        /*0030*/                   CALL.REL.NOINC `($k$down) ;
        /*0040*/                   EXIT ;
$k$down:
        /*0050*/                   IADD3 R1, R1, -0x8, RZ ;
        /*0060*/                   STL [R1], R20 ;
        /*0070*/                   IADD3 R5, R5, -0x1, RZ ;
        /*0080*/                   ISETP.GE.AND P0, PT, R5, RZ, PT ;
        /*0090*/              @!P0 BRA `(.L_x_1) ;
        /*00a0*/                   MOV R20, 0xc0 ;
        /*00b0*/                   CALL.REL.NOINC `($k$down) ;
.L_x_1:
        /*00c0*/                   LDL R20, [R1] ;
        /*00d0*/                   IADD3 R1, R1, 0x8, RZ ;
        /*00e0*/                   RET.REL.NODEC R20 `(k) ;
)");
  EXPECT_EQ(counts.at("STL [R1], R20"), 4U);
  EXPECT_EQ(counts.at("RET.REL.NODEC R20 `(k)"), 4U);
  EXPECT_EQ(counts.at("EXIT"), 1U);
}

TEST(Convergence, ABarrierThatNoLaneIsGuardedForIsExecuted) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x40, PT ;
        /*0020*/               @P0 WARPSYNC.ALL ;
        /*0030*/               @P0 BAR.ARV 0x3, 0x80 ;
        /*0040*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("@P0 WARPSYNC.ALL"), 1U);
  EXPECT_EQ(counts.at("@P0 BAR.ARV 0x3, 0x80"), 1U);
}

TEST(Convergence, AnExitMayHaveTwoConditions) {
  const auto counts = executions(R"(
        /*0000*/                   S2R R4, SR_TID.X ;
        /*0010*/                   ISETP.GE.AND P0, PT, R4, 0x10, PT ;
        /*0020*/                   ISETP.GE.AND P1, PT, R4, 0x20, PT ;
        /*0030*/              @!P0 EXIT P1 ;
        /*0040*/                   MOV R6, R4 ;
        /*0050*/               @P0 EXIT !P1 ;
        /*0060*/                   MOV R7, R4 ;
        /*0070*/                   EXIT ;
)");
  EXPECT_EQ(counts.at("MOV R6, R4"), 1U);
  EXPECT_EQ(counts.at("MOV R7, R4"), 1U);
}

}  // namespace
}  // namespace tilescope
