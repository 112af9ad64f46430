#include "emulator/block/block_state.h"

#include <gtest/gtest.h>

#include <bit>

#include "kernel_run.h"

namespace tilescope {
namespace {

const RegisterValue* find_register(const std::vector<RegisterValue>& registers,
                                   const std::string& name) {
  for (const RegisterValue& value : registers) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

// "ld.global.f32 %f1, [%rd1];" -> "%f1"
std::string destination_of(std::string_view text) {
  const std::size_t begin = text.find('%', text.find(' '));
  return std::string(text.substr(begin, text.find(',', begin) - begin));
}

TEST(StateAt, HoldsWhatTheTracedLoadsRead) {
  const PreparedKernel prepared = prepare_kernel("transpose/tiled", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  DeviceMemory memory = prepared.memory;
  const std::vector<float> in = prepared.floats("in");
  const auto trace = trace_block(*prepared.program, prepared.launch, memory, 2, 1u << 20, {});
  ASSERT_TRUE(trace.ok());
  int loads = 0;
  for (std::size_t e = 0; e < trace->events.size(); ++e) {
    const TraceEvent& event = trace->events[e];
    const StaticInstruction& instruction = prepared.program->instructions()[event.instruction];
    if (instruction.access != AccessKind::kLoad || instruction.space != MemorySpace::kGlobal)
      continue;
    if (++loads > 4) break;
    const auto state = state_at(*prepared.program, prepared.launch, prepared.memory, 2, e + 1, {});
    ASSERT_TRUE(state.ok()) << to_string(state.error());
    EXPECT_EQ(state->events, e + 1);
    const RegisterValue* value =
        find_register(state->registers[event.warp], destination_of(instruction.text));
    ASSERT_NE(value, nullptr) << instruction.text;
    const WarpAccess access = trace->access(event.access);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const auto place = prepared.memory.locate(access.address[lane], 4);
      ASSERT_TRUE(place.has_value());
      EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(value->lanes[lane])),
                in[place->offset / 4]);
    }
  }
  EXPECT_GT(loads, 0);
}

TEST(StateAt, ShowsSharedMemoryAsItFills) {
  const PreparedKernel prepared = prepare_kernel("transpose/tiled", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  const auto before = state_at(*prepared.program, prepared.launch, prepared.memory, 0, 1, {});
  const auto after = state_at(*prepared.program, prepared.launch, prepared.memory, 0, 1u << 20, {});
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(before->shared.size(), 32u * 33u * 4u);
  EXPECT_EQ(before->shared[0], std::byte{0xcd});
  const std::vector<float> in = prepared.floats("in");
  float first;
  std::memcpy(&first, after->shared.data() + 4, sizeof first);
  EXPECT_EQ(first, in[1]);
  EXPECT_LT(after->events, 1u << 20);
}

TEST(StateAt, LeavesTheCallersMemoryAlone) {
  const PreparedKernel prepared = prepare_kernel("transpose/naive", {}, "64x64");
  ASSERT_NE(prepared.program, nullptr);
  const std::vector<float> before = prepared.floats("out");
  ASSERT_TRUE(state_at(*prepared.program, prepared.launch, prepared.memory, 0, 1u << 20, {}).ok());
  EXPECT_EQ(prepared.floats("out"), before);
}

}  // namespace
}  // namespace tilescope
