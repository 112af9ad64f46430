// Files that NVRTC refuses and nvcc takes: host libraries in device code.
#include "kernel/compile/nvcc.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compile_fixture.h"
#include "kernel/compile/compile.h"

namespace tilescope {
namespace {

constexpr const char* kThrust = R"(#include <thrust/complex.h>
#include <iostream>
__global__ void square(thrust::complex<float>* z) {
  const thrust::complex<float> a = z[threadIdx.x];
  z[threadIdx.x] = a * a;
}
int main() { std::cout << "done\n"; }
)";

class Nvcc : public testing::CompileTest {
 protected:
  static KernelInstance of_text(const std::string& source) {
    KernelInstance instance;
    instance.file_name = "test.cu";
    instance.source = source;
    return instance;
  }
  void SetUp() override {
    if (const auto program = nvcc(); !program) GTEST_SKIP() << to_string(program.error());
    if (std::system("command -v g++ > /dev/null") != 0) GTEST_SKIP() << "there is no host compiler";
    const std::filesystem::path headers = compiler_info()->cuda_include_directory;
    const bool has_thrust = std::filesystem::exists(headers / "cccl/thrust/complex.h") ||
                            std::filesystem::exists(headers / "thrust/complex.h");
    if (!has_thrust) GTEST_SKIP() << "there is no Thrust in " << headers;
  }
};

TEST_F(Nvcc, CompilesWhatNvrtcRefuses) {
  for (const bool want_cubin : {false, true, true}) {  // the last from the cache
    const auto compiled = compile_text(kThrust, "", want_cubin, "mine.cu");
    ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
    EXPECT_TRUE(compiled->compiler.starts_with("nvcc 1")) << compiled->compiler;
    EXPECT_NE(compiled->why_nvcc.find("mine.cu:3"), std::string::npos) << compiled->why_nvcc;
    EXPECT_NE(note_on_compiler(*compiled).find("NVRTC refuses the file"), std::string::npos);
    EXPECT_NE(compiled->ptx.find("\"mine.cu\""), std::string::npos);
    EXPECT_EQ(compiled->cubin.empty(), !want_cubin);
    EXPECT_EQ(compiled->has_resources, want_cubin);
  }
}

TEST_F(Nvcc, TakesWhatOlderVersionsOfCudaHad) {
  const std::string older =
      std::string(kThrust) +
      "int clock_of(int device) { cudaDeviceProp all; cudaGetDeviceProperties(&all, device);\n"
      "  return all.clockRate; }\n";
  const auto compiled = compile_text(older, "", false, "mine.cu");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("nvcc 1")) << compiled->compiler;
}

TEST_F(Nvcc, AFileThatBothRefuseHasNvrtcsComplaint) {
  const std::string wrong = std::string(kThrust) + "__global__ void k(int* p) { *p = nowhere; }\n";
  expect_error(compile_text(wrong, "square"), 3, "class or namespace name");
}

TEST_F(Nvcc, IsNotAskedForASlipOfThePen) {
  const auto compiled =
      compile_text("#include <iostream>\n__global__ void k(int* p) { *p = 1 }\nint main() {}\n");
  expect_error(compiled, 2, "expected a \";\"");
}

// What is said while nvcc is at work: NVRTC's complaint, of a text that it cannot take alone.
TEST_F(Nvcc, IsPrecededByNvrtcsComplaint) {
  CompileRequest request;
  request.instance = of_text(kThrust);
  const std::vector<Error> before = complaints_before_nvcc(request, {});
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(before.front().place.line, 3);
  ASSERT_TRUE(compile(request, {}).ok());
  EXPECT_TRUE(complaints_before_nvcc(request, {}).empty()) << "its answer is kept";
  request.instance = of_text("#include <iostream>\n__global__ void k(int* p) { *p = 1 }\n");
  EXPECT_TRUE(complaints_before_nvcc(request, {}).empty()) << "a slip of the pen";
  request.instance = of_text("__global__ void k(int* p) { *p = 1; }\n");
  EXPECT_TRUE(complaints_before_nvcc(request, {}).empty()) << "it compiles";
}

// A stand-in that counts how often it is asked, and refuses everything.
TEST_F(Nvcc, IsAskedOnceForATextThatIsWrong) {
  const std::filesystem::path asked = folder_ / "asked";
  const std::filesystem::path program = folder_ / "nvcc";
  std::ofstream(program) << "#!/bin/sh\necho once >> '" << asked.string() << "'\nexit 1\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ::setenv("TILESCOPE_NVCC", program.c_str(), 1);
  CompileRequest request;
  request.instance = of_text("#include <iostream>\n__global__ void k(int* p) { *p = nowhere; }\n");
  const std::vector<Error> before = complaints_before_nvcc(request, {});
  EXPECT_FALSE(std::filesystem::exists(asked));
  const auto compiled = compile(request, {});
  const std::vector<Error> after = compile_errors(request, {});
  ::unsetenv("TILESCOPE_NVCC");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().place.line, 2);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before.front().message, compiled.error().message);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after.front().message, compiled.error().message);
  EXPECT_EQ(std::filesystem::file_size(asked), 5U);
}

TEST(NoteOnCompiler, IsEmptyWhereNvrtcCompiled) {
  EXPECT_EQ(note_on_compiler(CompiledKernel{}), "");
}

}  // namespace
}  // namespace tilescope
