#include "analysis/time/pipeline.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "analysis/time/littles_law.h"
#include "analysis/time/machine_rates.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

const DeviceModel& h200() {
  static const DeviceModel device = testing::device(90);
  return device;
}

std::shared_ptr<const KernelStudy> study_of(const std::string& id, const ParameterSet& parameters,
                                            const ParameterSet& extents) {
  const CatalogueEntry& entry = testing::entry(id);
  const auto complete = complete_parameters(entry, parameters);
  if (!complete) return nullptr;
  const auto instance = instantiate(entry, *complete, extents, h200());
  if (!instance) return nullptr;
  StudyRequest request;
  request.instance = *instance;
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, h200(), {});
  return study ? *study : nullptr;
}

std::shared_ptr<const Pipeline> pipeline(const std::string& id, const ParameterSet& parameters,
                                         const ParameterSet& extents,
                                         std::optional<LatencyModel> model = {}) {
  const auto study = study_of(id, parameters, extents);
  if (study == nullptr) return nullptr;
  const auto made = pipeline_of(*study, model, {});
  return made ? *made : nullptr;
}

const ParameterSet kGemm = {{"M", 512}, {"N", 512}, {"K", 256}};

// A warp issues in order and never before its operands are there.
void expect_sound(const Pipeline& made) {
  const WarpTiming& timing = made.timing;
  EXPECT_GT(timing.cycles, 0u);
  for (const std::vector<std::uint32_t>& warp : timing.warps) {
    std::uint32_t before = 0;
    for (const std::uint32_t event : warp) {
      const EventTime& time = timing.events[event];
      if (time.issue == kNever) break;
      EXPECT_GE(time.issue, before);
      if (made.program->instructions()[made.trace->events[event].instruction].counts) {
        EXPECT_LE(time.waits_from, time.ready);
        EXPECT_LE(time.ready, time.issue);
      }
      before = time.issue;
    }
  }
  for (const double busy : timing.busy) {
    EXPECT_GE(busy, 0);
    EXPECT_LE(busy, 1);
  }
  for (const TileCopy& tile : made.copies.tiles) {
    EXPECT_LE(tile.issue, tile.arrived);
    if (tile.first_read != kNever) {
      EXPECT_LE(tile.first_read, tile.last_use);
    }
  }
}

TEST(Pipeline, RingHasAStageForEachTileInTurn) {
  for (const std::int64_t stages : {2, 3, 4, 5}) {
    const auto made =
        pipeline("gemm/register_tile", {{"STAGES", stages}, {"TILE_M", 64}, {"TILE_N", 64}}, kGemm);
    ASSERT_NE(made, nullptr);
    expect_sound(*made);
    EXPECT_EQ(made->copies.rows.size(), static_cast<std::size_t>(stages));
    ASSERT_EQ(made->copies.tiles.size(), 16u);  // K / TILE_K
    for (std::size_t i = 0; i < made->copies.tiles.size(); ++i) {
      EXPECT_TRUE(made->copies.tiles[i].is_async);
      EXPECT_EQ(made->copies.tiles[i].row, i % static_cast<std::size_t>(stages));
      EXPECT_GT(made->copies.tiles[i].first_read, made->copies.tiles[i].arrived);
    }
  }
}

// With cp.async.wait_all nothing is committed: the wait itself ends the group.
TEST(Pipeline, OneAsyncBufferIsReadOnceItsCopiesHaveArrived) {
  for (const std::int64_t size : {std::int64_t{256}, std::int64_t{250}}) {
    const auto made =
        pipeline("gemm/register_tile", {{"STAGES", 1}, {"TILE_M", 64}, {"TILE_N", 64}},
                 {{"M", size}, {"N", size}, {"K", size}});
    ASSERT_NE(made, nullptr);
    expect_sound(*made);
    EXPECT_EQ(made->copies.rows.size(), 1u);
    ASSERT_EQ(made->copies.tiles.size(), 16u) << size;  // K / TILE_K, rounded up
    std::uint32_t used = 0;
    for (const TileCopy& tile : made->copies.tiles) {
      EXPECT_TRUE(tile.is_async);
      EXPECT_GE(tile.issue, used);  // the buffer is free again
      EXPECT_GT(tile.first_read, tile.arrived);
      used = tile.first_read;
    }
    const auto& stalled = made->timing.stalled;
    EXPECT_GT(stalled[static_cast<std::size_t>(Stall::kLongScoreboard)], 0u);
  }
}

