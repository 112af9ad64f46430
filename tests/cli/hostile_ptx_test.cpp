// PTX as no compiler writes it: each gives findings that name the line of the PTX, and no crash.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using nlohmann::json;

class HostilePtx : public ::testing::Test {
 protected:
  // The only finding of one warp that executes a module, which begins in line 4.
  json finding_of(const std::string& module) {
    const auto file =
        folder_.write("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n" + module);
    const ProgramRun run = run_tilescope("trace " + file.string() +
                                         " --grid 1 --block 32 --arg 'u32[32]=zero' --json");
    EXPECT_EQ(run.status, 2) << run.errors;
    const json document = json::parse(run.output, nullptr, false);
    if (document.is_discarded() || document["findings"].size() != 1) {
      ADD_FAILURE() << run.output << run.errors;
      return {{"kind", ""}, {"message", ""}, {"line", 0}};
    }
    return document["findings"][0];
  }
  testing::TemporaryFolder folder_;
};

TEST_F(HostilePtx, ARaceHasTheLinesOfThePtx) {
  const json finding = finding_of(
      ".visible .entry k(.param .u64 p) {\n"
      ".shared .align 4 .b8 s[128]; .reg .b32 %r<7>; .reg .b64 %rd<4>;\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3;\n"
      "st.shared.u32 [%r4], %r1;\n"
      "xor.b32 %r5, %r4, 4;\n"
      "ld.shared.u32 %r6, [%r5];\n"
      "ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3], %r6; ret; }\n");
  EXPECT_EQ(finding["kind"], "shared_race");
  EXPECT_EQ(finding["line"], 9);
  EXPECT_EQ(finding["other_line"], 7);
  EXPECT_NE(finding["message"].get<std::string>().find("(line 7)"), std::string::npos) << finding;
}

TEST_F(HostilePtx, CallsThatAreNestedTooDeepAreNoEndlessLoop) {
  constexpr int kDeep = 6000;
  std::string module;
  for (int f = 0; f < kDeep; ++f) module += fmt::format(".func f{}();\n", f);
  for (int f = 0; f + 1 < kDeep; ++f)
    module += fmt::format(".func f{}() {{ call.uni f{}; ret; }}\n", f, f + 1);
  module += fmt::format(".func f{}() {{ ret; }}\n", kDeep - 1);
  ::setenv("TILESCOPE_PTXAS", "/bin/false", 1);  // which takes 15 s over it
  const json finding =
      finding_of(module + ".visible .entry k(.param .u64 p) { call.uni f0; ret; }\n");
  ::unsetenv("TILESCOPE_PTXAS");
  EXPECT_EQ(finding["kind"], "unsupported");
  EXPECT_NE(finding["message"].get<std::string>().find("nested deeper"), std::string::npos);
  EXPECT_GT(finding["line"], kDeep);
}

TEST_F(HostilePtx, ABarrierThatABlockHasNotIsNamed) {
  const json finding = finding_of(
      ".visible .entry k(.param .u64 p) { .reg .b32 %r<2>;\n"
      "mov.u32 %r1, 99;\n"
      "bar.sync %r1;\n"
      "ret; }\n");
  EXPECT_EQ(finding["kind"], "barrier");
  EXPECT_EQ(finding["line"], 6);
  EXPECT_NE(finding["message"].get<std::string>().find("barrier 99"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
