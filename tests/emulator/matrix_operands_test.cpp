// Which lane holds which element of mma.sync, against figures of the PTX ISA, "Matrix Fragments".
#include "emulator/matrix_operands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tilescope {
namespace {

// Of the only mma of a kernel with this instruction.
std::optional<MatrixOperands> operands_of(const std::string& registers, const std::string& mma) {
  const auto program =
      decode_ptx(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one() {\n" +
                     registers + mma + "\nret;\n}\n",
                 "", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  if (!program.ok()) return std::nullopt;
  const auto& instructions = (*program)->instructions();
  const auto at = std::ranges::find_if(instructions, [](const StaticInstruction& instruction) {
    return instruction.instruction_class == InstructionClass::kTensor;
  });
  EXPECT_NE(at, instructions.end());
  return matrix_operands(**program, static_cast<std::uint32_t>(at - instructions.begin()));
}

TEST(MatrixOperands, LiesAsTheIsaDrawsM16N8K16) {
  const auto mma = operands_of(
      ".reg .b32 %r<7>;\n.reg .f32 %f<5>;\n",
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
      "{%r5,%r6}, {%f1,%f2,%f3,%f4};");
  ASSERT_TRUE(mma);
  EXPECT_EQ(mma->m, 16U);
  EXPECT_EQ(mma->n, 8U);
  EXPECT_EQ(mma->k, 16U);
  EXPECT_EQ(mma->a, DataType::kBf16);
  EXPECT_EQ(mma->d, DataType::kF32);
  const auto a = [&](unsigned row, unsigned col) { return mma->lane_of_a[row * 16 + col]; };
  const auto b = [&](unsigned row, unsigned col) { return mma->lane_of_b[row * 8 + col]; };
  const auto d = [&](unsigned row, unsigned col) { return mma->lane_of_d[row * 8 + col]; };
  // Rows by groups of four lanes; two neighbours a lane; columns and rows from 8 on again.
  EXPECT_EQ(a(0, 0), 0);
  EXPECT_EQ(a(0, 1), 0);
  EXPECT_EQ(a(0, 2), 1);
  EXPECT_EQ(a(0, 8), 0);
  EXPECT_EQ(a(1, 0), 4);
  EXPECT_EQ(a(8, 0), 0);
  EXPECT_EQ(a(15, 15), 31);
  EXPECT_EQ(b(0, 0), 0);
  EXPECT_EQ(b(1, 0), 0);
  EXPECT_EQ(b(2, 0), 1);
  EXPECT_EQ(b(0, 1), 4);
  EXPECT_EQ(b(9, 7), 28);
  EXPECT_EQ(d(0, 0), 0);
  EXPECT_EQ(d(0, 7), 3);
  EXPECT_EQ(d(7, 0), 28);
  EXPECT_EQ(d(8, 2), 1);
}

TEST(MatrixOperands, EveryLaneHoldsAsMuch) {
  const auto mma = operands_of(
      ".reg .b32 %r<8>;\n",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
      "{%r5,%r6}, {%r1,%r2,%r3,%r4};");
  ASSERT_TRUE(mma);
  for (std::uint8_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(std::ranges::count(mma->lane_of_a, lane), 16);
    EXPECT_EQ(std::ranges::count(mma->lane_of_b, lane), 8);
    EXPECT_EQ(std::ranges::count(mma->lane_of_d, lane), 4);
  }
}

// "wgmma .m64nNk16", figures of the accumulator and of A in registers: a warp's own 16 rows.
TEST(MatrixOperands, OfAWarpGroupLieInSharedMemoryButForTheSums) {
  const auto mma = operands_of(
      ".reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<9>;\n",
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
      "%rd1, %rd2, 1, 1, 1, 0, 0;");
  ASSERT_TRUE(mma);
  EXPECT_EQ(mma->m, 16U);
  EXPECT_EQ(mma->n, 16U);
  EXPECT_TRUE(std::ranges::all_of(
      mma->lane_of_a, [](std::uint8_t lane) { return lane == MatrixOperands::kInShared; }));
  EXPECT_TRUE(std::ranges::all_of(
      mma->lane_of_b, [](std::uint8_t lane) { return lane == MatrixOperands::kInShared; }));
  EXPECT_EQ(mma->lane_of_d[0], 0);
  EXPECT_EQ(mma->lane_of_d[2], 1);
  EXPECT_EQ(mma->lane_of_d[8], 0);
  EXPECT_EQ(mma->lane_of_d[16], 4);
  EXPECT_EQ(mma->lane_of_d[8 * 16 + 9], 0);
}

TEST(MatrixOperands, NamesNoLaneWhereSeveralHoldAnElementOrTheIsaLeavesItOpen) {
  EXPECT_FALSE(operands_of(
      ".reg .b32 %r<5>;\n.reg .f32 %f<9>;\n",
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, "
      "{%r1,%r2}, {%r3,%r4}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};"));
}

}  // namespace
}  // namespace tilescope
