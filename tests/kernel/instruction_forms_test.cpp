#include "kernel/cubin/instruction_forms.h"

#include <gtest/gtest.h>

#include <string>

namespace tilescope {
namespace {

// The text at 0x100 by the table of sm_90.
std::string printed(std::uint64_t high, std::uint64_t low) {
  const InstructionForms* forms = InstructionForms::of(90);
  if (forms == nullptr) return "no table";
  const auto found = forms->print({low, high}, 0x100);
  return found ? found->text : "no form";
}

// What nvdisasm 13.2 prints of the same bits.
TEST(InstructionForms, PrintInstructionsAsNvdisasmDoes) {
  EXPECT_EQ(printed(0x000fca00078e00ff, 0x0000004007077824), "IMAD.SHL.U32 R7, R7, 0x40, RZ");
  EXPECT_EQ(printed(0x000fca00078e00ff, 0x0000000307077824), "IMAD.U32 R7, R7, 0x3, RZ");
  EXPECT_EQ(printed(0x000fe20003f61000, 0x3fe555551500780b),
            "FSETP.LT.AND P3, PT, R21, 1.7916666269302368164, PT");
  EXPECT_EQ(printed(0x000fe400000000ff, 0x5f80000000007823),
            "FFMA R0, R0, 1.84467440737095516160e+19, RZ");
  EXPECT_EQ(printed(0x000fe200000001ff, 0x437c0000ff347435),
            "HFMA2.MMA R52, -RZ, RZ, 3.7421875, 0");
  EXPECT_EQ(printed(0x000fea0003800000, 0x0000000000007947), "BRA `(.L_x_110)");
  EXPECT_EQ(printed(0x000fea000383ffff, 0xfffffffc00fc7947), "BRA `(.L_x_100)");
}

TEST(InstructionForms, GuardsAndHintsAreNoFormsOfTheirOwn) {
  const std::string plain = printed(0x000fca00078e00ff, 0x0000004007077824);
  EXPECT_EQ(printed(0x000fca00078e00ff, 0x0000004007072824), "@P2 " + plain);
  EXPECT_EQ(printed(0x000fca00078e00ff, 0x000000400707a824), "@!P2 " + plain);
  EXPECT_EQ(printed(0x040fca00078e00ff, 0x0000004007077824), "IMAD.SHL.U32 R7, R7.reuse, 0x40, RZ");
}

TEST(InstructionForms, ThreeOfTwoBitsIsNoTruePredicate) {
  const auto forms = InstructionForms::read(
      "00000000000000000000000000000824 P IMAD <P:84-85>, <P:81-83>, <R:16-23>, <UR:24-29>\n");
  ASSERT_TRUE(forms.ok());
  const InstructionWord word{0x3fff7824, std::uint64_t{0x3e} << 16};
  const auto printed = forms->print(word, 0);
  ASSERT_TRUE(printed.has_value());
  EXPECT_EQ(printed->text, "IMAD P3, PT, RZ, URZ");
}

TEST(InstructionForms, WhatNoFormSaysIsNotPrinted) {
  EXPECT_EQ(printed(~std::uint64_t{0}, ~std::uint64_t{0}), "no form");
  EXPECT_EQ(InstructionForms::of(20), nullptr);
}

TEST(InstructionForms, ATableThatCannotBeReadIsRefusedWithItsLine) {
  const std::string line = "00000000078e00000000000000000824 P IMAD <R:16-23>, <x:32-63s not 0>";
  EXPECT_TRUE(InstructionForms::read("# a comment\n\n" + line + "\n").ok());
  for (const char* broken :
       {"0 P IMAD", "00000000078e0000000000000000082g P IMAD", "00000000078e00000000000000000824",
        "00000000078e00000000000000000824 P IMAD <R:16-23",
        "00000000078e00000000000000000824 P IMAD <128?.X>",
        "00000000078e00000000000000000824 P FADD <single:97>",
        "00000000078e00000000000000000824 P <R:>", "00000000078e00000000000000000824 P <R:23-16>",
        "00000000078e00000000000000000824 P <x:0-128>",
        "00000000078e00000000000000000824 P <x:0-63<<9>",
        "00000000078e00000000000000000824 P <x:1-2 not a>"}) {
    const auto read = InstructionForms::read(line + "\n" + broken);
    ASSERT_FALSE(read.ok()) << broken;
    EXPECT_NE(read.error().message.find("line 2"), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace tilescope
