#include "emulator/emulate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "kernel_run.h"

namespace tilescope {
namespace {

TEST(Emulate, CountsTheSameHoweverManyWorkers) {
  std::map<unsigned, Emulation> runs;
  for (const unsigned workers : {1u, 3u}) {
    PreparedKernel prepared = prepare_kernel("gemm/shared_tile", {}, "70x70x33");
    ASSERT_NE(prepared.program, nullptr);
    EmulationOptions options;
    options.workers = workers;
    auto run = emulate(*prepared.program, prepared.launch, prepared.memory, options, {}, {}, {});
    ASSERT_TRUE(run.ok());
    runs[workers] = *run;
  }
  EXPECT_EQ(runs[1].counts.warps, runs[3].counts.warps);
  EXPECT_EQ(runs[1].counts.lanes, runs[3].counts.lanes);
  EXPECT_GT(runs[1].lane_instructions, 0u);
}

// Counts per basic block, spread over instructions, are the events of the traced blocks.
TEST(Emulate, CountsWhatTheTracesShow) {
  PreparedKernel prepared = prepare_kernel("gemm/naive", {}, "33x65x17");
  ASSERT_NE(prepared.program, nullptr);
  std::vector<std::uint64_t> warps(prepared.program->instructions().size());
  std::vector<std::uint64_t> lanes(warps.size());
  std::vector<std::uint64_t> threads(warps.size());
  for (std::uint64_t block = 0; block < prepared.launch.grid.count(); ++block) {
    const auto trace =
        trace_block(*prepared.program, prepared.launch, prepared.memory, block, 1u << 22, {});
    ASSERT_TRUE(trace.ok());
    for (const TraceEvent& event : trace->events) {
      ++warps[event.instruction];
      lanes[event.instruction] += static_cast<std::uint64_t>(std::popcount(event.active));
      threads[event.instruction] += static_cast<std::uint64_t>(std::popcount(event.present));
    }
  }
  const auto run = emulate(*prepared.program, prepared.launch, prepared.memory, {}, {}, {}, {});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->counts.warps, warps);
  EXPECT_EQ(run->counts.lanes, lanes);
  EXPECT_EQ(run->counts.threads, threads);
}

TEST(Emulate, RunsChosenBlocksOnly) {
  PreparedKernel prepared = prepare_kernel("transpose/naive", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  EmulationOptions options;
  options.blocks = {1, 3};
  const auto run =
      emulate(*prepared.program, prepared.launch, prepared.memory, options, {}, {}, {});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->blocks, 2u);
  EXPECT_EQ(run->of_blocks, prepared.launch.grid.count());
  options.blocks = {prepared.launch.grid.count()};
  EXPECT_FALSE(
      emulate(*prepared.program, prepared.launch, prepared.memory, options, {}, {}, {}).ok());
}

TEST(Emulate, StopsSoonWhenAsked) {
  PreparedKernel prepared = prepare_kernel("gemm/naive", {}, "512");
  ASSERT_NE(prepared.program, nullptr);
  std::stop_source stop;
  std::chrono::steady_clock::time_point asked;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    asked = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  const auto run =
      emulate(*prepared.program, prepared.launch, prepared.memory, {}, {}, {}, stop.get_token());
  stopper.join();
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - asked,
            std::chrono::milliseconds(250));  // 20 on an idle machine
}

TEST(Emulate, RefusesALaunchThatCannotBe) {
  PreparedKernel prepared = prepare_kernel("transpose/naive", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  Launch too_large = prepared.launch;
  too_large.block = {64, 32, 1};
  EXPECT_EQ(emulate(*prepared.program, too_large, prepared.memory, {}, {}, {}, {}).error().code,
            ErrorCode::kUsage);
  Launch too_few = prepared.launch;
  too_few.arguments.pop_back();
  EXPECT_EQ(emulate(*prepared.program, too_few, prepared.memory, {}, {}, {}, {}).error().code,
            ErrorCode::kUsage);
}

TEST(Emulate, SaysWhichElementIsOutOfBounds) {
  PreparedKernel prepared = prepare_kernel("transpose/naive", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  DeviceMemory shorter;
  auto in = std::make_shared<std::vector<std::byte>>(64 * 64 * 4);
  auto out = std::make_shared<std::vector<std::byte>>(64 * 64 * 4 - 4);
  shorter.add("in", ElementType::kF32, in);
  shorter.add("out", ElementType::kF32, out);
  Launch launch = prepared.launch;
  launch.arguments[0] = shorter.buffers()[0].address;
  launch.arguments[1] = shorter.buffers()[1].address;
  const auto run = emulate(*prepared.program, launch, shorter, {}, {}, {}, {});
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->findings.size(), 1u);
  EXPECT_EQ(run->findings[0].kind, FindingKind::kOutOfBounds);
  EXPECT_EQ(run->findings[0].message, "writes out[4095], 1 past its end: 4,095 f32");
  EXPECT_EQ(run->findings[0].thread, (Dim3{31, 7, 0}));
}

}  // namespace
}  // namespace tilescope