TEST(Pipeline, ZerosAtTheEdgeAreNoStagesOfTheirOwn) {
  const auto made =
      pipeline("gemm/register_tile", {{"STAGES", 3}}, {{"M", 203}, {"N", 77}, {"K", 131}});
  ASSERT_NE(made, nullptr);
  expect_sound(*made);
  EXPECT_EQ(made->copies.rows.size(), 3u);
  for (const TileCopy& tile : made->copies.tiles) EXPECT_TRUE(tile.is_async);
}

TEST(Pipeline, ValuesPassedThroughSharedMemoryAgainAreNoNewCopies) {
  const auto made = pipeline("copy/barriers", {}, {{"ROWS", 256}, {"COLS", 256}});
  ASSERT_NE(made, nullptr);
  expect_sound(*made);
  ASSERT_EQ(made->copies.tiles.size(), 1u);
  EXPECT_FALSE(made->copies.tiles.front().is_async);
}

TEST(Pipeline, MoreStagesKeepMoreCopiesInFlight) {
  LatencyModel slow = usual_latencies(h200());
  slow.value[static_cast<std::size_t>(Latency::kL2)] = 2000;
  slow.value[static_cast<std::size_t>(Latency::kDram)] = 4000;
  double before = 0;
  for (const std::int64_t stages : {3, 4, 5}) {
    const auto made = pipeline("gemm/register_tile",
                               {{"STAGES", stages}, {"TILE_M", 64}, {"TILE_N", 64}}, kGemm, slow);
    ASSERT_NE(made, nullptr);
    EXPECT_GT(made->copies.in_flight(), before);
    before = made->copies.in_flight();
  }
  EXPECT_GT(before, 1.5);
}

TEST(Pipeline, PrefetchHoldsTheNextTileInRegisters) {
  const auto made = pipeline("gemm/prefetch", {}, kGemm);
  ASSERT_NE(made, nullptr);
  expect_sound(*made);
  EXPECT_EQ(made->copies.rows.size(), 2u);
  ASSERT_GT(made->copies.tiles.size(), 4u);
  const TileCopy& tile = made->copies.tiles[3];
  EXPECT_FALSE(tile.is_async);
  EXPECT_LE(tile.landed, tile.stored);  // brought while the one before is used
  EXPECT_LT(tile.issue, made->copies.tiles[2].last_use);
}

TEST(Pipeline, OneBufferBringsATileAfterTheOneBeforeIsUsed) {
  const auto made = pipeline("gemm/shared_tile", {}, kGemm);
  ASSERT_NE(made, nullptr);
  expect_sound(*made);
  EXPECT_EQ(made->copies.rows.size(), 1u);
  ASSERT_EQ(made->copies.tiles.size(), 8u);
  for (std::size_t i = 1; i < made->copies.tiles.size(); ++i) {
    EXPECT_GE(made->copies.tiles[i].stored, made->copies.tiles[i - 1].first_read);
  }
}

TEST(Pipeline, LoadsOfTheirOwnMakeWarpsWaitForMemory) {
  const auto made = pipeline("copy/plain", {}, {{"ROWS", 1024}, {"COLS", 1024}});
  ASSERT_NE(made, nullptr);
  expect_sound(*made);
  EXPECT_TRUE(made->copies.tiles.empty());
  EXPECT_DOUBLE_EQ(made->dram_share, 1);
  EXPECT_GT(made->timing.stalled[static_cast<std::size_t>(Stall::kLongScoreboard)],
            made->timing.issued);
  EXPECT_EQ(made->timing.bound(), Resource::kDram);
  // Nobody copies faster than DRAM brings the bytes.
  EXPECT_GE(made->kernel_seconds, 8.0 * 1024 * 1024 / h200().memory_bytes_per_second);
}

