#include "kernel/launch/launch_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "build_config.h"
#include "kernel/compile/compile.h"
#include "kernel/guess/launch_guess.h"
#include "kernel/launch/file_launch.h"
#include "kernel/launch/launch_form.h"
#include "kernel/source/kernel_signature.h"
#include "kernel/source/ptx_signature.h"

namespace tilescope {
namespace {

// `parameters` and `bounds` of the entry k.
CompiledKernel compiled_with(const std::string& parameters, const std::string& bounds) {
  CompiledKernel compiled;
  compiled.kernel = "k";
  compiled.ptx = ".version 9.0\n.target sm_90\n.visible .entry kk(\n\t.param .f64 other\n)\n" +
                 std::string(".maxntid 1, 1, 1\n{ ret; }\n.visible .entry k(\n") + parameters +
                 "\n)\n" + bounds + "\n{ ret; }\n";
  return compiled;
}

KernelInstance instance_with(const std::vector<std::string>& arguments, Dim3 block = {32, 1, 1}) {
  KernelInstance instance;
  instance.file_name = "k.cu";
  instance.kernel = "k";
  instance.block = block;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto argument = file_arguments(arguments[i], static_cast<std::uint32_t>(i));
    EXPECT_TRUE(argument.ok());
    if (argument) std::ranges::copy(*argument, std::back_inserter(instance.arguments));
  }
  return instance;
}

TEST(LaunchFit, TakesBlocksUpToTheBound) {
  const CompiledKernel compiled = compiled_with("", ".maxntid 8, 8, 1");
  EXPECT_TRUE(check_launch_fit(compiled.ptx, compiled.kernel, instance_with({}, {64, 1, 1})).ok());
  const Status large =
      check_launch_fit(compiled.ptx, compiled.kernel, instance_with({}, {65, 1, 1}));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kUsage);
  EXPECT_EQ(large.error().place.file, "k.cu");
  EXPECT_NE(large.error().message.find("at most 64 threads"), std::string::npos);
}

TEST(LaunchFit, TakesTheBlockThatIsRequired) {
  const CompiledKernel compiled = compiled_with("", ".reqntid 64");
  EXPECT_TRUE(check_launch_fit(compiled.ptx, compiled.kernel, instance_with({}, {64, 1, 1})).ok());
  EXPECT_FALSE(check_launch_fit(compiled.ptx, compiled.kernel, instance_with({}, {32, 2, 1})).ok());
}

// Of every PTX file of the tests: what is proposed is not refused.
TEST(LaunchFit, TakesTheBlockThatIsProposed) {
  std::size_t kernels = 0;
  for (const auto& found :
       std::filesystem::recursive_directory_iterator(TILESCOPE_SOURCE_DIR "/tests")) {
    if (found.path().extension() != ".ptx") continue;
    const auto file = read_kernel_file(found.path().string());
    if (!file.ok()) continue;  // hostile ones
    for (const KernelSignature& signature :
         find_ptx_signatures(file->source, PtxReading::kBodies)) {
      const LaunchForm form = guess_launch(*file, signature.name);
      const auto block = parse_extent("block", form.block);
      const auto grid = parse_extent("grid", form.grid);
      ASSERT_TRUE(block.ok() && grid.ok()) << found.path() << " " << form.block << " " << form.grid;
      CompiledKernel compiled;
      compiled.kernel = signature.name;
      compiled.ptx = file->source;
      EXPECT_TRUE(check_launch_fit(compiled.ptx, compiled.kernel, instance_with({}, *block)).ok())
          << found.path() << " " << signature.name << " " << form.block;
      const Dim3& cluster = signature.cluster;
      EXPECT_TRUE(grid->x % cluster.x == 0 && grid->y % cluster.y == 0 && grid->z % cluster.z == 0)
          << found.path() << " " << form.grid;
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 30U);
}

TEST(LaunchFit, HoldsArgumentsToTheirSizeAndKind) {
  const CompiledKernel compiled = compiled_with(
      "\t.param .f64 a,\n\t.param .f32 b,\n\t.param .u8 c,\n\t.param .u64 d,\n"
      "\t.param .align 2 .b8 e[2]",
      "");
  const auto fits = [&](const std::vector<std::string>& arguments) {
    return check_launch_fit(compiled.ptx, compiled.kernel, instance_with(arguments)).ok();
  };
  EXPECT_TRUE(fits({"f64:1", "f32:1", "u8:1", "f32[4]", "f16:1"}));
  EXPECT_TRUE(fits({"f64:1", "f32:1", "i8:1", "i64:0"}));  // fewer are told of elsewhere
  EXPECT_FALSE(fits({"f32:1"}));
  EXPECT_FALSE(fits({"i64:1"}));
  EXPECT_FALSE(fits({"f64[4]"}));
  EXPECT_FALSE(fits({"f64:1", "i32:1"}));
  EXPECT_FALSE(fits({"f64:1", "f32:1", "i32:1"}));
  EXPECT_FALSE(fits({"f64:1", "f32:1", "i8:1", "f64:1"}));
  EXPECT_FALSE(fits({"f64:1", "f32:1", "i8:1", "i32:1"}));
}

TEST(LaunchFit, ABufferIsNoNumberOf64Bits) {
  const CompiledKernel compiled = compiled_with("\t.param .u64 a", "");
  KernelInstance instance = instance_with({"f32[4]"});
  instance.source = "__global__ void k(float* a) {}";
  EXPECT_TRUE(check_launch_fit(compiled.ptx, compiled.kernel, instance).ok());
  instance.source = "using pointer = float*;\n__global__ void k(pointer a) {}";
  EXPECT_TRUE(check_launch_fit(compiled.ptx, compiled.kernel, instance).ok());
  instance.source = "__global__ void k(size_t a) {}";
  EXPECT_FALSE(check_launch_fit(compiled.ptx, compiled.kernel, instance).ok());
}

}  // namespace
}  // namespace tilescope
