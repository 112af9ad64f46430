#include <gtest/gtest.h>

#include <string>

#include "scene/catalogue_study.h"
#include "scene/model/prepared.h"
#include "scene/model/tiling_model.h"

namespace tilescope {
namespace {

// Tiles of a product over K = 128, by the kernel.
StepTiles tiles_of(const std::string& id, const ParameterSet& parameters, std::uint32_t* steps) {
  std::string why;
  const auto study = catalogue_study(id, parameters, {{"M", 128}, {"N", 256}, {"K", 128}}, &why);
  EXPECT_NE(study, nullptr) << id << ": " << why;
  if (study == nullptr) return {};
  const auto prepared = prepare(*study);
  *steps = prepared->tiling->steps;
  EXPECT_EQ(prepared->tiling->by_tile.count,
            prepared->tiling->by_tile.count == 0 ? 0 : prepared->tiling->ring.fills.size());
  return prepared->tiling->by_tile;
}

TEST(StepTiles, ALoopThatFillsItsRingFirstHasThatManyMoreSteps) {
  std::uint32_t steps = 0;
  for (const int stages : {2, 3, 4}) {
    const StepTiles tiles =
        tiles_of("gemm/register_tile", {{"STAGES", stages}, {"TILE_K", 16}}, &steps);
    const auto filling = static_cast<std::uint32_t>(stages - 1);
    EXPECT_EQ(tiles.count, 8u);
    EXPECT_EQ(tiles.filling, filling);
    EXPECT_EQ(steps, 8 + filling);
    EXPECT_EQ(tiles.multiplied_in(filling - 1), std::nullopt);
    EXPECT_EQ(tiles.multiplied_in(filling), 0u);
    EXPECT_EQ(tiles.multiplied_in(steps - 1), 7u);
    ASSERT_TRUE(tiles.brought_in(0).has_value());
    EXPECT_EQ(tiles.brought_in(0)->last, 0u);
    EXPECT_FALSE(tiles.brought_in(steps - 1).has_value()) << "all have come";
    EXPECT_EQ(step_in_words(tiles, filling, steps), "tile 0 of 0…7");
    EXPECT_EQ(step_in_words(tiles, 0, steps), "filling, 1 of " + std::to_string(filling));
  }
}

TEST(StepTiles, ATileThatIsMultipliedWhereItIsBrought) {
  std::uint32_t steps = 0;
  const StepTiles tiles = tiles_of("gemm/shared_tile", {}, &steps);
  ASSERT_GT(tiles.count, 1u);
  EXPECT_EQ(tiles.filling, 0u);
  for (std::uint32_t step = 0; step < steps; ++step) {
    EXPECT_EQ(tiles.multiplied_in(step), step);
    ASSERT_TRUE(tiles.brought_in(step).has_value()) << step;
    EXPECT_EQ(tiles.brought_in(step)->first, step);
    EXPECT_EQ(tiles.brought_in(step)->last, step);
  }
}

// What comes before the loop belongs to its first step.
TEST(StepTiles, SeveralComeBeforeTheLoop) {
  std::uint32_t steps = 0;
  const StepTiles tiles = tiles_of("gemm/tensor_core", {}, &steps);
  ASSERT_EQ(tiles.count, steps);
  ASSERT_TRUE(tiles.brought_in(0).has_value());
  EXPECT_EQ(tiles.brought_in(0)->first, 0u);
  EXPECT_GT(tiles.brought_in(0)->last, 0u);
}

TEST(StepTiles, WithoutSharedMemoryStepsAreSteps) {
  std::uint32_t steps = 0;
  const StepTiles tiles = tiles_of("gemm/naive", {}, &steps);
  EXPECT_EQ(tiles.count, 0u);
  EXPECT_EQ(step_in_words(tiles, 4, 1024), "step 5 of 1,024");
}

}  // namespace
}  // namespace tilescope
