#include "ptx/parser.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

constexpr const char* kTwoKernels = R"(.version 99.0
.target sm_90, debug
.address_size 64
// .entry commented()
.visible .entry first(.param .u64 a, .param .align 8 .b8 s[16])
.reqntid 32, 4
{
	.reg .b32 %r<3>;
	// a brace } in a comment, one in a string:
	.pragma "}";
	mov.b64 {%r1, %r2}, 0;
	this is no PTX at all;
	mov.b32 %r1, %undeclared;
	mov.b32 %r1, %r2;
	nor is this
}
.weak .entry second(.param .f32 x)
.maxntid 2048
{ ret; }
)";

TEST(WhatIsPtx, HasDeclarationsAlone) {
  const PtxModule module = read_what_is_ptx(kTwoKernels, PtxBodies::kSkip);
  EXPECT_EQ(module.version, "99.0");
  EXPECT_EQ(module.target, "sm_90");
  ASSERT_EQ(module.functions.size(), 2u);
  const PtxFunction& first = module.functions[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_TRUE(first.instructions.empty());
  ASSERT_EQ(first.parameters.size(), 2u);
  EXPECT_FALSE(module.variables[first.parameters[0]].is_array);
  EXPECT_TRUE(module.variables[first.parameters[1]].is_array);
  ASSERT_TRUE(first.required_block.has_value());
  EXPECT_EQ(*first.required_block, (Dim3{32, 4, 1}));
  EXPECT_EQ(module.functions[1].name, "second");
  EXPECT_FALSE(module.functions[1].largest_block.has_value());  // no device launches it
}

TEST(WhatIsPtx, LeavesOutWhatCannotBeRead) {
  const PtxModule module = read_what_is_ptx(kTwoKernels, PtxBodies::kRead);
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0].instructions.size(), 2u);
  EXPECT_EQ(module.functions[1].name, "second");
  EXPECT_EQ(module.functions[1].instructions.size(), 1u);
  EXPECT_FALSE(parse_ptx(kTwoKernels).ok());
}

TEST(WhatIsPtx, IsNothingWhereThereIsNone) {
  const PtxModule module = read_what_is_ptx("int main() { return 0; }", PtxBodies::kSkip);
  EXPECT_TRUE(module.functions.empty());
  EXPECT_TRUE(module.target.empty());
  EXPECT_TRUE(read_what_is_ptx(".version 9.0\n.entry k() {", PtxBodies::kSkip).functions.size() ==
              1);
}

}  // namespace
}  // namespace tilescope
