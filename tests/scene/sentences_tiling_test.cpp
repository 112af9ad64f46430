#include <gtest/gtest.h>

#include "scene/catalogue_study.h"
#include "scene/tiling/tiling_words.h"
#include "scene/views.h"

namespace tilescope {
namespace {

TilingFacts gemm_facts() {
  TilingFacts facts;
  facts.movement = Movement::kProduct;
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
            "Block (3, 2) of 16 × 16 blocks computes a 128 × 128 tile of C from 64 tiles of the "
            "inputs. Step 12 of 66 loads 128 × 16 of A and 16 × 128 of B into shared memory.");
}
TEST(TilingSentence, BoxesThatTensorCopiesMove) {
  TilingFacts facts;
  facts.block = {3, 1, 0};
  facts.grid = {4, 2, 1};
  facts.output = "out";
  facts.elements_read = facts.elements_written = 1024;
  facts.reads = {{"in", 1024}};
  facts.inputs = {{"in", 32, 32, 1}};
  facts.boxes = TilingFacts::Boxes{"Tensor copies (TMA)", {0, 0, 32, 32}, {0, 0, 16, 32}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 1) of 4 × 2 blocks reads 1,024 elements of in and stores 1,024 of out. "
            "Tensor copies (TMA) load boxes of 32 × 32 into shared memory and store boxes of 16 × "
            "32 from it.");
  facts.boxes->stored = {};
  facts.boxes->from_cluster = {"in"};
  facts.boxes->cluster_size = 2;
  EXPECT_TRUE(plain(tiling_sentence(facts))
                  .ends_with("Another block of the cluster loads some boxes of in."));
  facts.boxes->multicast = true;
  EXPECT_TRUE(plain(tiling_sentence(facts))
                  .ends_with("Boxes of in go to both blocks of the cluster (multicast)."));
  facts.boxes->cluster_size = 4;
  EXPECT_TRUE(plain(tiling_sentence(facts))
                  .ends_with("Boxes of in go to several blocks of the cluster (multicast)."));
}
TEST(TilingSentence, TiledGemmOfWhichOneInputGoesPastSharedMemory) {
  TilingFacts facts = gemm_facts();
  facts.inputs.back().bypasses_shared = true;
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 2) of 16 × 16 blocks computes a 128 × 128 tile of C from 64 tiles of the "
            "inputs. Step 12 of 66 loads 128 × 16 of A into shared memory and loads 16 × 128 of B "
            "directly into registers.");
  facts.inputs = {{"A", 0, 0, 16}, {"C", 128, 128, 1, true}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 2) of 16 × 16 blocks computes a 128 × 128 tile of C from 64 tiles of the "
            "inputs. Step 12 of 66 loads 128 × 128 of C directly into registers.");
}
// Where the steps are those of the tiles, these are named as the stages name them.
TEST(TilingSentence, TiledGemmByItsTiles) {
  TilingFacts facts = gemm_facts();
  facts.by_tile = true;
  facts.multiplies = 9;
  facts.brings = {11, 11};
  const std::string block =
      "Block (3, 2) of 16 × 16 blocks computes a 128 × 128 tile of C from input tiles 0 to 63. ";
  const auto words = [&] { return plain(tiling_sentence(facts)); };
  EXPECT_EQ(
      words(),
      block +
          "While tile 9 is multiplied, tile 11 (128 × 16 of A, 16 × 128 of B) is being loaded.");
  facts.multiplies.reset();
  facts.brings = {0, 0};
  EXPECT_EQ(
      words(),
      block + "No tile is multiplied yet: tile 0 (128 × 16 of A, 16 × 128 of B) is being loaded.");
  facts.brings = {0, 2};
  EXPECT_EQ(words(), block +
                         "No tile is multiplied yet: tiles 0 to 2 (128 × 16 of A, 16 × 128 of B) "
                         "are being loaded.");
  facts.multiplies = 9;
  facts.brings = {9, 9};
  EXPECT_EQ(
      words(),
      block + "Tile 9 (128 × 16 of A, 16 × 128 of B) is loaded into shared memory and multiplied.");
  facts.multiplies = 0;
  facts.brings = {0, 1};
  EXPECT_EQ(words(), block +
                         "Tiles 0 and 1 (128 × 16 of A, 16 × 128 of B) are loaded into shared "
                         "memory; tile 0 is multiplied.");
  facts.multiplies = 9;
  facts.brings = {9, 9};
  facts.inputs.back().bypasses_shared = true;
  EXPECT_EQ(words(), block +
                         "Tile 9 (128 × 16 of A) is loaded into shared memory and multiplied; 16 × "
                         "128 of B is loaded directly into registers.");
  facts.brings.reset();
  facts.inputs = {{"A", 0, 0, 16}, {"B", 0, 0, 16}};
  EXPECT_EQ(words(), block + "Tile 9 is multiplied; no new data is read.");
}
// Which way each input goes is found in the trace.
TEST(TilingSentence, OfAKernelSaysWhatComesToSharedMemory) {
  const auto step_of = [](const std::string& id) {
    std::string why;
    const auto study = catalogue_study(id, {}, {{"M", 128}, {"N", 256}, {"K", 64}}, &why);
    if (study == nullptr) return why;
    ViewContext context = catalogue_context(*study);
    context.selection.event = static_cast<std::uint32_t>(study->trace->events.size() / 3);
    const std::string words = plain(sentence_of(View::kTiling, context));
    const std::size_t tile = words.find("Tile ");
    const std::size_t what = words.find_first_not_of("0123456789", tile + 5);
    return tile == std::string::npos ? words : words.substr(what);
  };
  EXPECT_EQ(step_of("gemm/rank_one"),
            " (16 × 16 of A) is loaded into shared memory and multiplied; 16 × 64 of B is loaded "
            "directly into registers.");
  EXPECT_EQ(step_of("gemm/shared_tile"),
            " (32 × 32 of A, 32 × 32 of B) is loaded into shared memory and multiplied.");
}
// Half of each tile of B comes from the other block, and the other half goes to both.
TEST(TilingSentence, SaysWhichBoxesGoToBothBlocks) {
  std::string why;
  const auto study = catalogue_study("gemm/multicast", {{"TILE_N", 64}},
                                     {{"M", 256}, {"N", 64}, {"K", 128}}, &why);
  ASSERT_NE(study, nullptr) << why;
  const std::string words = plain(sentence_of(View::kTiling, catalogue_context(*study)));
  EXPECT_TRUE(words.ends_with("Boxes of B go to both blocks of the cluster (multicast).")) << words;
}
TEST(TilingSentence, TiledGemmWhenNothingNewIsRead) {
  TilingFacts facts = gemm_facts();
  facts.inputs = {{"A", 0, 0, 16}, {"B", 0, 0, 16}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (3, 2) of 16 × 16 blocks computes a 128 × 128 tile of C from 64 tiles of the "
            "inputs. Step 12 of 66 reads no new data: it uses what is already loaded.");
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
            "Block (3, 2) of 16 × 16 blocks computes 8 × 32 elements of C, one per thread. Step 12 "
            "of 1,024 reads 8 × 1 of A and 1 × 32 of B from global memory without sharing: every "
            "element of A is read 2,048 times.");
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
TilingFacts transpose_facts(LaneWalk reads, LaneWalk writes) {
  TilingFacts facts = gemm_facts();
  facts.movement = Movement::kTranspose;
  facts.output = "out";
  facts.tile_rows = facts.tile_cols = facts.full_tile_rows = facts.full_tile_cols = 32;
  facts.inputs = {{"in", 32, 32, 1}};
  facts.threads = 256;
  facts.through_shared = false;
  facts.reads_along = reads;
  facts.writes_along = writes;
  return facts;
}
void expect_transpose(const TilingFacts& facts, const std::string& walk) {
  EXPECT_EQ(
      plain(tiling_sentence(facts)),
      "Block (3, 2) of 16 × 16 blocks copies a 32 × 32 tile of in to its transposed place in out." +
          walk);
}

