#include "kernel/launch/phase_stamps.h"

#include <gtest/gtest.h>

#include "kernel/compile/compile.h"
#include "kernel_run.h"

namespace tilescope {
namespace {

std::vector<std::uint32_t> log_of(const std::vector<PhaseStamp>& stamps) {
  std::vector<std::uint32_t> log(kStampLogWords);
  std::vector<std::uint32_t> made(32);
  for (const PhaseStamp& stamp : stamps) {
    std::uint32_t* const at =
        log.data() + (stamp.warp * kStampsPerWarp + made[stamp.warp]++) * kStampWords;
    at[0] = stamp.line;
    at[1] = stamp.begin_cycle;
    at[2] = stamp.end_cycle;
  }
  return log;
}

TEST(PhaseStamps, CountFromTheBlocksFirstAcrossAWrappedClock) {
  const auto stamps = read_phase_stamps(
      log_of({{0, 7, 0xfffffff0, 0xfffffff8}, {0, 9, 0x10, 0x18}, {2, 7, 0xffffffe8, 0xfffffff4}}));
  ASSERT_EQ(stamps.size(), 3u);
  EXPECT_EQ(stamps[0].begin_cycle, 8u);
  EXPECT_EQ(stamps[1].begin_cycle, 40u);
  EXPECT_EQ(stamps[1].end_cycle, 48u);
  EXPECT_EQ(stamps[2].warp, 2u);
  EXPECT_EQ(stamps[2].begin_cycle, 0u);
  EXPECT_TRUE(read_phase_stamps(std::vector<std::uint32_t>(kStampLogWords)).empty());
}

TEST(PhaseStamps, AKernelWithoutMarksOrOfPtxHasNone) {
  KernelInstance instance;
  instance.file_name = "a.cu";
  instance.source = "__global__ void f() {}";
  EXPECT_FALSE(with_phase_stamps(instance, {}));
  instance.source = "// TILESCOPE_PHASE";
  instance.file_name = "a.ptx";
  EXPECT_FALSE(with_phase_stamps(instance, {}));
}

// The stamped build is another kernel, and must still be right.
TEST(PhaseStamps, LeaveTheResultAloneAndComeFromTheChosenBlock) {
  PreparedKernel plain = prepare_kernel("gemm/register_tile", {}, "256x256x64");
  ASSERT_NE(plain.program, nullptr);
  const auto stamped = with_phase_stamps(plain.instance, {1, 0, 0});
  ASSERT_TRUE(stamped);
  const auto compiled = compile({*stamped, 90, true}, {});
  ASSERT_TRUE(compiled) << to_string(compiled.error());
  const auto program = decode_ptx(compiled->ptx, compiled->kernel, stamped->source);
  ASSERT_TRUE(program) << to_string(program.error());
  const std::vector<float> expected = expected_result(plain, plain.floats("C"));
  const auto run = emulate(**program, plain.launch, plain.memory, {}, {}, {}, {});
  ASSERT_TRUE(run) << to_string(run.error());
  EXPECT_TRUE(run->complete && run->findings.empty());
  EXPECT_EQ(plain.floats("C"), expected);

  const auto stores = [&](std::uint64_t block) {
    EmulationOptions options;
    options.blocks = {block};
    const auto one = emulate(**program, plain.launch, plain.memory, options, {}, {}, {});
    std::uint64_t sum = 0;
    for (std::size_t i = 0; one && i < (*program)->instructions().size(); ++i) {
      const StaticInstruction& instruction = (*program)->instructions()[i];
      if (instruction.text.starts_with("st.global")) sum += one->counts.lanes[i];
    }
    return sum;
  };
  EXPECT_GT(stores(1), stores(0));
}

}  // namespace
}  // namespace tilescope
