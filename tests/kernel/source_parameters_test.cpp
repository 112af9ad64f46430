#include "kernel/source_parameters.h"

#include <gtest/gtest.h>

#include "kernel/launch_guess.h"

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
  EXPECT_EQ(form.grid, "ceil_div(1024, TILE), ceil_div(1024, TILE/2)");
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
  EXPECT_EQ(instance->defines, (std::vector<std::string>{"OTHER=1", "TEXT=float"}));
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