TEST(TilingSentence, TransposeThroughSharedMemory) {
  TilingFacts facts = transpose_facts(LaneWalk::kRow, LaneWalk::kRow);
  facts.through_shared = true;
  expect_transpose(
      facts,
      " Shared memory transposes it: global reads and writes both run along rows (coalesced).");
}
TEST(TilingSentence, TransposeThatWritesDownAColumn) {
  expect_transpose(
      transpose_facts(LaneWalk::kRow, LaneWalk::kColumn),
      " Each warp reads along a row (coalesced) but writes down a column (not coalesced).");
}
TEST(TilingSentence, TransposeThatReadsDownAColumn) {
  expect_transpose(
      transpose_facts(LaneWalk::kColumn, LaneWalk::kRow),
      " Each warp reads down a column (not coalesced) but writes along a row (coalesced).");
}
TEST(TilingSentence, TransposeWithGapsBetweenItsLanes) {
  expect_transpose(transpose_facts(LaneWalk::kRow, LaneWalk::kStrided),
                   " Each warp reads along a row (coalesced) but writes along a row with gaps "
                   "between lanes (not coalesced).");
  expect_transpose(transpose_facts(LaneWalk::kColumn, LaneWalk::kStrided),
                   " Each warp reads down a column (not coalesced) and writes along a row with "
                   "gaps between lanes (not coalesced).");
}
TEST(TilingSentence, TransposeThatGoesOneWayOnBothSides) {
  expect_transpose(transpose_facts(LaneWalk::kRow, LaneWalk::kRow),
                   " Reads and writes both run along rows (coalesced).");
  expect_transpose(transpose_facts(LaneWalk::kColumn, LaneWalk::kColumn),
                   " Reads and writes both run down columns (not coalesced).");
}
TEST(TilingSentence, TransposeByOneThread) {
  TilingFacts facts = transpose_facts(LaneWalk::kNone, LaneWalk::kNone);
  facts.threads = 1;
  expect_transpose(facts, " Its one thread copies one element after another.");
}
TEST(TilingSentence, ATraceThatEndsEarlySaysSo) {
  TilingFacts facts = transpose_facts(LaneWalk::kNone, LaneWalk::kNone);
  facts.threads = 1;
  facts.traced_instructions = 4194304;
  expect_transpose(facts,
                   " Its one thread copies one element after another. This describes its first "
                   "4,194,304 instructions; the trace ends there.");
}
TEST(TilingSentence, TransposeWhoseLanesGoNoClearWay) {
  expect_transpose(transpose_facts(LaneWalk::kNone, LaneWalk::kRow), "");
}

