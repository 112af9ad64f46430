#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/block/block_trace.h"
#include "emulator/emulate.h"

// How often a warp executes the test of an mbarrier that is not complete yet: try_wait sleeps, so
// it is executed once (docs/accuracy.md); test_wait answers at once, and is asked again.
namespace tilescope {
namespace {

std::shared_ptr<const Program> program_of(const std::string& body) {
  const std::string ptx = fmt::format(
      ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.shared .align 8 .b64 bar;\n"
      "mov.u32 %r1, bar;\nmov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n"
      "@%p1 mbarrier.init.shared.b64 [%r1], 1;\nbar.sync 0;\n{}\nret;\n}}\n",
      body);
  auto program = decode_ptx(ptx, "k", "");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return *program;
}

// The first warp waits, the second one arrives several turns later.
std::string late_arrival(const std::string& test) {
  return fmt::format(R"(
	setp.lt.u32 %p2, %r2, 32;
	@%p2 bra WAIT;
	mov.u32 %r3, 0;
LOOP:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 100000;
	@%p3 bra LOOP;
	setp.eq.u32 %p4, %r2, 32;
	@%p4 mbarrier.arrive.shared.b64 %d1, [%r1];
	bra DONE;
WAIT:
	{}
	@!%p5 bra WAIT;
DONE:)",
                     test);
}

std::uint32_t test_of(const Program& program) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    if (program.instructions()[i].text.find("_wait") != std::string_view::npos) found = i;
  }
  return found;
}

Emulation run(const Program& program, std::uint32_t threads) {
  Launch launch;
  launch.block = {threads, 1, 1};
  DeviceMemory memory;
  auto result = emulate(program, launch, memory, {}, {}, {}, {});
  EXPECT_TRUE(result.ok());
  if (!result.ok()) return {};
  EXPECT_TRUE(result->complete);
  for (const Finding& finding : result->findings) ADD_FAILURE() << finding.message;
  return *std::move(result);
}

struct Executed {
  std::uint64_t warps = 0;
  std::uint64_t threads = 0;
  std::uint64_t lanes = 0;
  bool operator==(const Executed&) const = default;
};

Executed tests_executed(const Program& program) {
  const Emulation emulation = run(program, 64);
  const std::uint32_t test = test_of(program);
  if (test >= emulation.counts.warps.size()) return {};
  return {emulation.counts.warps[test], emulation.counts.threads[test],
          emulation.counts.lanes[test]};
}

TEST(MbarrierWait, TryWaitSleepsUntilThePhaseIsOver) {
  const auto program =
      program_of(late_arrival("mbarrier.try_wait.parity.shared.b64 %p5, [%r1], 0;"));
  EXPECT_EQ(tests_executed(*program), (Executed{1, 32, 32}));
}

TEST(MbarrierWait, SoItDoesUnderAGuard) {
  const auto program =
      program_of(late_arrival("@%p2 mbarrier.try_wait.parity.shared.b64 %p5, [%r1], 0;"));
  EXPECT_EQ(tests_executed(*program), (Executed{1, 32, 32}));
}

TEST(MbarrierWait, TestWaitIsAskedAgain) {
  const auto program =
      program_of(late_arrival("mbarrier.test_wait.parity.shared.b64 %p5, [%r1], 0;"));
  EXPECT_GT(tests_executed(*program).warps, 1U);
}

TEST(MbarrierWait, ATraceHoldsTheSleepersTestOnce) {
  const auto program =
      program_of(late_arrival("mbarrier.try_wait.parity.shared.b64 %p5, [%r1], 0;"));
  Launch launch;
  launch.block = {64, 1, 1};
  DeviceMemory memory;
  const auto trace = trace_block(*program, launch, memory, 0, 1 << 20, {});
  ASSERT_TRUE(trace.ok());
  const std::uint32_t test = test_of(*program);
  std::size_t events = 0;
  for (const auto& event : trace->events) events += event.instruction == test ? 1 : 0;
  EXPECT_EQ(events, 1U);
}

// The lane that arrives belongs to the warp whose other lanes sleep.
TEST(MbarrierWait, SleepersLetALaneOfTheirOwnWarpArrive) {
  const auto program = program_of(R"(
	setp.lt.u32 %p2, %r2, 31;
	@%p2 bra WAIT;
	mbarrier.arrive.shared.b64 %d1, [%r1];
	bra DONE;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r1], 0;
	@!%p5 bra WAIT;
DONE:)");
  run(*program, 32);
}

}  // namespace
}  // namespace tilescope
