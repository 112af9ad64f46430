#include "kernel/launch/file_launch.h"

#include <gtest/gtest.h>

#include "test_catalogue.h"

namespace tilescope {
namespace {

const KernelFile kScale{"folder/scale.cu",
                        "__global__ void scale(const float* in, float* out, int n) {\n"
                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (i < n) out[i] = in[i];\n}\n"};

LaunchText launch_of(const char* grid, const char* block, const char* kernel = "") {
  LaunchText launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  return launch;
}

TEST(FileLaunch, ReadsOneToThreeExtents) {
  EXPECT_EQ(*parse_extent("grid", "64"), (Dim3{64, 1, 1}));
  EXPECT_EQ(*parse_extent("grid", "32,8"), (Dim3{32, 8, 1}));
  EXPECT_EQ(*parse_extent("grid", " 4, 3 , 2 "), (Dim3{4, 3, 2}));
  const ParameterSet names{{"TILE", 32}};
  EXPECT_EQ(*parse_extent("grid", "ceil_div(1024, TILE), ceil_div(1024, 8)", names),
            (Dim3{32, 128, 1}));
}

TEST(FileLaunch, NamesTheFieldOfAWrongExtent) {
  for (const char* text : {"0", "8,", ",8", "1,2,3,4", "x", "8x8", "-1", "4294967296", "1 2"}) {
    const auto extent = parse_extent("--block", text);
    ASSERT_FALSE(extent.ok()) << text;
    EXPECT_TRUE(extent.error().message.starts_with("--block")) << extent.error().message;
  }
  const auto missing = parse_extent("grid", " ");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "grid is missing");
  EXPECT_FALSE(missing.error().remedy.empty());
}

TEST(FileLaunch, MakesTheLaunchThatTheTextDescribes) {
  LaunchText launch = launch_of("4", "32,2");
  launch.dynamic_shared_bytes = 64;
  launch.arguments = {"f32[100]=iota", "f32[100]", "i32:100"};
  const auto instance = launch_file(kScale, launch);
  ASSERT_TRUE(instance.ok()) << to_string(instance.error());
  EXPECT_EQ(instance->kernel, "scale");
  EXPECT_EQ(instance->title, "scale.cu");
  EXPECT_EQ(instance->include_directories, std::vector<std::string>{"folder"});
  EXPECT_EQ(instance->block, (Dim3{32, 2, 1}));
  EXPECT_EQ(instance->dynamic_shared_bytes, 64U);
  ASSERT_EQ(instance->arguments.size(), 3U);
  EXPECT_EQ(instance->arguments[0].name, "in");
  EXPECT_EQ(instance->arguments[0].buffer.fill, Fill::kIota);
  EXPECT_EQ(instance->arguments[2].name, "n");
  EXPECT_EQ(instance->arguments[2].bits, 100U);
}

TEST(FileLaunch, HoldsExtentsToWhatADeviceLaunches) {
  const auto says = [](const char* grid, const char* block) {
    const auto instance = launch_file(kScale, launch_of(grid, block));
    return instance.ok() ? std::string() : to_string(instance.error());
  };
  EXPECT_NE(says("1,65536", "1").find("65535"), std::string::npos);
  EXPECT_NE(says("1", "1,1,65").find("1024,1024,64"), std::string::npos);
  EXPECT_NE(says("1", "32,33").find("1,056 threads"), std::string::npos);
  EXPECT_EQ(says("2147483647,65535,65535", "32,32"), "");
}

TEST(FileLaunch, AsksWhichOfSeveralKernels) {
  const KernelFile two{"two.cu", "__global__ void a() {}\n__global__ void b() {}\n"};
  const auto instance = launch_file(two, launch_of("1", "1"), "--");
  ASSERT_FALSE(instance.ok());
  EXPECT_NE(instance.error().message.find("a, b"), std::string::npos);
  EXPECT_NE(instance.error().remedy.find("--kernel"), std::string::npos);
  EXPECT_TRUE(launch_file(two, launch_of("1", "1", "b")).ok());
}

TEST(FileLaunch, RefusesWhatIsNoSource) {
  const testing::TemporaryFolder folder;
  const auto refused = [](const std::string& path) {
    const auto file = read_kernel_file(path);
    return file.ok() ? std::string() : to_string(file.error());
  };
  EXPECT_NE(refused((folder.path() / "nothing.cu").string()).find("cannot read"),
            std::string::npos);
  EXPECT_NE(refused(folder.path().string()).find("folder"), std::string::npos);
  const auto binary = folder.write("binary.cu", std::string("ab\0cd", 5));
  EXPECT_NE(refused(binary.string()).find("no text"), std::string::npos);
  const auto large = folder.write("large.cu", std::string((4u << 20) + 1, ' '));
  EXPECT_NE(refused(large.string()).find("4 MiB"), std::string::npos);
  EXPECT_EQ(refused(folder.write("right.cu", "__global__ void k() {}").string()), "");
}

TEST(FileLaunch, RefusesAMacroWithoutAName) {
  LaunchText launch = launch_of("1", "32");
  for (const char* define : {"", "=1", "1X=2", "A B=2"}) {
    launch.defines = {define};
    const auto instance = launch_file(kScale, launch);
    ASSERT_FALSE(instance.ok()) << define;
    EXPECT_EQ(instance.error().code, ErrorCode::kUsage);
  }
  launch.defines = {"A", "_B2=", "C=x=y", "D(x)=x"};
  EXPECT_TRUE(launch_file(kScale, launch).ok());
}

}  // namespace
}  // namespace tilescope