std::string sentence_of_kernel(const char* kernel, const ParameterSet& parameters,
                               const ParameterSet& extents, std::string* why) {
  const auto study = catalogue_study(kernel, parameters, extents, why);
  return study == nullptr ? std::string() : plain(tiling_sentence(catalogue_context(*study)));
}

TEST(TilingSentence, TransposesOfTheCatalogueSayWhatTheirLanesDo) {
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  std::string why;
  const std::string naive = sentence_of_kernel("transpose/naive", {}, square, &why);
  if (naive.empty()) GTEST_SKIP() << why;
  EXPECT_NE(naive.find("reads along a row (coalesced) but writes down a column"), std::string::npos)
      << naive;
  const std::string down = sentence_of_kernel("transpose/naive", {{"LANES_DOWN", 1}}, square, &why);
  EXPECT_NE(down.find("reads down a column (not coalesced) but writes along a row"),
            std::string::npos)
      << down;
  EXPECT_EQ(down.find("The edge"), std::string::npos) << down;
  const std::string per_row = sentence_of_kernel("transpose/per_row", {}, square, &why);
  EXPECT_NE(per_row.find("reads down a column (not coalesced) but writes along a row"),
            std::string::npos)
      << per_row;
  const std::string tiled = sentence_of_kernel("transpose/tiled", {}, square, &why);
  EXPECT_NE(tiled.find("both run along rows"), std::string::npos) << tiled;
  const std::string strided = sentence_of_kernel("transpose/one_sided", {}, square, &why);
  EXPECT_NE(strided.find("writes along a row with gaps between lanes (not coalesced)"),
            std::string::npos)
      << strided;
  const std::string swizzled = sentence_of_kernel("transpose/swizzled", {}, square, &why);
  EXPECT_NE(swizzled.find("both run along rows"), std::string::npos) << swizzled;
  const std::string serial =
      sentence_of_kernel("transpose/serial", {}, {{"ROWS", 32}, {"COLS", 32}}, &why);
  EXPECT_NE(serial.find("one element after another"), std::string::npos) << serial;
}
TEST(TilingSentence, TheEdgeCutsTheTileOfATransposeWhoseLanesGoDown) {
  std::string why;
  const std::string edge = sentence_of_kernel("transpose/naive", {{"LANES_DOWN", 1}},
                                              {{"ROWS", 112}, {"COLS", 24}}, &why);
  if (edge.empty()) GTEST_SKIP() << why;
  EXPECT_NE(edge.find("The edge of out cuts its 8 × 32 tile."), std::string::npos) << edge;
}

TEST(TilingSentence, UnknownKernel) {
  TilingFacts facts;
  facts.block = {3, 0, 0};
  facts.grid = {12, 1, 1};
  facts.output = "y";
  facts.inputs = {{"x", 1, 4096, 1}};
  facts.elements_read = 4096;
  facts.reads = {{"x", 4096}};
  facts.elements_written = 1024;
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block 3 of 12 reads 4,096 elements of x and stores 1,024 of y.");
  facts.updates = true;  // by atomics, or in place
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block 3 of 12 reads 4,096 elements of x and updates 1,024 of y.");
  facts.stopped_after = 15;
  EXPECT_TRUE(plain(tiling_sentence(facts))
                  .ends_with(" of y. It does not finish: it stops after 15 instructions."));
  facts.stopped_after = 0;
  facts.reads.emplace_back("w", 16);
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block 3 of 12 reads 4,096 elements of x and 16 of w, and updates 1,024 of y.");
}
TEST(TilingSentence, UnknownKernelWithALoop) {
  TilingFacts facts;
  facts.block = {1, 1, 1};
  facts.grid = {4, 4, 2};
  facts.steps = 10;
  facts.step = 2;
  facts.elements_read = 320;
  facts.reads = {{"x", 320}};
  facts.inputs = {{"x", 1, 32, 1}};
  EXPECT_EQ(plain(tiling_sentence(facts)),
            "Block (1, 1, 1) of 4 × 4 × 2 blocks reads 320 elements of x. Step 3 of 10 reads 1 × "
            "32 of x.");
  facts.inputs.front().folded = true;
  EXPECT_TRUE(plain(tiling_sentence(facts)).ends_with("Step 3 of 10 reads a part of x."));
}
TEST(TilingSentence, KernelThatTouchesNothing) {
  TilingFacts facts;
  facts.grid = {2, 1, 1};
  facts.block = {0, 0, 0};
  EXPECT_EQ(plain(tiling_sentence(facts)), "Block 0 of 2 accesses no buffer.");
}

}  // namespace
}  // namespace tilescope
