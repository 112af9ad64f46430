// CUDA files as people have them, with main and the host's headers: tests/kernels/hosted.
#include <gtest/gtest.h>

#include <algorithm>

#include "compile_fixture.h"
#include "kernel/source/device_source.h"

namespace tilescope {
namespace {

class Hosted : public testing::CompileTest {
 protected:
  static std::string path(const std::string& name) {
    return (resource_directory() / "tests/kernels/hosted" / name).string();
  }
  static void expect_kernel(const std::string& file, const std::string& wanted,
                            const std::string& entry) {
    const Result<CompiledKernel> compiled = compile_file(path(file), wanted);
    ASSERT_TRUE(compiled.ok()) << file << ": " << to_string(compiled.error());
    EXPECT_EQ(compiled->kernel.substr(0, entry.size()), entry) << compiled->kernel;
  }
};

TEST_F(Hosted, VectorAdd) { expect_kernel("vector_add.cu", "", "_Z10vector_addPKfS0_Pfi"); }
TEST_F(Hosted, Templates) {
  expect_kernel("templates.cu", "reduce<float, 256, Maximum>", "_Z6reduceIfLi256E7Maximum");
}
TEST_F(Hosted, Cooperative) { expect_kernel("cooperative.cu", "", "_ZN4sums14sum_of_squares"); }
TEST_F(Hosted, HalfPrecision) { expect_kernel("half_precision.cu", "", "scale_half"); }
TEST_F(Hosted, Printing) { expect_kernel("printing.cu", "report", "_Z6report"); }
TEST_F(Hosted, Classes) { expect_kernel("classes.cu", "identity", "_Z8identity6Matrix5Order"); }
TEST_F(Hosted, Macros) { expect_kernel("macros.cu", "", "blend"); }
TEST_F(Hosted, Lambdas) { expect_kernel("lambdas.cu", "clamp_all", "_Z9clamp_all"); }
TEST_F(Hosted, Headers) { expect_kernel("headers.cu", "", "_Z4flipPKfPf6Extent"); }
TEST_F(Hosted, TensorCores) { expect_kernel("tensor_cores.cu", "", "_ZN"); }

TEST_F(Hosted, LineInformationStays) {
  const Result<CompiledKernel> compiled = compile_file(path("vector_add.cu"));
  ASSERT_TRUE(compiled.ok());
  const std::string source = testing::read_file(path("vector_add.cu"));
  const std::size_t statement = source.find("if (i < n) c[i] =");
  const auto line =
      1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(statement), '\n');
  EXPECT_NE(compiled->ptx.find("\t.loc\t1 " + std::to_string(line) + " "), std::string::npos);
}

TEST_F(Hosted, WhatNvccHasWithoutIncludesIsThere) {
  const Result<CompiledKernel> compiled = compile_text(
      "__global__ void first(float* f, int* i, unsigned* u) {\n"
      "  f[0] = -INFINITY + fmaxf(NAN, M_PI) + HUGE_VALF;\n"
      "  i[0] = std::max(INT_MAX, i[1]);\n"
      "  u[0] = UINT_MAX - CHAR_BIT + sizeof(uint32_t);\n"
      "}\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(Hosted, GlibcsShortNamesOfIntegersAreThere) {
  const Result<CompiledKernel> compiled = compile_text(
      "typedef unsigned int uint;  // twice is once\n"
      "template <const uint N> __device__ uint twice(uint i) { return 2 * i + N; }\n"
      "__global__ void first(uint* u, ulong n, ushort s) { u[0] = twice<3>(s) + n; }\n"
      "int main() { uint here = 3; return here; }\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(Hosted, ANameThatNoHeaderHasStaysUndefined) {
  const Result<CompiledKernel> compiled =
      compile_text("__global__ void first(float* f) { f[0] = INFINITI + INFINITY; }\n");
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.error().message.find("INFINITI"), std::string::npos);
}

TEST_F(Hosted, ATemplateAsksForItsArguments) {
  const Result<CompiledKernel> compiled = compile_file(path("templates.cu"));
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kUsage);
  EXPECT_NE(compiled.error().remedy.find("reduce<T, 256, Maximum>"), std::string::npos)
      << compiled.error().remedy;
}

TEST_F(Hosted, TheOnlyLaunchGivesATemplateItsArguments) {
  const Result<CompiledKernel> compiled = compile_text(
      "template <int N, typename T> __global__ void scale(T* p) { p[threadIdx.x] *= N; }\n"
      "int main() { scale<3, float><<<1, 32>>>(nullptr); }\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(compiled->kernel, "_Z5scaleILi3EfEvPT0_");
}

TEST_F(Hosted, SeveralKernelsAreListed) {
  const Result<CompiledKernel> compiled = compile_file(path("lambdas.cu"));
  expect_error(compiled, 0, "clamp_all, smooth", ErrorCode::kUsage);
  EXPECT_EQ(compiled.error().place.file, path("lambdas.cu"));
}

TEST_F(Hosted, AMisspeltKernelIsAnswered) {
  expect_error(compile_file(path("vector_add.cu"), "vector_ad"), 0, "Did you mean vector_add?",
               ErrorCode::kUsage);
  expect_error(compile_text("int main() {}"), 0, "no __global__ function", ErrorCode::kUsage);
  expect_error(compile_text(""), 0, "no __global__ function", ErrorCode::kUsage);
  expect_error(compile_text("template <int N> __global__ void k(int* p) { *p = N; }", "k<float>"),
               0, "cannot be instantiated", ErrorCode::kUsage);
}

TEST_F(Hosted, OverloadsAreChosenByTheirMangledName) {
  const std::string source =
      "__global__ void add(float* p) { p[0] += 1; }\n__global__ void add(int* p) { p[0] += 1; }\n";
  expect_error(compile_text(source), 0, "_Z3addPi (add(int*))", ErrorCode::kUsage);
  const Result<CompiledKernel> compiled = compile_text(source, "_Z3addPi");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(compiled->kernel, "_Z3addPi");
}

// Host code that cannot be compiled here never hides an error of the kernel's own.
TEST_F(Hosted, TheKernelsOwnErrorIsReported) {
  expect_error(compile_text("#include <vector>\n"
                            "static std::vector<int> values;\n"
                            "void use(std::vector<int>& v);\n"
                            "__global__ void k(int* p) {\n"
                            "  *p = missing + 1;\n"
                            "}\n"
                            "int main() { values.clear(); }\n"),
               5, "identifier \"missing\" is undefined");
}

TEST_F(Hosted, AHostFunctionCalledFromAKernelIsNamed) {
  const Result<CompiledKernel> compiled = compile_text(
      "#include <cmath>\n"
      "float gauss(float x) { return expf(-x * x); }\n"
      "__global__ void k(float* p) {\n"
      "  *p = gauss(*p);\n"
      "}\n");
  expect_error(compiled, 4, "gauss");
  EXPECT_EQ(compiled.error().remedy, "gauss (line 2) is host code; mark it __device__");
}

// The class is set aside for its error, then the kernel misses it: the first is what helps.
TEST_F(Hosted, AMistakeInAnUnmarkedClassIsTheOneReported) {
  expect_error(compile_text("struct Shape {\n"
                            "  int rows;\n"
                            "  itn cols;\n"
                            "};\n"
                            "__global__ void k(int* p, Shape shape) {\n"
                            "  *p = shape.rows * shape.cols;\n"
                            "}\n"),
               3, "identifier \"itn\" is undefined");
}

TEST_F(Hosted, AnErrorInALocalHeaderNamesTheHeader) {
  folder_.write("sub/bad.cuh",
                "#pragma once\n#include <string>\n__device__ int f() { return nothing; }\n");
  const auto file = folder_.write(
      "main.cu", "#include \"sub/bad.cuh\"\n__global__ void k(int* p) { *p = f(); }\n");
  const Result<CompiledKernel> compiled = compile_file(file.string());
  expect_error(compiled, 3, "identifier \"nothing\" is undefined");
  EXPECT_TRUE(compiled.error().place.file.ends_with("sub/bad.cuh")) << compiled.error().place.file;
}

TEST_F(Hosted, IncludeDirectoriesAreSearched) {
  folder_.write("include/answer.h", "#define ANSWER 4242\n");
  folder_.write("include/more.h", "#define MORE 11\n");
  CompileRequest request;
  request.instance.file_name = "somewhere/test.cu";
  request.instance.source =
      "#include \"answer.h\"\n#include <more.h>\n__global__ void k(int* p) { *p = ANSWER + MORE; "
      "}\n";
  request.instance.include_directories = {(folder_.path() / "include").string()};
  const Result<CompiledKernel> compiled = compile(request, {});
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->ptx.find("4253"), std::string::npos);
}

TEST_F(Hosted, SmallStandInsGiveTheUsualValues) {
  const Result<CompiledKernel> compiled = compile_text(R"(
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
static_assert(sizeof(std::int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(uint32_t) == 4 && sizeof(std::uint64_t) == 8);
static_assert(INT64_MAX == std::numeric_limits<long long>::max() && INT_MIN == std::numeric_limits<int>::lowest());
static_assert(std::numeric_limits<float>::max() == FLT_MAX && std::numeric_limits<float>::min() > 0);
static_assert(std::numeric_limits<double>::epsilon() == DBL_EPSILON && std::numeric_limits<char>::digits == 7);
static_assert(std::numeric_limits<float>::infinity() > FLT_MAX);
static_assert(std::numeric_limits<float>::quiet_NaN() != std::numeric_limits<float>::quiet_NaN());
static_assert(std::is_same_v<std::remove_cvref_t<const float&>, float> && !std::is_same<int, long>::value);
static_assert(std::is_integral_v<unsigned char> && !std::is_integral_v<float> && std::is_floating_point_v<double>);
static_assert(std::is_signed_v<int> && !std::is_signed_v<unsigned> && std::is_unsigned_v<std::size_t>);
static_assert(std::is_same_v<std::conditional_t<true, int, float>, int>);
static_assert(std::min(3, 2) == 2 && std::max(3, 2) == 3 && std::clamp(9, 1, 5) == 5);
template <typename T, std::enable_if_t<std::is_pointer_v<T>, int> = 0> __device__ T same(T p) { return p; }
__global__ void k(float* p, std::ptrdiff_t n) {
  float a = std::sqrt(std::abs(p[n])) + static_cast<float>(M_PI);
  std::swap(a, same(p)[1]);
  p[2] = std::isnan(a) ? INFINITY : std::pow(a, 2.0f) + offsetof(float4, z);
})");
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST(FindKernels, NamesThemInOrder) {
  EXPECT_EQ(find_kernels(R"__(
// __global__ void commented() {}
/* __global__ void too() {} */
const char* text = "__global__ void quoted() {}";
const char* raw = R"x(__global__ void raw() {})x";
__global__ void declared(int);
extern "C" { __global__ void __launch_bounds__(128, 2) first(int* p) { *p = '}'; } }
template <typename T, int N = (3 > 2)> __global__ static void second(T* p) {}
namespace a::b { inline namespace c { __global__ void __attribute__((noinline)) third() {} } }
namespace { __global__ __launch_bounds__(32) void fourth() { if (1) { } } }
__global__ void declared(int x) {}
template __global__ void second<float, 3>(float*);
#define K __global__
K void fifth() {}
int main() { auto f = [] { first<<<1, 1>>>(0); }; }
)__"),
            (std::vector<std::string>{"declared", "first", "second", "a::b::c::third", "fourth",
                                      "fifth"}));
}

TEST(DeviceSource, KeepsLinesColumnsAndDirectives) {
  const std::string text =
      "int host(int x) {\n#ifdef A\n  return 1;\n#else\n  return x;\n#endif\n}\n"
      "__device__ int keep() { return 1; }\n";
  const DeviceSource source("t.cu", text);
  const std::string left = source.text();
  EXPECT_EQ(left.size(), text.size());
  EXPECT_EQ(left,
            "                 \n#ifdef A\n           \n#else\n           \n#endif\n \n"
            "__device__ int keep() { return 1; }\n");
}

TEST(DeviceSource, SurvivesWhatIsNoCode) {
  for (const char* text : {"",
                           "}",
                           "{",
                           "(((",
                           "template",
                           "template <",
                           "__global__",
                           "#",
                           "\\",
                           "\"",
                           "'",
                           "R\"(",
                           "/*",
                           "struct",
                           "struct {",
                           "namespace",
                           "namespace {",
                           "a = {",
                           "x::y::",
                           "__global__ void k(",
                           "int f() {",
                           "}}}}",
                           "extern \"C\"",
                           "#include",
                           "#include <",
                           "operator",
                           "enum class",
                           ":",
                           "<",
                           ">>",
                           "__global__ __global__",
                           "class A : {"}) {
    const std::string source = text;
    EXPECT_EQ(DeviceSource("t.cu", source).text().size(), source.size()) << text;
    EXPECT_LE(find_kernels(source).size(), 1U) << text;
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "namespace a { struct b { ";
  EXPECT_EQ(DeviceSource("t.cu", deep).text().size(), deep.size());
}

}  // namespace
}  // namespace tilescope
