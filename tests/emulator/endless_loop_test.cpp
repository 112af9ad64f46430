#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/emulate.h"

// A loop that nothing ends is found long before the budget is used up; one that only takes long, or
// waits for somebody, is not taken for one.
namespace tilescope {
namespace {

struct Ran {
  Emulation emulation;
  std::uint64_t warp_instructions = 0;

  [[nodiscard]] bool is_endless() const {
    return !emulation.findings.empty() && emulation.findings.front().kind == FindingKind::kEndless;
  }
};

// `body` goes into a kernel of one argument, %d1, the address of 256 words that are zero.
Ran run(const std::string& body, unsigned threads = 64, unsigned blocks = 1) {
  const auto program = decode_ptx(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<33>;\n.reg .b64 %d<17>;\n.shared .align 4 .b8 tile[1024];\n"
      "ld.param.u64 %d1, [data];\nmov.u32 %r1, %tid.x;\n" +
          body + "\nret;\n}\n",
      "k", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  Ran ran;
  if (!program.ok()) return ran;
  DeviceMemory memory;
  const auto index =
      memory.add("data", ElementType::kI32, std::make_shared<std::vector<std::byte>>(1024));
  Launch launch;
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.arguments = {memory.buffers()[index].address};
  auto emulation = emulate(**program, launch, memory, {}, [] { return nullptr; }, {}, {});
  EXPECT_TRUE(emulation.ok());
  if (!emulation.ok()) return ran;
  ran.emulation = *std::move(emulation);
  for (const std::uint64_t warps : ran.emulation.counts.warps) ran.warp_instructions += warps;
  return ran;
}

constexpr std::uint64_t kSoon = std::uint64_t{1} << 25;

TEST(EndlessLoop, IsFoundSoonWhereNothingChanges) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r3, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n"
          "@%p1 bra LOOP;");
  ASSERT_TRUE(ran.is_endless());
  EXPECT_NE(ran.emulation.findings.front().message.find("never ends"), std::string::npos);
  EXPECT_LT(ran.warp_instructions, kSoon);
}

TEST(EndlessLoop, IsFoundSoonWhereTwoStatesTakeTurns) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nLOOP:\nxor.b32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n"
          "@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

TEST(EndlessLoop, IsFoundSoonWhereItSearchesMemory) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nLOOP:\nld.global.u32 %r3, [%d1];\n"
          "setp.eq.u32 %p1, %r3, %r2;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

TEST(EndlessLoop, IsFoundSoonWhereItWritesOneValueForEver) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nLOOP:\nst.global.u32 [%d1], %r1;\n"
          "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

TEST(EndlessLoop, OfOneLaneOfTheWarpIsFoundSoon) {
  const Ran ran = run("LOOP:\nsetp.eq.u32 %p1, %r1, 37;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

// s >>= 1 while s >= 0, as a reduction has it that forgets s > 0.
TEST(EndlessLoop, WithBarriersIsFoundSoon) {
  const Ran ran =
      run("mov.u32 %r5, tile;\nmad.lo.u32 %r6, %r1, 4, %r5;\n"
          "st.shared.u32 [%r6], %r1;\nmov.u32 %r2, 32;\nLOOP:\nbar.sync 0;\n"
          "setp.ge.u32 %p2, %r1, %r2;\nmad.lo.u32 %r7, %r2, 4, %r6;\n"
          "@!%p2 ld.shared.u32 %r3, [%r7];\n@!%p2 ld.shared.u32 %r4, [%r6];\n"
          "@!%p2 add.u32 %r3, %r3, %r4;\n@!%p2 st.shared.u32 [%r6], %r3;\n"
          "shr.u32 %r2, %r2, 1;\nsetp.ge.s32 %p1, %r2, 0;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

// A grid-stride loop that forgets its stride: c[i] = a[i] + b[i] again and again.
TEST(EndlessLoop, ThatWritesWhatItHasWrittenIsFoundSoon) {
  const Ran ran =
      run("mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\nLOOP:\n"
          "ld.global.u32 %r2, [%d3];\nadd.u32 %r3, %r2, 7;\nst.global.u32 [%d3+512], %r3;\n"
          "setp.lt.u32 %p1, %r1, 9999;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

// The lock is taken twice.
TEST(EndlessLoop, ThatWaitsForItsOwnLockIsFoundSoon) {
  const Ran ran =
      run("atom.global.cas.b32 %r2, [%d1], 0, 1;\nLOOP:\n"
          "atom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

// Open addressing in a table that is full of other keys: each block tries place after place.
TEST(EndlessLoop, ThatTriesFullPlacesIsFoundSoon) {
  const Ran ran =
      run("atom.global.cas.b32 %r2, [%d1], 0, 1;\nmov.u32 %r3, %r1;\nTRY:\nand.b32 %r3, %r3, 15;\n"
          "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\nadd.u32 %r3, %r3, 1;\n"
          "atom.global.cas.b32 %r2, [%d3], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra TRY;",
          64, 4);
  EXPECT_TRUE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, kSoon);
}

// The same, but the last block empties a place after a long time.
TEST(EndlessLoop, IsNotOneThatAnotherBlockHelpsLate) {
  const Ran ran =
      run("mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p2, %r4, 3;\n@%p2 bra LATE;\n"
          "TRY:\nand.b32 %r3, %r3, 15;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n"
          "add.u32 %r3, %r3, 1;\natom.global.cas.b32 %r2, [%d3], 1, 2;\n"
          "setp.ne.u32 %p1, %r2, 1;\n@%p1 bra TRY;\nst.global.u32 [%d3], 1;\nret;\n"
          "LATE:\nmov.u32 %r5, 0;\nWORK:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, 3000000;\n"
          "@%p3 bra WORK;\nmov.u32 %r6, 1;\nst.global.u32 [%d1+20], %r6;\nret;",
          32, 4);
  EXPECT_FALSE(ran.is_endless());
}

TEST(EndlessLoop, IsNotOneThatCountsByAtomics) {
  const Ran ran =
      run("LOOP:\natom.global.add.u32 %r2, [%d1], 1;\nsetp.lt.u32 %p1, %r2, 2000000;\n"
          "mov.u32 %r2, 0;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.emulation.findings.empty());
}

// No store tells that it gets on: it adds up what it loads past the L1.
TEST(EndlessLoop, IsNotOneThatOnlyLoads) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nmov.u32 %r4, 0;\nLOOP:\nld.volatile.global.u32 %r3, [%d1];\n"
          "add.u32 %r4, %r4, %r3;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 4000;\n"
          "@%p1 bra LOOP;\nst.global.u32 [%d1+4], %r4;",
          64, 64);
  EXPECT_TRUE(ran.emulation.findings.empty());
}

// All that is left of the clock is the same for a million cycles.
TEST(EndlessLoop, IsNotOneThatWaitsForTheClock) {
  const Ran ran =
      run("LOOP:\nmov.u64 %d2, %clock64;\nshr.u64 %d2, %d2, 20;\n"
          "setp.lt.u64 %p1, %d2, 4;\nmov.u64 %d2, 0;\n@%p1 bra LOOP;",
          32);
  EXPECT_TRUE(ran.emulation.findings.empty());
}

// Every register is the same after each pass; the counter lies in shared memory.
TEST(EndlessLoop, IsNotOneThatCountsInSharedMemory) {
  const Ran ran =
      run("mov.u32 %r5, tile;\nmov.u32 %r2, 0;\nsetp.ne.u32 %p3, %r1, 0;\n"
          "@!%p3 st.shared.u32 [%r5], %r2;\nLOOP:\nbar.sync 0;\n"
          "@!%p3 ld.shared.u32 %r2, [%r5];\n@!%p3 add.u32 %r2, %r2, 1;\n"
          "@!%p3 st.shared.u32 [%r5], %r2;\nbar.sync 0;\nld.shared.u32 %r2, [%r5];\n"
          "setp.lt.u32 %p1, %r2, 100000;\nmov.u32 %r2, 0;\n@%p1 bra LOOP;");
  EXPECT_TRUE(ran.emulation.findings.empty());
}

TEST(EndlessLoop, IsNotALongOne) {
  const Ran ran =
      run("mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 1;\nand.b32 %r3, %r2, 1;\n"
          "setp.lt.u32 %p1, %r2, 4000000;\n@%p1 bra LOOP;",
          32);
  EXPECT_TRUE(ran.emulation.findings.empty());
  EXPECT_GT(ran.warp_instructions, std::uint64_t{16000000});
}

TEST(EndlessLoop, IsNotALoopWhoseCounterLiesInMemory) {
  const Ran ran =
      run("mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\nLOOP:\n"
          "ld.global.u32 %r2, [%d3];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d3], %r2;\n"
          "setp.lt.u32 %p1, %r2, 2000000;\nmov.u32 %r2, 0;\n@%p1 bra LOOP;",
          32);
  EXPECT_TRUE(ran.emulation.findings.empty());
}

// Warp 1 waits for what warp 0 writes after a long time.
TEST(EndlessLoop, IsNotOneThatWaitsForAnotherWarp) {
  const Ran ran =
      run("setp.ge.u32 %p2, %r1, 32;\n@%p2 bra WAIT;\nmov.u32 %r2, 0;\nWORK:\n"
          "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3000000;\n@%p1 bra WORK;\n"
          "st.volatile.global.u32 [%d1], %r2;\nret;\nWAIT:\n"
          "ld.volatile.global.u32 %r3, [%d1];\nsetp.eq.u32 %p1, %r3, 0;\n"
          "@%p1 bra WAIT;");
  EXPECT_TRUE(ran.emulation.findings.empty());
}

TEST(EndlessLoop, IsNotOneThatWaitsForAnMbarrier) {
  const Ran ran =
      run("mov.u32 %r5, tile;\nsetp.ne.u32 %p3, %r1, 0;\n"
          "@!%p3 mbarrier.init.shared.b64 [%r5], 1;\nbar.sync 0;\n"
          "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra WAIT;\nmov.u32 %r2, 0;\nWORK:\n"
          "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3000000;\n@%p1 bra WORK;\n"
          "@!%p3 mbarrier.arrive.shared.b64 %d4, [%r5];\nret;\nWAIT:\n"
          "mbarrier.test_wait.parity.shared.b64 %p1, [%r5], 0;\n@!%p1 bra WAIT;");
  EXPECT_TRUE(ran.emulation.findings.empty());
}

// A wait with a limit does not come to it where a block that sleeps between its looks is the first.
TEST(EndlessLoop, WhoSleepsBetweenTwoLooksLetsOthersRun) {
  const Ran ran =
      run("mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra SET;\nmov.u32 %r3, 0;\n"
          "LOOK:\nld.volatile.global.u32 %r4, [%d1];\nnanosleep.u32 100;\nadd.u32 %r3, %r3, 1;\n"
          "setp.eq.u32 %p2, %r4, 0;\nsetp.lt.u32 %p3, %r3, 100000;\nand.pred %p2, %p2, %p3;\n"
          "@%p2 bra LOOK;\nst.global.u32 [%d1+8], %r3;\nret;\n"
          "SET:\nmov.u32 %r5, 1;\nst.volatile.global.u32 [%d1], %r5;",
          32, 2);
  EXPECT_FALSE(ran.is_endless());
  EXPECT_LT(ran.warp_instructions, 5000u);
}

}  // namespace
}  // namespace tilescope
