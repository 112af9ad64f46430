#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/emulate.h"

// Races between the blocks of a cluster on their shared memory.
namespace tilescope {
namespace {

constexpr const char* kMeet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

// Blocks of one warp: %r3 is where a lane's word of s lies, %r4 where the other block's does, %r5 a
// number of its own, %p1 holds in block 0. All meet before and after.
std::vector<Finding> findings_of(const std::string& body) {
  const std::string ptx = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
      ".explicitcluster\n.reqnctapercluster 2\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n"
      ".shared .align 8 .b32 s[32];\n.shared .align 8 .b64 bar;\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\nsetp.eq.u32 %p1, %r2, 0;\n"
      "mad.lo.u32 %r5, %r2, 100, %r1;\nshl.b32 %r4, %r1, 2;\nmov.u32 %r3, s;\n"
      "add.u32 %r3, %r3, %r4;\nxor.b32 %r6, %r2, 1;\nmapa.shared::cluster.u32 %r4, %r3, %r6;\n"
      "mov.u32 %r8, bar;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared.b64 [%r8], 32;\n"
      "mapa.shared::cluster.u32 %r9, %r8, %r6;\nst.shared.u32 [%r3], %r5;\n{1}{0}{1}\nret;\n}}\n",
      body, kMeet);
  const auto program = decode_ptx(ptx, "k", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return {};
  DeviceMemory memory;
  memory.add("out", ElementType::kU32, std::make_shared<std::vector<std::byte>>(256));
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {32, 1, 1};
  launch.arguments = {memory.buffers()[0].address};
  EmulationOptions options;
  options.check = true;
  const auto run = emulate(**program, launch, memory, options, {}, {}, {});
  EXPECT_TRUE(run.ok() && run->complete);
  return run ? run->findings : std::vector<Finding>{};
}

void expect_race(const std::string& body, const std::string& begins) {
  const std::vector<Finding> findings = findings_of(body);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::kSharedRace);
  EXPECT_EQ(findings[0].message.substr(0, begins.size()), begins);
  ASSERT_TRUE(findings[0].other.has_value());
  EXPECT_NE(findings[0].other->block, findings[0].block);
}

void expect_none(const std::string& body) {
  for (const Finding& finding : findings_of(body)) ADD_FAILURE() << finding.message;
}

// Block 1 is the last to come to the first barrier, and goes on first.
TEST(ClusterRaces, AReadOfWhatTheOtherBlockWrites) {
  const std::string write = "@!%p1 st.shared::cluster.u32 [%r4], %r5;\n";
  const std::string read = "@%p1 ld.shared.u32 %r7, [%r3];\n";
  expect_race(write + "bar.sync 0;\n" + read,
              "reads s[0] of block (0,0,0), which block (1,0,0) writes (line 28) with no "
              "cluster.sync() between them");
  expect_none(write + kMeet + read);
}

TEST(ClusterRaces, AWriteOverWhatTheOtherBlockReads) {
  const std::string read = "@!%p1 ld.shared::cluster.u32 %r7, [%r4];\n";
  const std::string write = "@%p1 st.shared.u32 [%r3], %r5;\n";
  expect_race(read + write,
              "writes s[0] of block (0,0,0) while block (1,0,0) may still have to read it");
  expect_none(read + kMeet + write);
}

TEST(ClusterRaces, TwoBlocksThatWriteOneWord) {
  expect_race("@!%p1 st.shared::cluster.u32 [%r4], %r5;\n@%p1 st.shared.u32 [%r3], %r5;\n",
              "writes s[0] of block (0,0,0), which block (1,0,0) also writes");
  expect_none("@!%p1 st.shared::cluster.u32 [%r4], %r1;\n@%p1 st.shared.u32 [%r3], %r1;\n");
}

TEST(ClusterRaces, AtomicsAmongEachOtherAreNone) {
  expect_none("red.shared::cluster.add.u32 [%r4], 1;\nred.shared::cluster.add.u32 [%r3], 1;\n");
  expect_race("@!%p1 red.shared::cluster.add.u32 [%r4], 1;\n@%p1 ld.shared.u32 %r7, [%r3];\n",
              "reads s[0] of block (0,0,0) without an atomic, which block (1,0,0) changes with an "
              "atomic (line ");
}

TEST(ClusterRaces, AnMbarrierOrdersToo) {
  expect_none(
      "@!%p1 st.shared::cluster.u32 [%r4], %r5;\n"
      "@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];\n@!%p1 bra DONE;\n"
      "WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r8], 0;\n"
      "@!%p3 bra WAIT;\nld.shared.u32 %r7, [%r3];\nDONE:\n");
}

// The lanes tell each other by the mapped address of the block's own mbarrier that they have
// written.
TEST(ClusterRaces, AnMbarrierIsTheSameByItsRank) {
  const std::string write =
      "st.shared.u32 [%r3], %r5;\nxor.b32 %r10, %r3, 4;\n"
      "mapa.shared::cluster.u32 %r11, %r8, %r2;\n";
  const std::string read = "ld.shared.u32 %r7, [%r10];\n";
  expect_none(write +
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\nWAIT:\n"
              "mbarrier.try_wait.parity.shared.b64 %p3, [%r8], 0;\n@!%p3 bra WAIT;\n" +
              read);
  EXPECT_EQ(findings_of(write + read).size(), 1U);
}

}  // namespace
}  // namespace tilescope