// Blocks of the first wave all begin with the same arithmetic in the same cycles: later ones, which
// are most of a launch, do not stand in one another's way.
TEST(Pipeline, ACopyInTheMidstOfALaunchWaitsForMemory) {
  for (const char* kernel : {"copy/wide", "transpose/tiled"}) {
    const auto made = pipeline(kernel, {}, {{"ROWS", 4096}, {"COLS", 4096}});
    ASSERT_NE(made, nullptr);
    expect_sound(*made);
    const auto& stalled = made->timing.stalled;
    const auto all = made->timing.issued + std::accumulate(stalled.begin(), stalled.end(), 0ull);
    EXPECT_GT(stalled[static_cast<std::size_t>(Stall::kLongScoreboard)], all * 6 / 10) << kernel;
    EXPECT_LT(stalled[static_cast<std::size_t>(Stall::kMathPipeThrottle)], all / 4) << kernel;
  }
}

// A warp that meets a busy unit once and is often not selected: each cycle counts as what it was.
TEST(Pipeline, EachCycleOfAWaitHasItsOwnReason) {
  const auto made = pipeline("gemm/register_tile", {}, kGemm);
  ASSERT_NE(made, nullptr);
  const WarpTiming& timing = made->timing;
  std::uint64_t waited = 0;
  for (const EventTime& time : timing.events) {
    if (time.issue != kNever) waited += time.issue - std::min(time.waits_from, time.issue);
  }
  const auto& stalled = timing.stalled;
  EXPECT_EQ(std::accumulate(stalled.begin(), stalled.end(), std::uint64_t{0}), waited);
  EXPECT_GT(stalled[static_cast<std::size_t>(Stall::kNotSelected)],
            stalled[static_cast<std::size_t>(Stall::kMathPipeThrottle)]);
  EXPECT_GT(stalled[static_cast<std::size_t>(Stall::kWait)], 0u);
}

TEST(Pipeline, ASlowerUnitMakesASlowerKernel) {
  const LatencyModel usual = usual_latencies(h200());
  const auto before = pipeline("gemm/naive", {}, kGemm, usual);
  ASSERT_NE(before, nullptr);
  for (const Latency latency : {Latency::kArithmetic, Latency::kL1, Latency::kL2}) {
    LatencyModel slow = usual;
    slow.value[static_cast<std::size_t>(latency)] *= 8;
    const auto after = pipeline("gemm/naive", {}, kGemm, slow);
    ASSERT_NE(after, nullptr);
    EXPECT_GT(after->timing.cycles, before->timing.cycles)
        << latency_descriptions()[static_cast<std::size_t>(latency)].name;
  }
}

TEST(Pipeline, SaysTheSameEachTime) {
  const auto first = pipeline("transpose/tiled", {}, {{"ROWS", 256}, {"COLS", 256}});
  const auto again = pipeline("transpose/tiled", {}, {{"ROWS", 256}, {"COLS", 256}});
  ASSERT_NE(first, nullptr);
  ASSERT_NE(again, nullptr);
  ASSERT_EQ(first->timing.events.size(), again->timing.events.size());
  for (std::size_t i = 0; i < first->timing.events.size(); ++i) {
    ASSERT_EQ(first->timing.events[i].issue, again->timing.events[i].issue) << i;
  }
  EXPECT_EQ(first->kernel_seconds, again->kernel_seconds);
}

TEST(Pipeline, ConflictsTakeTheDataStage) {
  const ParameterSet square = {{"ROWS", 512}, {"COLS", 512}};
  const auto conflicted = pipeline("transpose/tiled", {{"PAD", 0}}, square);
  const auto padded = pipeline("transpose/tiled", {{"PAD", 1}}, square);
  ASSERT_NE(conflicted, nullptr);
  ASSERT_NE(padded, nullptr);
  const auto data = static_cast<std::size_t>(Resource::kData);
  EXPECT_GT(conflicted->timing.busy[data], 2 * padded->timing.busy[data]);
}

