// Files that need other folders, other compilers, or that do not compile: on the command line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "kernel/compile/assemble.h"
#include "kernel/compile/nvcc.h"
#include "program.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class CompileReachCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("tilescope-reach-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "elsewhere");
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(CompileReachCommands, AFileThatDoesNotCompileHasAStatusOfItsOwn) {
  const std::string file = write("wrong.cu", "__global__ void k(int* p) { *p = nowhere; }\n");
  for (const std::string& command :
       {std::string("trace "), "export --view banks -o " + (folder_ / "x.svg").string() + " "}) {
    const ProgramRun run = run_tilescope(command + file);
    EXPECT_EQ(run.status, 4) << command << run.errors;
    EXPECT_NE(run.errors.find("wrong.cu:1:34: identifier \"nowhere\" is undefined"),
              std::string::npos)
        << run.errors;
  }
  EXPECT_NE(run_tilescope("trace --help").output.find("4 the file does not compile"),
            std::string::npos);
}

TEST_F(CompileReachCommands, AFileThatIsNotThereIsAMistakeOfTheCommandLine) {
  for (const char* command : {"trace", "exec", "export --view banks -o x.svg"}) {
    const ProgramRun run = run_tilescope(std::string(command) + " " + (folder_ / "no.cu").string());
    EXPECT_EQ(run.status, 1) << command << ": " << run.errors;
  }
}

TEST_F(CompileReachCommands, AKernelInAnIfdefIsShownWithItsMacro) {
  const std::string file =
      write("guarded.cuh", "#ifdef TEST_IT\n__global__ void k(int* p) { *p = 7; }\n#endif\n");
  const ProgramRun run = run_tilescope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE((run.output + run.errors).find("TEST_IT is defined, for k stands in its #if"),
            std::string::npos)
      << run.output << run.errors;
}

TEST_F(CompileReachCommands, AMacroThatAnErrorAsksForIsGuessed) {
  const std::string file = write("asks.cu",
                                 "#ifndef LEN\n#error LEN is not defined\n#endif\n"
                                 "__global__ void k(int* p) { p[threadIdx.x] = LEN; }\n");
  const ProgramRun run = run_tilescope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE((run.output + run.errors).find("LEN is defined nowhere: it is taken for 256"),
            std::string::npos)
      << run.output << run.errors;
}

TEST_F(CompileReachCommands, OfOverloadsInAnIfTheOneThatIsCompiledIsLaunched) {
  const std::string file = write(
      "either.cu",
      "#define FAST 0\n#if FAST\n__global__ void k(float* p) { p[threadIdx.x] = 1; }\n#else\n"
      "__global__ void k(float* p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 2; }\n#endif\n"
      "void run(float* p, int n) {\n#if FAST\n  k<<<1, 256>>>(p);\n#else\n"
      "  k<<<1, 256>>>(p, n);\n#endif\n}\n");
  const ProgramRun run = run_tilescope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
}

