#include "kernel/compile/compile_log.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

// From NVRTC 13.0.
constexpr const char* kErrors = R"(a b/c.cu(12): error: identifier "x" is undefined
    y = x;
        ^

c.cu(3): warning #186-D: pointless comparison of unsigned integer with zero
  if (u < 0) p[0] = 1;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

c.cu(1): catastrophic error: cannot open source file "nothing.h" (no directories in search list)
  #include "nothing.h"
                      ^

c.cu(4): error #20011: calling f(1): not allowed
ptxas fatal   : Unresolved extern function '_Z1fv'
nvrtc: error: invalid value for --gpu-architecture (-arch)
2 errors detected in the compilation of "c.cu".
)";

TEST(CompileLog, FindsErrorsWithTheirPlaces) {
  const std::vector<CompileError> errors = find_errors(kErrors);
  ASSERT_EQ(errors.size(), 5U);
  EXPECT_EQ(errors[0].file, "a b/c.cu");
  EXPECT_EQ(errors[0].line, 12);
  EXPECT_EQ(errors[0].column, 7);
  EXPECT_EQ(errors[0].message, "identifier \"x\" is undefined");
  EXPECT_EQ(errors[1].line, 1);
  EXPECT_EQ(errors[1].message.substr(0, 16), "cannot open sour");
  EXPECT_EQ(errors[2].message, "calling f(1): not allowed");
  EXPECT_EQ(errors[2].column, 0);
  EXPECT_EQ(errors[3].file, "");
  EXPECT_EQ(errors[3].message, "Unresolved extern function '_Z1fv'");
  EXPECT_EQ(errors[4].message.substr(0, 7), "error: ");
}

TEST(CompileLog, KeepsWarningsAlone) {
  const std::string warnings = find_warnings(kErrors);
  EXPECT_EQ(warnings.find("c.cu(3): warning #186-D"), 0U) << warnings;
  EXPECT_EQ(warnings.find("Remark"), std::string::npos);
  EXPECT_EQ(warnings.find("undefined"), std::string::npos);
}

constexpr const char* kInformation = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for helper
    99 bytes stack frame, 98 bytes spill stores, 97 bytes spill loads
ptxas info    : Function properties for first
ptxas         .     16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 8192 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'first_and_more' for 'sm_90'
ptxas info    : Function properties for first_and_more
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
)";

TEST(CompileLog, FindsTheResourcesOfOneKernel) {
  const auto first = find_resources(kInformation, "first");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->registers, 255);
  EXPECT_EQ(first->static_shared_bytes, 8192);
  EXPECT_EQ(first->spill_store_bytes, 12);
  EXPECT_EQ(first->spill_load_bytes, 20);
  EXPECT_EQ(first->stack_bytes, 16);
  const auto second = find_resources(kInformation, "first_and_more");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->registers, 8);
  EXPECT_EQ(second->static_shared_bytes, 0);
  EXPECT_FALSE(find_resources(kInformation, "third"));
  EXPECT_FALSE(find_resources("", "first"));
}

TEST(CompileLog, SurvivesAnyText) {
  for (const char* log :
       {"", "\n", "(): error: ", "x(1): error:", "(99999999999999999999): error: x", "): ", "^",
        "a(1): error: b\n^", "ptxas", "ptxas info    : Compiling entry function '"}) {
    EXPECT_LE(find_errors(log).size(), 1U) << log;
    EXPECT_LE(find_warnings(log).size(), std::string_view(log).size() + 1) << log;
    EXPECT_FALSE(find_resources(log, "k")) << log;
  }
}

TEST(CompileLog, KnowsTheAssemblersLines) {
  const std::vector<CompileError> errors = find_errors(
      "ptxas application ptx input, line 28; error   : Unknown symbol 'nosuch'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n");
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].ptx_line, 28);
  EXPECT_EQ(errors[0].message, "Unknown symbol 'nosuch'");
  EXPECT_EQ(errors[1].ptx_line, 0);
}

TEST(CompileLog, KnowsTheCommandLinesErrors) {
  const std::vector<CompileError> errors =
      find_errors("Command-line error: invalid macro definition: =1\n\n1 catastrophic error\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "invalid macro definition: =1");
}

TEST(CompileLog, FindsTheEntryWithTooMuchSharedMemory) {
  const auto over = find_shared_overflow(kInformation, 4096);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->entry, "first");
  EXPECT_EQ(over->bytes, 8192);
  EXPECT_FALSE(find_shared_overflow(kInformation, 8192));
}

}  // namespace
}  // namespace tilescope
