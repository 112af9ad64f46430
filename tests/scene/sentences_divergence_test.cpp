#include <gtest/gtest.h>

#include "scene/divergence/divergence_words.h"

namespace tilescope {
namespace {

// A warp that took `instructions`, of whose slots `working` did something and the rest waited.
DivergenceFacts divergence(std::uint64_t instructions, std::uint64_t working) {
  DivergenceFacts facts;
  facts.warp = 3;
  facts.slots.instructions = instructions;
  facts.slots.working = working;
  facts.slots.waiting = 32 * instructions - working;
  facts.threads = 256;
  facts.warps = 8;
  return facts;
}
DivergenceFacts parted(std::uint64_t times, int groups, int paths) {
  DivergenceFacts facts = divergence(800, 3200);
  facts.branch.times = times;
  facts.worst.groups = groups;
  facts.worst.paths = paths;
  facts.line = 45;
  facts.diverging = 8;
  return facts;
}
constexpr const char* kBill =
    "800 warp instructions do the work of 100: 87.5 % of the lane slots are lost.";

TEST(DivergenceSentence, NothingIsLost) {
  EXPECT_EQ(plain(divergence_sentence(divergence(4482, 32 * 4482))),
            "Warp 3 executes 4,482 instructions, each with all 32 lanes. No divergence: no lane "
            "slot is lost.");
}
TEST(DivergenceSentence, OnlyOtherWarpsPart) {
  DivergenceFacts facts = divergence(4482, 32 * 4482);
  facts.diverging = 2;
  facts.block_lost = 0.125;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "Warp 3 does not diverge in its 4,482 instructions. 2 of the block's 8 warps diverge: "
            "12.5 % of the block's lane slots are lost.");
}
TEST(DivergenceSentence, ASwitch) {
  EXPECT_EQ(
      plain(divergence_sentence(parted(1, 8, 8))),
      std::string("At line 45 the lanes of warp 3 take 8 paths, one after another. ") + kBill);
}
TEST(DivergenceSentence, ASwitchInALoop) {
  EXPECT_EQ(
      plain(divergence_sentence(parted(64, 2, 2))),
      std::string("At line 45 the lanes of warp 3 take 2 paths, one after another, 64 times. ") +
          kBill);
}
TEST(DivergenceSentence, AnIfWithoutElse) {
  EXPECT_EQ(
      plain(divergence_sentence(parted(1, 2, 1))),
      std::string("At line 45 some lanes of warp 3 take a different path while the others wait. ") +
          kBill);
}
TEST(DivergenceSentence, ABranchWithoutALine) {
  DivergenceFacts facts = parted(1, 2, 2);
  facts.line = 0;
  EXPECT_EQ(
      plain(divergence_sentence(facts)),
      std::string("At a branch the lanes of warp 3 take 2 paths, one after another. ") + kBill);
}
TEST(DivergenceSentence, ALoopOfDifferentLengths) {
  DivergenceFacts facts = parted(1, 32, 1);
  facts.worst.is_loop = true;
  facts.worst.fewest_turns = 4;
  facts.worst.most_turns = 1280;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("The loop at line 45 runs 4 to 1,280 iterations in the lanes of warp 3; "
                        "the warp continues until the last lane is done. ") +
                kBill);
}
TEST(DivergenceSentence, ALoopWhoseTurnsAreNotKnown) {
  DivergenceFacts facts = parted(16, 32, 1);
  facts.worst.is_loop = true;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("The lanes of warp 3 leave the loop at line 45 at different times, 16 "
                        "times; the warp continues until the last lane is done. ") +
                kBill);
}
TEST(DivergenceSentence, HalfAWarp) {
  DivergenceFacts facts = divergence(100, 1600);
  facts.slots.waiting = 0;
  facts.slots.absent = 1600;
  facts.lanes = 16;
  facts.threads = 112;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "The block has 112 threads, so warp 3 has 16 of 32 lanes. 100 warp instructions do the "
            "work of 50: 50.0 % of the lane slots are lost.");
}
TEST(DivergenceSentence, ABlockOfOneThread) {
  DivergenceFacts facts = divergence(100, 3100);
  facts.slots.waiting = 0;
  facts.slots.absent = 3100;
  facts.lanes = 1;
  facts.threads = 1;
  const std::string words = plain(divergence_sentence(facts));
  EXPECT_TRUE(words.starts_with("The block has 1 thread, so warp 3 has 1 of 32 lanes. ")) << words;
}
TEST(DivergenceSentence, LanesPastTheEdge) {
  DivergenceFacts facts = divergence(100, 1600);
  facts.slots.waiting = 0;
  facts.slots.done = 1600;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "Some lanes of warp 3 have finished while the others continue. 100 warp instructions "
            "do the work of 50: 50.0 % of the lane slots are lost.");
}
TEST(DivergenceSentence, PredicatesOnly) {
  DivergenceFacts facts = divergence(100, 3199);
  facts.slots.waiting = 0;
  facts.slots.predicated = 1;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "Warp 3 does not diverge, but predicates disable some lanes. < 0.1 % of its lane slots "
            "are lost.");
}
TEST(DivergenceSentence, PartingMattersLessThanAnEdge) {
  DivergenceFacts facts = parted(1, 2, 2);
  facts.slots.done = facts.slots.waiting - 32;
  facts.slots.waiting = 32;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("Some lanes of warp 3 have finished while the others continue. ") + kBill);
}
TEST(DivergenceSentence, NothingTraced) {
  EXPECT_EQ(plain(divergence_sentence(divergence(0, 0))),
            "The trace has no instruction of warp 3.");
}

}  // namespace
}  // namespace tilescope
