#include <gtest/gtest.h>

#include "scene/sentences.h"

namespace tilescope {
namespace {

TilingFacts gemm_facts() {
  TilingFacts facts;
  facts.problem = Problem::kGemm;
  facts.block = {3, 2, 0};
  facts.grid = {16, 16, 1};
  facts.tile_rows = facts.tile_cols = facts.full_tile_rows = facts.full_tile_cols = 128;
  facts.elements_per_thread = 64;
  facts.step = 11;
  facts.steps = 66;
  facts.k_tiles = 64;
  facts.inputs = {{"A", 128, 16, 16}, {"B", 16, 128, 16}};
  facts.through_shared = true;
  return facts;
}

TEST(TilingSentence, TiledGemm) {
  EXPECT_EQ(plain(tiling_sentence(gemm_facts())),
            "Block (3, 2) of 16 × 16 computes a 128 × 128 tile of C from 64 tiles of the inputs. "
            "Step 12 of 66 brings 128 × 16 of A and 16 × 128 of B to shared memory.");
}
TEST(TilingSentence, TiledGemmWhenNothingNewIsRead) {
  TilingFacts facts = gemm_facts();
  facts.inputs = {{"A", 0, 0, 16}, {"B", 0, 0, 16}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 2) of 16 × 16 computes a 128 × 128 tile of C from 64 tiles of the inputs. "
            "Step 12 of 66 reads nothing new: it works on what has come.");
}
TEST(TilingSentence, NaiveGemm) {
  TilingFacts facts = gemm_facts();
  facts.through_shared = false;
  facts.elements_per_thread = 1;
  facts.tile_rows = facts.full_tile_rows = 8;
  facts.tile_cols = facts.full_tile_cols = 32;
  facts.steps = 1024;
  facts.inputs = {{"A", 8, 1, 2048}, {"B", 1, 32, 2048}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 2) of 16 × 16 computes 8 × 32 elements of C, one a thread. "
            "Step 12 of 1,024 reads 8 × 1 of A and 1 × 32 of B from global memory and shares none: "
            "every element of A is read 2,048 times.");
}
TEST(TilingSentence, EdgeBlock) {
  TilingFacts facts = gemm_facts();
  facts.tile_rows = 17;
  EXPECT_NE(plain(tiling_sentence(facts))
                .find("computes a 17 × 128 tile of C from 64 tiles of the inputs. "
                      "The edge of C cuts its 128 × 128 tile."),
            std::string::npos)
      << plain(tiling_sentence(facts));
}
TEST(TilingSentence, TransposeThroughSharedMemory) {
  TilingFacts facts = gemm_facts();
  facts.problem = Problem::kTranspose;
  facts.output = "out";
  facts.tile_rows = facts.tile_cols = facts.full_tile_rows = facts.full_tile_cols = 32;
  facts.inputs = {{"in", 32, 32, 1}};
  EXPECT_EQ(
      plain(tiling_sentence(facts)),
      "Block (3, 2) of 16 × 16 moves a tile of in to its mirrored place in out, 32 × 32 there. "
      "Shared memory turns it over: reads and writes both run along rows.");
}
TEST(TilingSentence, TransposeThreadByThread) {
  TilingFacts facts = gemm_facts();
  facts.problem = Problem::kTranspose;
  facts.output = "out";
  facts.through_shared = false;
  facts.tile_rows = facts.full_tile_rows = 32;
  facts.tile_cols = facts.full_tile_cols = 8;
  EXPECT_NE(plain(tiling_sentence(facts))
                .find("What its warps read along a row, they write down a column."),
            std::string::npos);
}
TEST(TilingSentence, UnknownKernel) {
  TilingFacts facts;
  facts.block = {3, 0, 0};
  facts.grid = {12, 1, 1};
  facts.output = "y";
  facts.inputs = {{"x", 1, 4096, 1}};
  facts.elements_read = 4096;
  facts.elements_written = 1024;
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block 3 of 12 reads 4,096 elements of x and stores 1,024 of y.");
}
TEST(TilingSentence, UnknownKernelWithALoop) {
  TilingFacts facts;
  facts.block = {1, 1, 1};
  facts.grid = {4, 4, 2};
  facts.steps = 10;
  facts.step = 2;
  facts.elements_read = 320;
  facts.inputs = {{"x", 1, 32, 1}};
  EXPECT_EQ(
      plain(tiling_sentence(facts)),
      "Block (1, 1, 1) of 4 × 4 × 2 reads 320 elements of x. Step 3 of 10 reads 1 × 32 of x.");
}
TEST(TilingSentence, KernelThatTouchesNothing) {
  TilingFacts facts;
  facts.grid = {2, 1, 1};
  facts.block = {0, 0, 0};
  EXPECT_EQ(plain(tiling_sentence(facts)), "Block 0 of 2 touches no buffer.");
}

}  // namespace
}  // namespace tilescope