TEST_F(CompileReachCommands, WhatIsReadWithItsNextHasOneMore) {
  const std::string file =
      write("rows.cu",
            "__global__ void k(int n, const int* rp, const float* a, float* y) {\n"
            "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= n) return;\n"
            "  float s = 0;\n  for (int j = rp[row]; j < rp[row + 1]; ++j) s += a[j];\n"
            "  y[row] = s;\n}\n");
  const ProgramRun run = run_tilescope("trace --sample " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
}

// nvcc takes it: the prototype is of another kernel, which nobody has.
TEST_F(CompileReachCommands, APrototypeWithOtherParametersIsInNobodysWay) {
  const std::string file = write("other.cu",
                                 "__global__ void k(float, int);\n"
                                 "__global__ void k(float* p, int n) { p[threadIdx.x] = n; }\n");
  const ProgramRun run = run_tilescope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
}

TEST_F(CompileReachCommands, AFunctionMayHaveItsMarkWhereItIsDeclared) {
  static_cast<void>(
      write("box.h", "struct Box { int w; __host__ __device__ int area() const; };\n"));
  const std::string file =
      write("box.cu",
            "#include \"box.h\"\nint Box::area() const { return w * w; }\n"
            "__global__ void k(int* p, Box b) { p[threadIdx.x] = b.area(); }\n");
  const ProgramRun run = run_tilescope("trace " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
}

// As it is copied out of a chat: with a fence, and words around it.
TEST_F(CompileReachCommands, CodeBetweenFencesIsOpenedAndRun) {
  const std::string file = write("answer.cu",
                                 "```cuda\n#include <cstdio>\n"
                                 "__global__ void k(int* p) { p[threadIdx.x] = 7; }\n"
                                 "int main() {\n  int* p;\n  cudaMalloc(&p, 128);\n"
                                 "  k<<<1, 32>>>(p);\n  int x;\n"
                                 "  cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost);\n"
                                 "  printf(\"%d\\n\", x);\n  cudaFree(p);\n}\n"
                                 "```\nThis kernel's threads each write a seven.\n");
  const ProgramRun traced = run_tilescope("trace --json " + file);
  ASSERT_EQ(traced.status, 0) << traced.errors;
  EXPECT_EQ(nlohmann::json::parse(traced.output)["lines"][0]["line"], 3);
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const ProgramRun run = run_tilescope("exec --emulate " + file);
  EXPECT_EQ(run.status, 0) << run.errors << run.output;
  EXPECT_TRUE(run.output.starts_with("7\n")) << run.output;
}

// A program whose kernels stand in a header of its own.
TEST_F(CompileReachCommands, KernelsOfAnIncludedFileAreOpened) {
  static_cast<void>(write("elsewhere/kernels.cuh",
                          "#pragma once\n__global__ void twice(float* x, int n) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  if (i < n) x[i] *= 2;\n}\n"));
  const std::string file = write("main.cu",
                                 "#include \"elsewhere/kernels.cuh\"\n"
                                 "int main() { int n = 1000; float* x; cudaMalloc(&x, n * 4);\n"
                                 "  twice<<<(n + 255) / 256, 256>>>(x, n); }\n");
  const ProgramRun run = run_tilescope("trace --json " + file);
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.errors.find("main.cu: it has no kernel: those of "), std::string::npos)
      << run.errors;
  const auto report = nlohmann::json::parse(run.output);
  EXPECT_EQ(report["kernel"], "twice");
  EXPECT_EQ(report["block"][0], 256);
}

// A header of device functions is no error of the person's: what calls them is named.
TEST_F(CompileReachCommands, AHeaderWithoutAKernelNamesTheFileThatIncludesIt) {
  const std::string header =
      write("curve.cuh", "__device__ float curve(float x) { return x / (1 + x); }\n");
  const ProgramRun alone = run_tilescope("trace " + header);
  EXPECT_EQ(alone.status, 1) << alone.errors;
  EXPECT_NE(alone.errors.find("only device functions such as curve"), std::string::npos)
      << alone.errors;
  static_cast<void>(write("bend.cu",
                          "#include \"curve.cuh\"\n__global__ void bend(float* x) {\n"
                          "  x[threadIdx.x] = curve(x[threadIdx.x]); }\n"));
  const ProgramRun included = run_tilescope("trace " + header);
  EXPECT_NE(included.errors.find("bend.cu, which includes it"), std::string::npos)
      << included.errors;
}

TEST_F(CompileReachCommands, WhatNoDeviceCanHaveIsNamedWithItsLine) {
  const std::string begin = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const ProgramRun block = run_tilescope(
      "trace " +
      write("block.ptx", begin + ".visible .entry k() .reqntid 100000, 1, 1\n{ ret; }\n"));
  EXPECT_NE(block.status, 0);
  EXPECT_NE(block.errors.find("block.ptx:4: .reqntid asks for a block that no device can launch"),
            std::string::npos)
      << block.errors;
  const ProgramRun array = run_tilescope(
      "trace " + write("array.ptx", begin + ".shared .align 4 .b8 wide[4398046511104];\n"
                                            ".visible .entry k()\n{ ret; }\n"));
  EXPECT_NE(array.status, 0);
  EXPECT_NE(array.errors.find("array.ptx:4: the array wide is larger than any memory"),
            std::string::npos)
      << array.errors;
}

// What a guessed launch may cause says so; what the file's own launch does, does not.
TEST_F(CompileReachCommands, AFindingThatMayComeFromAGuessSaysSo) {
  const std::string words = "(the launch is guessed, and may be the cause)";
  const ProgramRun guessed = run_tilescope(
      "trace " +
      write("guessed.cu", "__global__ void k(float* to) { to[threadIdx.x * 20000000ll] = 1; }\n"));
  EXPECT_EQ(guessed.status, 2) << guessed.errors;
  EXPECT_NE(guessed.errors.find(words), std::string::npos) << guessed.errors;
  const ProgramRun own = run_tilescope(
      "trace " + write("own.cu",
                       "__global__ void k(float* to) { to[threadIdx.x + 1] = 1; }\n"
                       "int main() { float* to; cudaMalloc(&to, 64 * 4); k<<<1, 64>>>(to); }\n"));
  EXPECT_EQ(own.status, 2) << own.errors;
  EXPECT_EQ(own.errors.find(words), std::string::npos) << own.errors;
  EXPECT_NE(own.errors.find("writes to[64], 1 past its end"), std::string::npos) << own.errors;
}

TEST_F(CompileReachCommands, HeadersOfAGivenFolderAreTaken) {
  std::ofstream(folder_ / "elsewhere/size.h") << "#define SIZE 8\n";
  const std::string file =
      write("first.cu", "#include <size.h>\n__global__ void first(int* x) { *x = SIZE; }\n");
  const ProgramRun without = run_tilescope("trace " + file);
  EXPECT_EQ(without.status, 4);
  EXPECT_NE(without.errors.find("first.cu:1: the header <size.h> was not found"), std::string::npos)
      << without.errors;
  const ProgramRun with = run_tilescope("trace --no-check " + file + " -I " +
                                        (folder_ / "elsewhere").string() + " --as-written");
  EXPECT_EQ(with.status, 0) << with.errors;
}

TEST_F(CompileReachCommands, TheOtherKernelsOfAFileAreShown) {
  const std::string file = write("two.cu",
                                 "__global__ void wrong(float* x) { *x = nowhere; }\n"
                                 "__global__ void good(float* x) { x[threadIdx.x] = 1; }\n");
  const ProgramRun run = run_tilescope("trace --as-written " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("two.cu:1: wrong does not compile and was left out"), std::string::npos)
      << run.output;
}

// Machine code is missing, the picture is not.
TEST_F(CompileReachCommands, PtxThatIsNewerThanPtxasIsShown) {
  if (!assembler()) GTEST_SKIP() << "there is no ptxas";
  const std::string file =
      write("newer.ptx",
            ".version 9.9\n.target sm_90\n.address_size 64\n"
            ".visible .entry first(.param .u64 out) {\n"
            ".reg .b64 %d<2>;\n ld.param.u64 %d0, [out];\n"
            "cvta.to.global.u64 %d1, %d0;\n st.global.u32 [%d1], 3;\n ret;\n}\n");
  const ProgramRun run = run_tilescope("trace " + file + " --grid 1 --block 1 --arg i32[4]=zero");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE((run.output + run.errors).find("Install a newer ptxas"), std::string::npos)
      << run.output << run.errors;
}

TEST_F(CompileReachCommands, AHipProgramRunsWhole) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const std::string file = write("count.hip", R"(#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void count(int* out) {
  int n = 1;
  for (int lanes = 16; lanes > 0; lanes /= 2) n += __shfl_xor(n, lanes);
  if (hipThreadIdx_x == 0) *out = n;
}
int main() {
  int* out = nullptr;
  if (hipMalloc(&out, sizeof(int)) != hipSuccess) return 1;
  hipLaunchKernelGGL(count, dim3(1), dim3(32), 0, 0, out);
  int n = 0;
  if (hipMemcpy(&n, out, sizeof n, hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d lanes\n", n);
  return hipFree(out) == hipSuccess ? 0 : 1;
}
)");
  const ProgramRun run = run_tilescope("exec " + file);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("32 lanes"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace tilescope
