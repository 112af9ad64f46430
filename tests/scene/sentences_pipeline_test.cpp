#include <gtest/gtest.h>

#include "scene/pipeline/pipeline_words.h"

namespace tilescope {
namespace {

PipelineFacts pipeline_facts(std::uint32_t buffers, Stall stall, double share) {
  PipelineFacts facts;
  facts.buffers = buffers;
  facts.tiles = 64;
  facts.multiplies = true;
  facts.in_flight = 1.96;
  facts.copy_cycles = 1502;
  facts.use_cycles = 690;
  facts.stalled[static_cast<std::size_t>(stall)] = share;
  facts.held_by = "FP32 units hold the kernel: busy 61 % of the time";
  return facts;
}

TEST(PipelineSentence, RingThatHidesItsCopies) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.01);
  facts.is_async = true;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 products beside "
            "it take 1,380 cycles and hide it. Hardly any warp waits. FP32 units hold the kernel: "
            "busy 61 % of the time.");
}
TEST(PipelineSentence, RingThatIsTooShort) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.22);
  facts.is_async = true;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 products beside "
            "it take 1,380 cycles and cannot hide it. The warps wait for global memory 22 % of "
            "their time (long scoreboard). FP32 units hold the kernel: busy 61 % of the time.");
}
TEST(PipelineSentence, ProductsThatWaitForTheirOperands) {
  PipelineFacts facts = pipeline_facts(2, Stall::kLongScoreboard, 0.45);
  facts.is_async = true;
  facts.in_flight = 1;
  facts.use_cycles = 1800;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "2 stages keep one copy in flight. A copy takes 1,502 cycles; the products beside it "
            "take 1,800 cycles, their waiting for it included. The warps wait for global memory "
            "45 % of their time (long scoreboard). FP32 units hold the kernel: busy 61 % of the "
            "time.");
}
TEST(PipelineSentence, TwoBuffers) {
  PipelineFacts facts = pipeline_facts(2, Stall::kBarrier, 0.3);
  facts.in_flight = 1;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "2 buffers keep one copy in flight. A copy takes 1,502 cycles; the products beside it "
            "take 690 cycles and hide it. The warps wait for each other 30 % of their time "
            "(barrier). FP32 units hold the kernel: busy 61 % of the time.");
}
TEST(PipelineSentence, OneBuffer) {
  EXPECT_EQ(plain(pipeline_sentence(pipeline_facts(1, Stall::kShortScoreboard, 0.25))),
            "One buffer of shared memory: tile after tile, 1,502 cycles to bring it, then 690 "
            "cycles to multiply it. The warps wait for shared memory 25 % of their time (short "
            "scoreboard). FP32 units hold the kernel: busy 61 % of the time.");
}
TEST(PipelineSentence, NamesWhatTheKernelUsesAndNothingElse) {
  PipelineFacts facts = pipeline_facts(1, Stall::kShortScoreboard, 0.25);
  const auto says = [&](std::string_view words) {
    return plain(pipeline_sentence(facts)).find(words) != std::string::npos;
  };
  facts.short_latency = {.special_functions = true};
  EXPECT_TRUE(says("The warps wait for special functions 25 %")) << plain(pipeline_sentence(facts));
  facts.short_latency = {.shared_memory = true, .special_functions = true, .shuffles = true};
  EXPECT_TRUE(says("wait for shared memory, special functions or shuffles 25 %"));
  facts.stalled = {};
  facts.stalled[static_cast<std::size_t>(Stall::kMioThrottle)] = 0.25;
  EXPECT_TRUE(says("find the queue to shared memory or shuffles full 25 %"));
}
TEST(PipelineSentence, OneTile) {
  PipelineFacts facts = pipeline_facts(1, Stall::kLongScoreboard, 0.4);
  facts.tiles = 1;
  facts.multiplies = false;
  facts.held_by = "DRAM holds the kernel: 3,850 GB/s of the datasheet's 4,800 GB/s";
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "One tile passes through shared memory: 1,502 cycles to bring it, 690 cycles to use "
            "it. The warps wait for global memory 40 % of their time (long scoreboard). DRAM holds "
            "the kernel: 3,850 GB/s of the datasheet's 4,800 GB/s.");
}
TEST(PipelineSentence, NoTile) {
  PipelineFacts facts = pipeline_facts(0, Stall::kLgThrottle, 0.7);
  facts.tiles = 0;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "No tile is kept in shared memory: each warp works on the values that it loaded "
            "itself. The warps find the queue to global memory full 70 % of their time (LG "
            "throttle). FP32 units hold the kernel: busy 61 % of the time.");
  facts = pipeline_facts(0, Stall::kLongScoreboard, 0.7);
  facts.tiles = 0;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "No tile is kept in shared memory: each warp waits for the values that it loaded "
            "itself. The warps wait for global memory 70 % of their time (long scoreboard). FP32 "
            "units hold the kernel: busy 61 % of the time.");
}
TEST(PipelineSentence, EachStallHasItsWords) {
  const auto said = [](Stall stall) {
    PipelineFacts facts = pipeline_facts(1, stall, 0.5);
    facts.held_by.clear();  // not known yet: then nothing is said of it
    const std::string text = plain(pipeline_sentence(facts));
    return text.substr(text.find("The warps"));
  };
  EXPECT_EQ(said(Stall::kMioThrottle),
            "The warps find the queue to shared memory full 50 % of their time (MIO throttle).");
  EXPECT_EQ(said(Stall::kMathPipeThrottle),
            "The warps find their arithmetic unit taken 50 % of their time (math pipe throttle).");
  EXPECT_EQ(said(Stall::kBranchResolving),
            "The warps wait for branches 50 % of their time (branch resolving).");
  EXPECT_EQ(said(Stall::kWait),
            "The warps wait for results of their own arithmetic 50 % of their time (wait).");
}
TEST(PipelineSentence, HardlyAnyWaiting) {
  PipelineFacts facts = pipeline_facts(1, Stall::kWait, 0.02);
  EXPECT_EQ(
      plain(pipeline_sentence(facts)),
      "One buffer of shared memory: tile after tile, 1,502 cycles to bring it, then 690 "
      "cycles to multiply it. Hardly any warp waits. FP32 units hold the kernel: busy 61 % of "
      "the time.");
}

}  // namespace
}  // namespace tilescope