TEST(Pipeline, TimeMapsToTheStudysTraceAndBack) {
  const auto study = study_of("gemm/shared_tile", {}, kGemm);
  ASSERT_NE(study, nullptr);
  const auto made = pipeline_of(*study, std::nullopt, {});
  ASSERT_TRUE(made);
  std::uint32_t before = 0;
  for (std::uint32_t event = 0; event < study->trace->events.size(); event += 997) {
    const std::uint32_t warp = study->trace->events[event].warp;
    const std::uint32_t cycle = (*made)->cycle_of(0, event);
    EXPECT_GE(cycle, before);
    before = cycle;
    const std::uint32_t back = (*made)->event_at(warp, (*made)->cycle_of(warp, event));
    EXPECT_EQ(study->trace->events[back].warp, warp);
    EXPECT_NEAR(static_cast<double>(back), event, 4000);
  }
}

TEST(Pipeline, AlternativesFollowTheRules) {
  const CatalogueEntry& entry = testing::entry("gemm/register_tile");
  const auto study = study_of(entry.id, {{"TILE_M", 64}, {"TILE_N", 64}}, kGemm);
  ASSERT_NE(study, nullptr);
  const auto all = pipeline_alternatives(entry, *study, nullptr, {});
  ASSERT_TRUE(all) << to_string(all.error());
  ASSERT_EQ(all->size(), 5u);
  for (std::size_t i = 0; i < all->size(); ++i) {
    EXPECT_EQ((*all)[i].stages, static_cast<std::int64_t>(i) + 1);
    EXPECT_GT((*all)[i].pipeline->kernel_seconds, 0);
  }
  const auto none = pipeline_alternatives(testing::entry("gemm/naive"), *study, nullptr, {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(Pipeline, StartingTheLaunchIsPartOfItsTime) {
  const auto made = pipeline("copy/plain", {}, {{"ROWS", 64}, {"COLS", 64}});
  ASSERT_NE(made, nullptr);
  const double running = made->kernel_seconds - rates_of(h200()).launch_seconds;
  EXPECT_NEAR(running * h200().boost_clock_hz, made->timing.cycles_of(1), 1);
}

// What a physical latency is, both models of time and Little's law read from one table.
TEST(LatencyModel, IsTheOneSourceOfEveryModel) {
  const MachineRates rates = rates_of(h200());
  const LatencyModel model = usual_latencies(h200());
  EXPECT_EQ(rates.arithmetic_latency, model[Latency::kArithmetic]);
  EXPECT_EQ(rates.special_latency, model[Latency::kSpecial]);
  EXPECT_EQ(rates.tensor_latency, model[Latency::kTensor]);
  EXPECT_EQ(rates.shared_latency, model[Latency::kShared]);
  EXPECT_EQ(rates.l1_latency, model[Latency::kL1]);
  EXPECT_EQ(rates.l2_latency, model[Latency::kL2]);
  EXPECT_EQ(rates.dram_latency, model[Latency::kDram]);
  EXPECT_EQ(rates.barrier_latency, model[Latency::kBarrier]);
  EXPECT_DOUBLE_EQ(rates.l2_sectors * 32 / rates.multiprocessors, model[Latency::kL2Rate]);
  EXPECT_EQ(memory_latency(h200()).cycles, model[Latency::kDram]);
}

TEST(LatencyModel, EachConstantIsDescribed) {
  const auto all = latency_descriptions();
  ASSERT_EQ(all.size(), kLatencyCount);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all[i].latency), i);
    EXPECT_FALSE(all[i].name.empty());
    EXPECT_FALSE(all[i].source.empty());
    EXPECT_LE(all[i].least, all[i].usual);
    EXPECT_LE(all[i].usual, all[i].most);
  }
}

}  // namespace
}  // namespace tilescope
