#include <gtest/gtest.h>

#include "compile_fixture.h"
#include "kernel/compile/assemble.h"

namespace tilescope {
namespace {

using PtxFile = testing::CompileTest;

constexpr const char* kPtx = R"(// .target sm_35 in a comment
.version 7.0
.target sm_80, texmode_independent
.address_size 64
.visible .entry first(.param .u64 p) { ret; }
// .entry commented(
.weak .entry _ZN2ns5scaleILi4EEEvPf(
	.param .u64 p
) { ret; }
)";

std::string module_of(const std::string& body, const std::string& version = "8.0") {
  return ".version " + version +
         "\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n" + body +
         "ret;\n}\n";
}

TEST_F(PtxFile, PassesThrough) {
  const Result<CompiledKernel> compiled = compile_text(kPtx, "ns::scale<4>", false, "mine.ptx");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(compiled->ptx, kPtx);
  EXPECT_EQ(compiled->kernel, "_ZN2ns5scaleILi4EEEvPf");
  EXPECT_EQ(compiled->architecture, "sm_80");
  EXPECT_EQ(compiled->compiler, "PTX 7.0");
  EXPECT_FALSE(compiled->has_resources);
  EXPECT_FALSE(compiled->can_be_loaded());
  EXPECT_EQ(compile_text(kPtx, "first", false, "mine.ptx")->kernel, "first");
}

TEST_F(PtxFile, WithoutTheKernelListsWhatThereIs) {
  expect_error(compile_text(kPtx, "", false, "mine.ptx"), 0, "first, _ZN2ns5scaleILi4EEEvPf",
               ErrorCode::kUsage);
  expect_error(compile_text(kPtx, "frist", false, "mine.ptx"), 0, "Did you mean first?",
               ErrorCode::kUsage);
  expect_error(compile_text(kPtx, "commented", false, "mine.ptx"), 0, "no kernel commented",
               ErrorCode::kUsage);
  expect_error(compile_text("int main() {}", "", false, "mine.ptx"), 0, "no PTX");
  expect_error(compile_text("", "", false, "mine.ptx"), 0, "no PTX");
}

TEST_F(PtxFile, IsAssembledForTheDevice) {
  const std::string text =
      module_of(".shared .b32 s[16]; .reg .b32 %r;\nmov.u32 %r, s; st.shared.u32 [%r], %r;\n");
  for (int time = 0; time < 2; ++time) {  // the second one from the cache
    const Result<CompiledKernel> compiled = compile_text(text, "", true, "mine.ptx");
    ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
    ASSERT_FALSE(compiled->cubin.empty()) << compiled->why_no_cubin;
    EXPECT_EQ(compiled->architecture, "sm_90");
    ASSERT_TRUE(compiled->has_resources);
    EXPECT_EQ(compiled->resources.static_shared_bytes, 64);
    EXPECT_GT(compiled->resources.registers, 0);
  }
}

TEST_F(PtxFile, SaysWhyThereIsNoMachineCode) {
  const auto why = [](const std::string& text) {
    const Result<CompiledKernel> compiled = compile_text(text, "", true, "mine.ptx");
    if (!compiled) return to_string(compiled.error());
    EXPECT_TRUE(compiled->cubin.empty());
    EXPECT_TRUE(compiled->can_be_loaded());
    return compiled->why_no_cubin;
  };
  const std::string wrong = why(module_of(".reg .b32 %r;\nmov.u32 %r, %zz;\n"));
  EXPECT_NE(wrong.find("mine.ptx:6"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("ptxas refuses the PTX: "), std::string::npos) << wrong;
  const std::string late = why(module_of("", "99.0"));
  EXPECT_NE(late.find("Unsupported .version 99.0"), std::string::npos) << late;
  ::setenv("TILESCOPE_PTXAS", "/bin/false", 1);
  const std::string failed = why(module_of(""));
  ::unsetenv("TILESCOPE_PTXAS");
  EXPECT_NE(failed.find("ptxas failed"), std::string::npos) << failed;
}

TEST(AssembledArchitecture, IsTheDevicesWhereTheTargetAllowsIt) {
  EXPECT_EQ(assembled_architecture("sm_80", 90), "sm_90");
  EXPECT_EQ(assembled_architecture("sm_90", 90), "sm_90");
  EXPECT_EQ(assembled_architecture("sm_100", 90), "sm_100");
  EXPECT_EQ(assembled_architecture("sm_90a", 90), "sm_90a");
  EXPECT_EQ(assembled_architecture("sm_90a", 100), "sm_90a");
  EXPECT_EQ(assembled_architecture("garbage", 90), "sm_90");
}

}  // namespace
}  // namespace tilescope
