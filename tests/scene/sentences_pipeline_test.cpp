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
  facts.limited_by = "Limited by FP32 units: busy 61 % of the time";
  return facts;
}

TEST(PipelineSentence, RingThatHidesItsCopies) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.01);
  facts.is_async = true;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 multiplications "
            "meanwhile take 1,380 cycles and hide it. Warps hardly wait. Limited by FP32 units: "
            "busy 61 % of the time.");
}
TEST(PipelineSentence, ProducerWarpsFillARingForConsumers) {
  PipelineFacts facts = pipeline_facts(3, Stall::kMbarrier, 0.31);
  facts.is_async = true;
  facts.copies = "Tensor copies (TMA)";
  facts.stage_bytes = 16384;
  facts.bytes_in_flight = 32000;
  facts.producers = {4};
  facts.consumers = {0, 1, 2, 3};
  facts.producers_wait = 0.02;
  facts.consumers_wait = 0.31;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "Warp 4 only loads tiles (producer), warps 0 to 3 only multiply them (consumers). 3 "
            "stages of 16.0 KiB keep 2.0 copies (31.2 KiB) in flight. A copy takes 1,502 cycles; "
            "the 2 multiplications meanwhile take 1,380 cycles and cannot hide it. Consumers wait "
            "31 % of their time for full stages, the producer 2 % for empty ones. 31 % of the time "
            "warps wait at mbarriers (mbarrier wait). Limited by FP32 units: busy 61 % of the "
            "time.");
}
TEST(PipelineSentence, HelpersPrepareTilesForConsumers) {
  PipelineFacts facts = pipeline_facts(3, Stall::kMbarrier, 0.31);
  facts.copies = "Tensor copies (TMA)";
  facts.producers = {8};
  facts.helpers = {9, 10, 11};
  facts.consumers = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::string words = plain(pipeline_sentence(facts));
  EXPECT_TRUE(
      words.starts_with("Warp 8 only loads tiles (producer), warps 9 to 11 prepare them in "
                        "shared memory (helpers), warps 0 to 7 only multiply them "
                        "(consumers). "))
      << words;
}
TEST(PipelineSentence, RingThatIsTooShort) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.22);
  facts.is_async = true;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 multiplications "
            "meanwhile take 1,380 cycles and cannot hide it. 22 % of the time warps wait for "
            "global memory (long scoreboard). Limited by FP32 units: busy 61 % of the time.");
}
TEST(PipelineSentence, ProductsThatWaitForTheirOperands) {
  PipelineFacts facts = pipeline_facts(2, Stall::kLongScoreboard, 0.45);
  facts.is_async = true;
  facts.in_flight = 1;
  facts.use_cycles = 1800;
  EXPECT_EQ(
      plain(pipeline_sentence(facts)),
      "2 stages keep one copy in flight. A copy takes 1,502 cycles; the multiplication meanwhile "
      "takes 1,800 cycles; their wait for it is included. 45 % of the time warps wait for global "
      "memory (long scoreboard). Limited by FP32 units: busy 61 % of the time.");
}
TEST(PipelineSentence, TwoBuffers) {
  PipelineFacts facts = pipeline_facts(2, Stall::kBarrier, 0.3);
  facts.in_flight = 1;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "2 buffers keep one copy in flight. A copy takes 1,502 cycles; the multiplication "
            "meanwhile takes 690 cycles and hides it. 30 % of the time warps wait for each other "
            "(barrier). Limited by FP32 units: busy 61 % of the time.");
}
TEST(PipelineSentence, OneBuffer) {
  EXPECT_EQ(plain(pipeline_sentence(pipeline_facts(1, Stall::kShortScoreboard, 0.25))),
            "One buffer of shared memory: loading a tile takes 1,502 cycles, then multiplying it "
            "690 cycles. 25 % of the time warps wait for shared memory (short scoreboard). Limited "
            "by FP32 units: busy 61 % of the time.");
}
TEST(PipelineSentence, NamesWhatTheKernelUsesAndNothingElse) {
  PipelineFacts facts = pipeline_facts(1, Stall::kShortScoreboard, 0.25);
  const auto says = [&](std::string_view words) {
    return plain(pipeline_sentence(facts)).find(words) != std::string::npos;
  };
  facts.short_latency = {.special_functions = true};
  EXPECT_TRUE(says("25 % of the time warps wait for special functions"))
      << plain(pipeline_sentence(facts));
  facts.short_latency = {.shared_memory = true, .special_functions = true, .shuffles = true};
  EXPECT_TRUE(says("25 % of the time warps wait for shared memory, special functions or shuffles"));
  facts.stalled = {};
  facts.stalled[static_cast<std::size_t>(Stall::kMioThrottle)] = 0.25;
  EXPECT_TRUE(
      says("25 % of the time warps wait because the queue to shared memory or shuffles is full"));
}
TEST(PipelineSentence, OneTile) {
  PipelineFacts facts = pipeline_facts(1, Stall::kLongScoreboard, 0.4);
  facts.tiles = 1;
  facts.multiplies = false;
  facts.limited_by = "Limited by DRAM bandwidth: 3,850 GB/s of 4,800 GB/s (datasheet)";
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "One tile goes through shared memory: loading takes 1,502 cycles, using it 690 cycles. "
            "40 % of the time warps wait for global memory (long scoreboard). Limited by DRAM "
            "bandwidth: 3,850 GB/s of 4,800 GB/s (datasheet).");
}
TEST(PipelineSentence, NoTile) {
  PipelineFacts facts = pipeline_facts(0, Stall::kLgThrottle, 0.7);
  facts.tiles = 0;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "No tile in shared memory: each warp works on the values that it loaded itself. 70 % "
            "of the time warps wait because the queue to global memory is full (LG throttle). "
            "Limited by FP32 units: busy 61 % of the time.");
  facts = pipeline_facts(0, Stall::kLongScoreboard, 0.7);
  facts.tiles = 0;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "No tile in shared memory: each warp waits for the values that it loaded itself. 70 % "
            "of the time warps wait for global memory (long scoreboard). Limited by FP32 units: "
            "busy 61 % of the time.");
}
TEST(PipelineSentence, EachStallHasItsWords) {
  const auto said = [](Stall stall) {
    PipelineFacts facts = pipeline_facts(1, stall, 0.5);
    facts.limited_by.clear();  // not known yet: then nothing is said of it
    const std::string text = plain(pipeline_sentence(facts));
    return text.substr(text.find("50 %"));
  };
  EXPECT_EQ(
      said(Stall::kMioThrottle),
      "50 % of the time warps wait because the queue to shared memory is full (MIO throttle).");
  EXPECT_EQ(
      said(Stall::kMathPipeThrottle),
      "50 % of the time warps wait because the arithmetic unit is busy (math pipe throttle).");
  EXPECT_EQ(said(Stall::kBranchResolving),
            "50 % of the time warps wait for branches (branch resolving).");
  EXPECT_EQ(said(Stall::kWait),
            "50 % of the time warps wait for results of their own arithmetic (wait).");
}
TEST(PipelineSentence, HardlyAnyWaiting) {
  PipelineFacts facts = pipeline_facts(1, Stall::kWait, 0.02);
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "One buffer of shared memory: loading a tile takes 1,502 cycles, then multiplying it "
            "690 cycles. Warps hardly wait. Limited by FP32 units: busy 61 % of the time.");
}

}  // namespace
}  // namespace tilescope
