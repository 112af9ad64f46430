// Launches that no GPU accepts, and words that are no launch: one message each, before anything is
// emulated.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

class RefusedLaunches : public ::testing::Test {
 protected:
  void expect_refused(const std::string& name, const std::string& text, const std::string& launch,
                      const std::string& message, int status = 1) {
    const auto file = folder_.write(name, text);
    const ProgramRun run = run_tilescope("trace " + file.string() + " --grid 1 " + launch);
    EXPECT_EQ(run.status, status) << run.errors;
    EXPECT_NE(run.errors.find(message), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find(name), std::string::npos) << run.errors;
    EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
    EXPECT_EQ(run.output, "");
  }
  testing::TemporaryFolder folder_;
};

TEST_F(RefusedLaunches, ABlockThatTheKernelDoesNotTake) {
  expect_refused("bounds.cu",
                 "__global__ void __launch_bounds__(16) k(int* p) { p[threadIdx.x] = 1; }",
                 "--block 32 --arg 'i32[32]'", "at most 16 threads");
  expect_refused("exact.cu",
                 "__global__ void __block_size__((64, 1, 1)) k(int* p) { p[threadIdx.x] = 1; }",
                 "--block 128 --arg 'i32[128]'", "Make the block 64,1,1");
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n";
  expect_refused("exact.ptx", head + ".reqntid 64, 1, 1\n{ ret; }\n", "--block 32", "64,1,1");
  expect_refused("most.ptx", head + ".maxntid 16, 1, 1\n{ ret; }\n", "--block 32", "16 threads");
}

TEST_F(RefusedLaunches, AGridThatWouldTakeDays) {
  const auto file = folder_.write("k.cu", "__global__ void k(int* p) { p[threadIdx.x] = 1; }");
  const std::string launch =
      "trace " + file.string() + " --grid 2147483647,65535,65535 --block 32 --arg 'i32[32]'";
  const ProgramRun whole = run_tilescope(launch);
  EXPECT_EQ(whole.status, 1);
  EXPECT_NE(whole.errors.find("too large to emulate as a whole"), std::string::npos)
      << whole.errors;
  EXPECT_NE(whole.errors.find("--sample"), std::string::npos) << whole.errors;
  EXPECT_EQ(run_tilescope(launch + " --sample --as-written").status, 0);
}

TEST_F(RefusedLaunches, MoreSharedMemoryThanABlockGets) {
  const std::string kernel = "__global__ void k(int* p) { p[threadIdx.x] = 1; }";
  const auto file = folder_.write("k.cu", kernel);
  const ProgramRun run = run_tilescope("trace " + file.string() +
                                       " --grid 1 --block 32 --arg 'i32[32]' --shared 300000");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.errors.find("The maximum is 232448 bytes"), std::string::npos) << run.errors;
  expect_refused("large.cu",
                 "__global__ void k(int* p) {\n  __shared__ int s[20000];\n"
                 "  s[threadIdx.x] = p[threadIdx.x];\n  __syncthreads();\n"
                 "  p[threadIdx.x] = s[31 - threadIdx.x];\n}\n",
                 "--block 32 --arg 'i32[32]'", "80000 bytes of static shared memory", 4);
  const ProgramRun ptx = run_tilescope(
      "trace " +
      folder_
          .write("large.ptx",
                 ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                 ".reg .b32 %r<2>;\n.shared .align 4 .b8 s[300000];\n"
                 "mov.u32 %r1, 0;\nst.shared.u32 [s], %r1;\nret;\n}\n")
          .string() +
      " --grid 1 --block 32");
  EXPECT_EQ(ptx.status, 1);
  EXPECT_NE(ptx.errors.find("300000 bytes of static shared memory"), std::string::npos)
      << ptx.errors;
}

TEST_F(RefusedLaunches, ArgumentsOfAnotherType) {
  const std::string kernel =
      "__global__ void k(double d, float f, bool b, long long l, int* p) {\n"
      "  p[threadIdx.x] = d + f + b + l;\n}\n";
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    expect_refused("types.cu", kernel, "--block 1 " + arguments, message);
  };
  refused("--arg f32:1 --arg f32:2 --arg i8:1 --arg i64:5 --arg 'i32[32]'",
          "argument 0 (d) of k is double (8 bytes), not f32. Give it as f64:VALUE");
  refused("--arg f64:1 --arg i32:2 --arg i8:1 --arg i64:5 --arg 'i32[32]'", "argument 1 (f)");
  refused("--arg f64:1 --arg f32:2 --arg i32:1 --arg i64:5 --arg 'i32[32]'", "argument 2 (b)");
  refused("--arg f64:1 --arg f32:2 --arg i8:1 --arg 'i32[32]' --arg 'i32[32]'", "argument 3 (l)");
  refused("--arg f64:1 --arg f32:2 --arg i8:1 --arg i64:5 --arg f32:1", "argument 4 (p)");
  refused("--arg f64:1 --arg f32:2 --arg i8:1 --arg i64:5 --arg f64:1", "argument 4 (p)");
  const auto file = folder_.write("types.cu", kernel).string();
  EXPECT_EQ(run_tilescope("trace " + file +
                          " --grid 1 --block 1 --arg f64:1 --arg f32:2 --arg u8:1 --arg u64:5 "
                          "--arg 'i32[32]'")
                .status,
            0);
}

