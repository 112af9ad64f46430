#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/emulate.h"

// What may be done with values that nobody has defined, instruction by instruction.
namespace tilescope {
namespace {

// One warp. %r1 is the lane, %r2 where its word of s lies, %rd1 where its word of out does. Lanes
// 0 to 15 have written theirs, all have read theirs into %r3 (%p1 holds in them).
std::vector<Finding> findings_of(const std::string& body) {
  const std::string ptx = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n"
      ".func (.param .b32 back) twice(.param .b32 of)\n{{\n.reg .b32 %r<3>;\n"
      "ld.param.b32 %r1, [of];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 [back], %r2;\nret;\n}}\n"
      ".visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n"
      ".reg .b64 %rd<9>;\n.shared .align 16 .b8 s[512];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\n"
      "ld.param.u64 %rd1, [out];\nmad.wide.u32 %rd1, %r1, 4, %rd1;\n"
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
      "ld.shared.u32 %r3, [%r2];\n{}ret;\n}}\n",
      body);
  const auto program = decode_ptx(ptx, "k", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program) return {};
  EXPECT_TRUE((*program)->unsupported().empty());
  DeviceMemory memory;
  memory.add("out", ElementType::kU32, std::make_shared<std::vector<std::byte>>(256));
  Launch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {memory.buffers()[0].address};
  EmulationOptions options;
  options.check = true;
  const auto run = emulate(**program, launch, memory, options, {}, {}, {});
  EXPECT_TRUE(run.ok() && run->complete);
  return run ? run->findings : std::vector<Finding>{};
}

void expect_none(const std::string& body) {
  for (const Finding& finding : findings_of(body)) ADD_FAILURE() << finding.message;
}

// The read of s is found, of the first thread that has a use for it.
void expect_found(const std::string& body, std::uint32_t thread = 16) {
  const std::vector<Finding> findings = findings_of(body);
  ASSERT_EQ(findings.size(), 1U) << body;
  EXPECT_EQ(findings[0].kind, FindingKind::kUninitialised) << findings[0].message;
  EXPECT_EQ(findings[0].thread.x, thread) << findings[0].message;
}

constexpr const char* kStore = "st.global.u32 [%rd1], %r4;\n";

TEST(UndefinedValues, OfWhichNothingBecomes) {
  expect_none("add.u32 %r4, %r3, 1;\nmul.lo.u32 %r5, %r4, %r3;\n");
  expect_none("mov.u32 %r4, %r3;\nmov.u32 %r4, 7;\n" + std::string(kStore));
}

TEST(UndefinedValues, AreUsedWhereTheyAreStored) {
  expect_found("mov.u32 %r4, %r3;\n" + std::string(kStore));
  expect_found("add.u32 %r4, %r3, %r1;\n" + std::string(kStore));
  expect_none("add.u32 %r4, %r3, %r1;\n@%p1 " + std::string(kStore));
  expect_found("red.global.add.u32 [%rd1], %r3;\n");
  expect_found("atom.shared.add.u32 %r4, [s], %r3;\n");
}

TEST(UndefinedValues, AreUsedAsAddresses) {
  expect_found(
      "cvt.u64.u32 %rd2, %r3;\nand.b64 %rd2, %rd2, 4;\nadd.u64 %rd2, %rd2, %rd1;\n"
      "ld.global.u32 %r6, [%rd2];\n");
}

TEST(UndefinedValues, AreUsedWhereTheyDecide) {
  expect_found("setp.lt.u32 %p2, %r3, 99;\n@%p2 bra ON;\nadd.u32 %r5, %r1, 1;\nON:\n");
  expect_found("setp.lt.u32 %p2, %r3, 99;\n@%p2 st.global.u32 [%rd1], %r1;\n");
  expect_found("setp.lt.u32 %p2, %r3, 99;\nvote.sync.any.pred %p3, %p2, -1;\n");
  expect_found("setp.lt.u32 %p2, %r3, 99;\nbar.red.or.pred %p3, 0, %p2;\n");
  expect_found("setp.lt.u32 %p2, %r3, 99;\n@%p2 mov.u32 %r4, %r1;\n" + std::string(kStore));
}

TEST(UndefinedValues, ThatAChoiceLeavesOut) {
  expect_none("selp.u32 %r4, %r3, 7, %p1;\n" + std::string(kStore));
  expect_none("selp.u32 %r4, 7, %r3, !%p1;\n" + std::string(kStore));
  expect_found("selp.u32 %r4, 7, %r3, %p1;\n" + std::string(kStore));
  expect_found("setp.lt.u32 %p2, %r3, 99;\nselp.u32 %r4, 7, 8, %p2;\n" + std::string(kStore));
}

TEST(UndefinedValues, ThatLogicSettles) {
  const std::string compare = "setp.lt.u32 %p2, %r3, 99;\n";
  const std::string decide = "selp.u32 %r4, 7, 8, %p3;\n" + std::string(kStore);
  expect_none(compare + "and.pred %p3, %p1, %p2;\n" + decide);
  expect_none(compare + "and.pred %p3, %p2, %p1;\n" + decide);
  expect_found(compare + "or.pred %p3, %p1, %p2;\n" + decide);
  expect_none(compare + "not.pred %p4, %p1;\nor.pred %p3, %p4, %p2;\n" + decide);
  expect_found(compare + "xor.pred %p3, %p1, %p2;\n" + decide);
  expect_none("setp.lt.and.u32 %p3, %r3, 99, %p1;\n" + decide);
  expect_none("setp.lt.or.u32 %p3, %r3, 99, !%p1;\n" + decide);
  expect_found("setp.lt.or.u32 %p3, %r3, 99, %p1;\n" + decide);
}

TEST(UndefinedValues, GoFromLaneToLane) {
  const std::string down = "shfl.sync.down.b32 %r4, %r3, 8, 31, -1;\n";
  expect_found(down + kStore, 16);
  expect_none(down + "setp.lt.u32 %p2, %r1, 8;\n@%p2 " + kStore);
  expect_found(down + "setp.lt.u32 %p2, %r1, 9;\n@%p2 " + kStore, 16);
}

TEST(UndefinedValues, GoThroughMemory) {
  const std::string through = "st.shared.u32 [%r2+128], %r3;\nbar.sync 0;\n";
  expect_none(through + "ld.shared.u32 %r4, [%r2+128];\n@%p1 " + kStore);
  expect_found(through + "ld.shared.u32 %r4, [%r2+128];\n" + kStore);
  expect_none(through + "st.shared.u32 [%r2+128], %r1;\nld.shared.u32 %r4, [%r2+128];\n" + kStore);
  // Element by element of a wide access.
  const std::string own = "bar.sync 0;\nmov.u32 %r7, s;\nmad.lo.u32 %r7, %r1, 16, %r7;\n";
  const std::string wide = own + "st.shared.v4.u32 [%r7], {%r3, %r1, %r3, %r1};\n";
  expect_none(wide + "ld.shared.v4.u32 {%r5, %r4, %r6, %r8}, [%r7];\n" + kStore);
  expect_found(wide + "ld.shared.v4.u32 {%r5, %r8, %r4, %r6}, [%r7];\n" + kStore);
}

TEST(UndefinedValues, AreUsedByAFunctionThatTheyAreHandedTo) {
  const std::string call =
      "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r5;\ncall (b), twice, (a);\n"
      "ld.param.b32 %r4, [b];\n}\n";
  expect_found("mov.u32 %r5, %r3;\n" + call);
  expect_none("selp.u32 %r5, %r3, 0, %p1;\n" + call + kStore);
}

// A is 16 x 16, of which lanes 0 to 15 hold rows 0 to 3 and 8 to 11: the others spoil the rows of D
// that they hold themselves. As B they spoil columns 4 to 7, which lanes 2 and 3 of each four hold.
TEST(UndefinedValues, SpoilTheirRowsAndColumnsOfAProduct) {
  const auto product = [](const char* a, const char* b) {
    return fmt::format(
        "mov.u32 %r10, 0;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{{%r4, %r5, %r6, %r7}}, {{{0}, {0}, {0}, {0}}}, {{{1}, {1}}}, {{%r10, %r10, %r10, "
        "%r10}};\n",
        a, b);
  };
  const std::string spare = "@%p2 st.global.u32 [%rd1], %r4;\n";
  expect_none(product("%r3", "%r1") + "@%p1 " + kStore);
  expect_found(product("%r3", "%r1") + kStore);
  expect_none(product("%r1", "%r3") + "and.b32 %r20, %r1, 2;\nsetp.eq.u32 %p2, %r20, 0;\n" + spare);
  expect_found(product("%r1", "%r3") + kStore);
}

// Rows 0 to 3 of an 8 x 8 matrix are written, a word each lane.
TEST(UndefinedValues, ComeWithTheRowsOfAMatrix) {
  const std::string at = "mov.u32 %r7, s;\nand.b32 %r8, %r1, 7;\nmad.lo.u32 %r7, %r8, 16, %r7;\n";
  const std::string plain = at + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r7];\n";
  expect_none(plain + "@%p1 " + kStore);
  ASSERT_FALSE(findings_of(plain + kStore).empty());
  // Transposed, row r goes to the lanes with r / 2 in their lowest two bits.
  const std::string turned = at + "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r4}, [%r7];\n";
  const std::string low = "and.b32 %r20, %r1, 2;\nsetp.eq.u32 %p2, %r20, 0;\n";
  expect_none(turned + low + "@%p2 " + kStore);
  ASSERT_FALSE(findings_of(turned + "@%p1 " + kStore).empty());
  // And back again.
  expect_none(plain +
              "add.u32 %r9, %r7, 256;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], "
              "{%r4};\nbar.sync 0;\nld.shared.u32 %r4, [%r2+256];\n@%p1 " +
              kStore);
  ASSERT_FALSE(findings_of(plain +
                           "add.u32 %r9, %r7, 256;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 "
                           "[%r9], {%r4};\nbar.sync 0;\nld.shared.u32 %r4, [%r2+256];\n" +
                           kStore)
                   .empty());
}

}  // namespace
}  // namespace tilescope
