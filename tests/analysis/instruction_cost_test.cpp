#include "analysis/time/instruction_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/program.h"

namespace tilescope {
namespace {

// How long a product of this form keeps a tensor core.
double slowness_of(const std::string& form, int a_registers, int b_registers) {
  const auto list = [](const char* name, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, i);
    return "{" + text + "}";
  };
  const auto program = decode_ptx(
      fmt::format(".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k() {{\n"
                  "  .reg .b32 %a<4>, %b<2>;\n  .reg .f32 %d<4>;\n"
                  "  mma.sync.aligned.{} {}, {}, {}, {};\n  ret;\n}}\n",
                  form, list("d", 4), list("a", a_registers), list("b", b_registers), list("d", 4)),
      "", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return program.ok() ? tensor_slowness((*program)->instructions()[0]) : 0;
}

TEST(InstructionCost, ATensorCoreIsAsFastAsItsOperandsAreShort) {
  EXPECT_EQ(slowness_of("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2), 1);
  EXPECT_EQ(slowness_of("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2), 2);
  EXPECT_EQ(slowness_of("m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2), 0.5);
}

}  // namespace
}  // namespace tilescope
