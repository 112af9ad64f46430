#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"

// What a launch of clusters asks of its grid, and what is said of blocks that run along unasked.
namespace tilescope {
namespace {

std::shared_ptr<const Program> program_of(const std::string& cluster, const std::string& body) {
  const std::string ptx = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
      ".explicitcluster\n.reqnctapercluster {}\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %d<9>;\n.shared .align 8 .b64 bar;\n{}\nret;\n}}\n",
      cluster, body);
  auto program = decode_ptx(ptx, "k", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

struct Prepared {
  Launch launch;
  DeviceMemory memory;
};

Prepared prepare(const Dim3& grid) {
  Prepared run;
  run.memory.add("out", ElementType::kU32, std::make_shared<std::vector<std::byte>>(256));
  run.launch.grid = grid;
  run.launch.block = {32, 1, 1};
  run.launch.arguments = {run.memory.buffers()[0].address};
  return run;
}

std::string refusal(const std::string& cluster, const Dim3& grid) {
  Prepared run = prepare(grid);
  const auto result = emulate(*program_of(cluster, ""), run.launch, run.memory, {}, {}, {}, {});
  return result ? "" : result.error().message + " | " + result.error().remedy;
}

TEST(ClusterLaunch, TheGridIsAMultipleOnEachAxis) {
  EXPECT_EQ(refusal("2, 2", {4, 6, 3}), "");
  EXPECT_EQ(refusal("4", {6, 1, 1}),
            "a grid of 6 x 1 x 1 blocks cannot be cut into clusters of 4 x 1 x 1 | Give a multiple "
            "of the cluster along each axis, such as 8 x 1 x 1");
  EXPECT_NE(refusal("2, 2, 1", {4, 3, 1}), "");
  EXPECT_NE(refusal("8, 4, 1", {8, 4, 1}).find("the largest has 16"), std::string::npos);
  EXPECT_EQ(refusal("16", {16, 1, 1}), "");
}

TEST(ClusterLaunch, WhatStopsABlockThatRunsAlongIsSaid) {
  // Block 1 waits for what nobody does, block 0 for block 1.
  const auto program = program_of("2", R"(
	mov.u32 %r1, bar;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %cluster_ctarank;
	setp.ne.u32 %p1, %r2, 0;
	@!%p1 mbarrier.init.shared.b64 [%r1], 1;
	bar.sync 0;
	setp.eq.u32 %p2, %r3, 0;
	@%p2 bra MEET;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p3, [%r1], 0;
	@!%p3 bra WAIT;
MEET:
	barrier.cluster.arrive;
	barrier.cluster.wait;)");
  Prepared run = prepare({4, 1, 1});
  const auto trace = trace_block(*program, run.launch, run.memory, 2, 1 << 16, {});
  ASSERT_TRUE(trace.ok());
  EXPECT_FALSE(trace->complete);
  ASSERT_EQ(trace->findings.size(), 1U);
  EXPECT_EQ(trace->findings[0].block, (Dim3{3, 0, 0}));
  EmulationOptions options;
  options.blocks = {0};
  const auto sample = emulate(*program, run.launch, run.memory, options, {}, {}, {});
  ASSERT_TRUE(sample.ok());
  EXPECT_FALSE(sample->complete);
  EXPECT_EQ(sample->findings.size(), 1U);
}

// Blocks of two clusters that wait for each other by a flag in global memory.
TEST(ClusterLaunch, ClustersGiveWayToEachOther) {
  const auto program = program_of("2", R"(
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %clusterid.x;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra MEET;
	setp.eq.u32 %p2, %r1, 1;
	@%p2 bra TELL;
SPIN:
	ld.acquire.gpu.global.u32 %r3, [%d1];
	setp.lt.u32 %p3, %r3, 2;
	@%p3 bra SPIN;
	bra MEET;
TELL:
	atom.add.release.gpu.global.u32 %r4, [%d1], 1;
MEET:
	barrier.cluster.arrive;
	barrier.cluster.wait;)");
  Prepared run = prepare({4, 1, 1});
  const auto result = emulate(*program, run.launch, run.memory, {}, {}, {}, {});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->complete);
  EXPECT_EQ(result->blocks, 4U);
  EXPECT_TRUE(result->findings.empty());
  Prepared traced = prepare({4, 1, 1});
  const auto trace = trace_block(*program, traced.launch, traced.memory, 1, 1 << 16, {});
  ASSERT_TRUE(trace.ok());
  EXPECT_TRUE(trace->complete);
  EXPECT_TRUE(trace->findings.empty());
}

}  // namespace
}  // namespace tilescope
