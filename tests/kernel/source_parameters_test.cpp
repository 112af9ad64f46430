#include "kernel/launch/source_parameters.h"

#include <gtest/gtest.h>

#include "kernel/guess/launch_guess.h"
#include "kernel/launch/launch_form.h"

namespace tilescope {
namespace {

const KernelFile kTiled{
    "tiled.cu",
    "#ifndef TILED_H\n#define TILED_H\n#endif\n"
    "#ifndef TILE\n#define TILE 16\n#endif\n"
    "#define PLAIN 4\n#define THREADS (TILE * TILE)\n"
    "__global__ void tiled(float* a, int n) { a[threadIdx.y] = n; }\n"
    "void run(float* a, int n) {\n"
    "  dim3 block(TILE, TILE / 2);\n  tiled<<<n, block, THREADS * 4>>>(a, n);\n}\n"};

std::vector<std::string> names_in(const std::string& source, const std::string& kernel = "") {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : source_parameters({"k.cu", source}, kernel)) {
    names.push_back(spec.name + " " + std::to_string(spec.default_value));
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(SourceParameters, AreTheMacrosThatTheFileLeavesOpen) {
  const std::vector<ParameterSpec> parameters = source_parameters(kTiled);
  ASSERT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters[0].name, "TILE");
  EXPECT_EQ(parameters[0].default_value, 16);
  EXPECT_EQ(parameters[0].values, (std::vector<std::int64_t>{2, 4, 8, 16, 32, 64, 128}));
  EXPECT_TRUE(source_parameters({"k.ptx", kTiled.source}).empty());
}

TEST(SourceParameters, OfferTheDefaultWhateverItIs) {
  const auto values = [](const std::string& number) {
    return source_parameters({"k.cu", "#ifndef P\n#define P " + number + "\n#endif\n"})
        .at(0)
        .values;
  };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(values("0"), (Values{0, 1, 2, 4, 8}));
  EXPECT_EQ(values("1"), (Values{0, 1, 2, 4, 8}));
  EXPECT_EQ(values("3"), (Values{1, 2, 3, 4, 8, 16}));
  EXPECT_EQ(values("(-1)"), (Values{-1}));
}

TEST(SourceParameters, TheLaunchFollowsThem) {
  LaunchForm form = guess_launch(kTiled);
  EXPECT_EQ(form.block, "TILE, TILE/2");
  EXPECT_EQ(form.grid, "n");
  EXPECT_EQ(form.dynamic_shared, "THREADS*4");
  form.grid = "ceil_div(n, TILE), 3";
  for (const std::int64_t tile : {16, 32}) {
    form.parameters = {{"TILE", tile}};
    const auto instance = launch_file(kTiled, *launch_text(form));
    ASSERT_TRUE(instance.ok()) << to_string(instance.error());
    const auto edge = static_cast<std::uint32_t>(tile);
    EXPECT_EQ(instance->block, (Dim3{edge, edge / 2, 1}));
    EXPECT_EQ(instance->grid, (Dim3{1024 / edge, 3, 1}));
    EXPECT_EQ(instance->dynamic_shared_bytes, edge * edge * 4);
    EXPECT_EQ(instance->parameters, (ParameterSet{{"TILE", tile}}));
  }
}

TEST(SourceParameters, ADefineSetsThemToo) {
  LaunchText launch;
  launch.grid = "PLAIN";
  launch.block = "TILE";
  launch.defines = {"TILE=8", "OTHER=1", "TEXT=float"};
  const auto instance = launch_file(kTiled, launch, "--");
  ASSERT_TRUE(instance.ok()) << to_string(instance.error());
  EXPECT_EQ(instance->parameters, (ParameterSet{{"TILE", 8}}));
  EXPECT_EQ(instance->defines, (std::vector<std::string>{"TILE=8", "OTHER=1", "TEXT=float"}));
  EXPECT_EQ(instance->block, (Dim3{8, 1, 1}));
  EXPECT_EQ(instance->grid, (Dim3{4, 1, 1}));
}

TEST(SourceParameters, AMacroThatIsGivenATextIsNoNumberAnyMore) {
  LaunchText launch;
  launch.grid = "1";
  launch.block = "32";
  launch.defines = {"TILE=SOME"};
  const auto instance = launch_file(kTiled, launch, "--");
  ASSERT_TRUE(instance.ok()) << to_string(instance.error());
  EXPECT_EQ(instance->parameters, ParameterSet{});
  EXPECT_EQ(instance->defines, launch.defines);
  launch.block = "TILE";
  const auto unknown = launch_file(kTiled, launch, "--");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("TILE has no value"), std::string::npos);
}

// Those that the device's code or the launch depends on, and that are there once.
TEST(SourceParameters, AreTheNumbersThatTheFileDefines) {
  EXPECT_EQ(
      names_in("#define TILE 16\n#define EDGE (TILE * 2)\n#define BLOCK (64u)\n"
               "namespace a {\nconstexpr int ROWS = 4, COLUMNS = 8;\n"
               "static const unsigned kPad = 1;\nconstexpr int kBoth = ROWS * 2;\n}\n"
               "__global__ void k(float* p) { __shared__ float s[EDGE][kPad]; p[a::kBoth] = 0; }\n"
               "int main() { dim3 block(BLOCK); k<<<1, block>>>(0); }\n"),
      (Names{"TILE 16", "BLOCK 64", "ROWS 4", "kPad 1"}));
  const std::string kernel = "\n__global__ void k(float* p) { p[A] = 0; }\n";
  EXPECT_EQ(names_in("#ifndef K_CUH\n#define K_CUH\n#define A 2" + kernel + "#endif\n"),
            (Names{"A 2"}));
  for (const char* other :
       {"#define A 0xff", "#define A -1", "#define A() 4", "#define A 1.5f",
        "#define A 4\n#undef A", "#ifdef B\n#define A 4\n#endif",
        "#ifdef B\n#define A 4\n#else\n#define A 8\n#endif", "const float A = 1;", "int A = 4;",
        "extern const int A;", "#define A 010", "struct S { static const int A = 4; };",
        "#define B 4"}) {
    EXPECT_EQ(names_in(other + kernel), Names{}) << other;
  }
  EXPECT_EQ(names_in("#define WARP_SIZE 32\n__global__ void k(int* p) { *p = WARP_SIZE; }"),
            Names{});
}

// Given to the compiler, the macro would take the rest of its guard along: only who asks gets that.
TEST(SourceParameters, AMacroWhoseGuardHoldsMoreIsLeftAlone) {
  const KernelFile file{"k.cu",
                        "#ifndef TX\n#define TX 16\n#define TY 8\n#endif\n"
                        "__global__ void k(int* a) { a[TX] = TY; }\n"};
  KernelInstance plain;
  plain.kernel = "k";
  set_parameters(file, {}, &plain);
  EXPECT_EQ(plain.source, file.source);
  EXPECT_TRUE(plain.defines.empty());
  LaunchText wider;
  wider.defines = {"TX=32", "TY=4"};
  KernelInstance given;
  given.kernel = "k";
  set_parameters(file, wider, &given);
  EXPECT_EQ(given.defines, wider.defines);
}

TEST(SourceParameters, AreTheNumbersOfTheTemplate) {
  const std::string source =
      "template <typename T, int M, unsigned int N = 4, bool B = (M > 2), class... R>\n"
      "__global__ void k(T* p) {}\n";
  EXPECT_EQ(names_in(source, "k<float, 16, 8, true>"), (Names{"M 16", "N 8"}));
  EXPECT_EQ(names_in(source, "k<float, 16>"), (Names{"M 16"}));
  EXPECT_EQ(names_in(source, "k<float, 2 * 8>"), Names{});
  EXPECT_EQ(names_in(source, "k"), Names{});
  EXPECT_EQ(names_in(source, "k<"), Names{});
}

TEST(SourceParameters, AreWrittenWhereTheyStand) {
  const KernelFile file{"k.cu",
                        "#define TILE 16  // edge\nconstexpr int ROWS = 4u;\n"
                        "template <int N> __global__ void k(int* p, int n) {\n"
                        "  p[TILE] = ROWS * N; }\n"
                        "int main() { int n = 5000;\n"
                        "  dim3 block(TILE, ROWS), grid((n + TILE - 1) / TILE, 2);\n"
                        "  k<2><<<grid, block>>>(p, n); }\n"};
  LaunchForm form = guess_launch(file);
  EXPECT_EQ(form.kernel, "k<2>");
  EXPECT_EQ(form.block, "TILE, ROWS");
  EXPECT_EQ(form.grid, "(n + TILE - 1) / TILE, 2");
  const auto instance_of = [&] { return *launch_file(file, *launch_text(form)); };
  EXPECT_EQ(instance_of().source, file.source);
  EXPECT_EQ(instance_of().grid, (Dim3{313, 2, 1}));
  for (const ParameterSpec& spec : source_parameters(file, form.kernel)) {
    form = with_parameter(std::move(form), file, spec, 2 * spec.default_value);
  }
  EXPECT_EQ(form.kernel, "k<4>");
  EXPECT_EQ(form.parameters, (ParameterSet{{"ROWS", 8}, {"TILE", 32}}));
  const KernelInstance instance = instance_of();
  EXPECT_EQ(instance.kernel, "k<4>");
  EXPECT_TRUE(instance.source.starts_with("#define TILE 32  // edge\nconstexpr int ROWS = 8u;\n"));
  EXPECT_EQ(instance.defines, Names{});
  EXPECT_EQ(instance.parameters, (ParameterSet{{"N", 4}, {"ROWS", 8}, {"TILE", 32}}));
  EXPECT_EQ(instance.block, (Dim3{32, 8, 1}));
  EXPECT_EQ(instance.grid, (Dim3{157, 2, 1}));
}

// What the host calls a number may be a constant of its own; the kernel's argument counts.
TEST(SourceParameters, AGridIsReadAsTheKernelCallsItsNumbers) {
  const auto grid_of = [](const std::string& host) {
    return guess_launch({"k.cu",
                         "#define TILE 16\n__global__ void k(float* p, int size) {\n"
                         "  p[threadIdx.y * TILE] = size; }\nint main() {\n" +
                             host + "}\n"})
        .grid;
  };
  EXPECT_EQ(grid_of("const int N = 500; dim3 b(TILE, TILE), g(N / TILE, N / TILE);\n"
                    "k<<<g, b>>>(p, N);"),
            "size / TILE, size / TILE");
  EXPECT_EQ(grid_of("int blocks = (N + 255) / 256; k<<<blocks, 256>>>(p, N);"),
            "(size + 255) / 256");
  // What follows from a constant follows from the argument that hides it.
  const KernelFile hidden{"k.cu",
                          "const int n = 4096;\n__global__ void k(float* p, int n) {}\n"
                          "int main() { const int blocks = n / 64; k<<<blocks, 64>>>(p, n); }\n"};
  LaunchForm form = guess_launch(hidden);
  form.arguments[1].value = "640";
  EXPECT_EQ(launch_file(hidden, *launch_text(form))->grid.x, 10U);
  EXPECT_EQ(grid_of("k<<<dim3(4, TILE), dim3(TILE, TILE)>>>(p, 9);"), "4, TILE");
  // Of numbers alone it is meant for that size.
  EXPECT_EQ(grid_of("k<<<4, 256>>>(p, 9);"), "4");
  // Of numbers beside a size that is not known, of what is not known, and none at all.
  EXPECT_EQ(grid_of("k<<<4, 256>>>(p, M);"), "4,1024");
  EXPECT_EQ(grid_of("k<<<blocks_for(N), 256>>>(p, N);"), "4,1024");
  EXPECT_EQ(grid_of("k<<<N / TILE, 256>>>(p, M);"), "4,1024");
}

TEST(SourceParameters, WhatCannotBeEvaluatedIsNamed) {
  LaunchText launch;
  launch.block = "32";
  for (const char* grid : {"TYLE", "TILE - 16", "TILE / (TILE - 16)"}) {
    launch.grid = grid;
    const auto instance = launch_file(kTiled, launch, "--");
    ASSERT_FALSE(instance.ok()) << grid;
    EXPECT_TRUE(instance.error().message.starts_with("--grid")) << instance.error().message;
  }
}

}  // namespace
}  // namespace tilescope
