#include <gtest/gtest.h>

#include "analysis/time/tile_copies.h"

namespace tilescope {
namespace {

using Bytes = std::vector<std::uint32_t>;

TEST(TileEpochs, ACopysTileEndsWithItsGroupAndAStoresWithTheBarrier) {
  TileEpochs epochs(2);
  EXPECT_EQ(epochs.tile_of(0, 0, true), 0U);
  EXPECT_EQ(epochs.tile_of(1, 0, true), 0U) << "of all warps";
  epochs.pass(0, TimingEffect::kBarrier);
  EXPECT_EQ(epochs.tile_of(0, 0, true), 0U) << "a barrier ends no group";
  epochs.pass(0, TimingEffect::kCommitGroup);
  EXPECT_EQ(epochs.tile_of(0, 0, true), 1U);
  EXPECT_EQ(epochs.tile_of(1, 0, true), 0U) << "that warp's group goes on";
  epochs.pass(1, TimingEffect::kWaitAll);
  EXPECT_EQ(epochs.tile_of(1, 0, true), 1U) << "it ends a group too";
  EXPECT_EQ(epochs.tile_of(1, 0, false), 2U) << "stores are a tile of their own";
  epochs.pass(1, TimingEffect::kCommitGroup);
  epochs.pass(1, TimingEffect::kWaitGroup);
  EXPECT_EQ(epochs.tile_of(1, 0, false), 2U);
  epochs.pass(1, TimingEffect::kBarrier);
  EXPECT_EQ(epochs.tile_of(1, 0, false), 3U);
  EXPECT_EQ(epochs.tile_of(0, 0, false), 3U) << "both have passed one barrier";
}

TEST(TileEpochs, WhatIsWrittenLastLiesThere) {
  TileEpochs epochs(1);
  const std::uint32_t first = epochs.tile_of(0, 0, true);
  epochs.pass(0, TimingEffect::kCommitGroup);
  const std::uint32_t second = epochs.tile_of(0, 0, true);
  EXPECT_EQ(epochs.writer(64), TileEpochs::kNobody);
  epochs.write(64, first);
  EXPECT_EQ(epochs.writer(66), first) << "of its four bytes";
  EXPECT_EQ(epochs.writer(68), TileEpochs::kNobody);
  epochs.write(64, second);
  EXPECT_EQ(epochs.writer(64), second);
  epochs.write(64, TileEpochs::kNobody);
  EXPECT_EQ(epochs.writer(64), TileEpochs::kNobody);
}

TEST(TileEpochs, PartsAreWhereTilesBeginAndMoreThanSixteenAreNone) {
  const auto parts_of = [](std::uint32_t tiles, std::uint32_t places) {
    TileEpochs epochs(1);
    for (std::uint32_t i = 0; i < tiles; ++i) {
      const std::uint32_t tile = epochs.tile_of(0, 0, true);
      const std::uint32_t begin = 128 * (places - 1 - i % places);
      for (std::uint32_t byte = begin + 124; byte > begin; byte -= 4) epochs.write(byte, tile);
      epochs.write(begin, tile);
      epochs.pass(0, TimingEffect::kCommitGroup);
    }
    const Bytes parts = epochs.parts();
    if (!parts.empty()) {
      EXPECT_EQ(epochs.part_of(0, parts), parts.size() - 1) << "the first is last";
    }
    return parts;
  };
  EXPECT_EQ(parts_of(7, 3), (Bytes{0, 128, 256}));
  EXPECT_EQ(parts_of(40, 16).size(), 16U);
  EXPECT_EQ(parts_of(40, 17), Bytes{});
  EXPECT_EQ(TileEpochs(1).parts(), Bytes{});
}

}  // namespace
}  // namespace tilescope