TEST_F(RefusedLaunches, AMacroThatIsNone) {
  const auto file =
      folder_.write("macro.cu", "__global__ void k(int* p) { p[threadIdx.x] = 1; }").string();
  for (const char* define : {"''", "=1", "1X=2"}) {
    const ProgramRun run =
        run_tilescope("trace " + file + " --grid 1 --block 32 --arg 'i32[32]' -D " + define);
    EXPECT_EQ(run.status, 1) << run.errors;
    EXPECT_NE(run.errors.find("is no name of a macro"), std::string::npos) << run.errors;
  }
}

// Numbers of a file and of its kernel's template have other values for -p and -D; no others have.
TEST_F(RefusedLaunches, AParameterThatTheFileHasNot) {
  const auto file = folder_
                        .write("numbers.cu",
                               "#define TILE 16\nconstexpr int ROWS = 4;\ntemplate <int N> "
                               "__global__ void k(int* p) { p[threadIdx.x % TILE] = ROWS * N; }")
                        .string();
  const std::string launch =
      "trace " + file + " --kernel 'k<2>' --grid 1 --block TILE,ROWS --arg 'i32[32]' --json";
  const ProgramRun run = run_tilescope(launch + " -p ROWS=2 -p N=3 -D TILE=8");
  EXPECT_EQ(run.status, 0) << run.errors;
  const auto document = nlohmann::json::parse(run.output, nullptr, false);
  EXPECT_EQ(document["kernel"], "k<3>");
  EXPECT_EQ(document["block"], (std::vector<int>{8, 2, 1}));
  const ProgramRun refused = run_tilescope(launch + " -p COLUMNS=2");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("COLUMNS"), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find("It has N, TILE, ROWS"), std::string::npos) << refused.errors;
}

TEST_F(RefusedLaunches, WhatIsNoKernelIsSaidToBeNone) {
  const auto says = [](const std::string& word, const std::string& message) {
    const ProgramRun run = run_tilescope("trace " + word + " --grid 1");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.errors.find(message), std::string::npos) << run.errors;
  };
  says("nofile.txt", "no file of that name");
  says(folder_.path().string(), "it is a folder");
  says("/dev/null", "it is no file with a kernel");
}

TEST_F(RefusedLaunches, AGridThatMeetsHasToFitOnTheGpu) {
  const auto file = folder_.write("grid.cu",
                                  "#include <cooperative_groups.h>\n"
                                  "__global__ void k(int* p) {\n"
                                  "  p[blockIdx.x] = 1;\n"
                                  "  cooperative_groups::this_grid().sync();\n}\n");
  const auto launched = [&](const std::string& blocks) {
    return run_tilescope("trace " + file.string() + " --as-written --block 32 --grid " + blocks +
                         " --arg 'i32[" + blocks + "]'");
  };
  EXPECT_EQ(launched("4").status, 0);
  const ProgramRun refused = launched("100000");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("Give it a grid of at most"), std::string::npos) << refused.errors;
}

TEST_F(RefusedLaunches, PtxThatIsWrongHasFileAndLine) {
  const std::string head =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n";
  expect_refused("label.ptx", head + "bra NOWHERE;\nret;\n}\n", "--block 32",
                 "label.ptx:6: no label 'NOWHERE' in this function. ", 4);
  expect_refused("register.ptx", head + ".reg .b32 %r<8>;\nmov.u32 %r1, %r77;\nret;\n}\n",
                 "--block 32", "register.ptx:7: the register '%r77' is not declared. ", 4);
}

TEST_F(RefusedLaunches, AnAsmThatIsWrongHasItsLine) {
  const auto expect_at = [&](const std::string& assembly, const std::string& message) {
    expect_refused("assembly.cu",
                   "__global__ void k(int* p) {\n  p[1] = 2;\n  asm volatile(" + assembly +
                       ");\n  p[threadIdx.x] = 1;\n}\n",
                   "--block 32 --arg 'i32[32]'", message, 4);
  };
  expect_at("\"garbage\"", "assembly.cu:3: ");  // ptxas is not asked first
  expect_at("\"garbage;\"", "assembly.cu:3: Not a name of any known instruction: 'garbage'");
  expect_at("\"mov.u32 %0, nosuch;\" : \"=r\"(p[0])", "assembly.cu:3: ");
}

TEST_F(RefusedLaunches, AHeaderThatIsNotThereIsNamed) {
  expect_refused("header.cu",
                 "#include \"nothere.h\"\n"
                 "__global__ void k(int* p) { p[threadIdx.x] = FROM_HEADER; }\n",
                 "--block 32 --arg 'i32[32]'", "the header \"nothere.h\" was not found", 4);
}

}  // namespace
}  // namespace tilescope
