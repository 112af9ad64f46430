#include "scene/sentences.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/paths.h"

namespace tilescope {
namespace {

using Address = std::function<std::uint64_t(std::uint64_t)>;
constexpr std::uint32_t kAll = 0xffffffff;

WarpAccess access(MemorySpace space, int bytes, const Address& address,
                  std::uint32_t active = kAll) {
  WarpAccess result;
  result.space = space;
  result.bytes_per_lane = static_cast<std::uint8_t>(bytes);
  result.active = active;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) result.address[lane] = address(lane);
  return result;
}

std::string coalescing(const Address& address, int bytes = 4, std::uint32_t active = kAll,
                       AccessKind kind = AccessKind::kLoad) {
  const WarpAccess global = access(MemorySpace::kGlobal, bytes, address, active);
  CoalescingFacts facts;
  facts.line = 15;
  facts.kind = kind;
  facts.bytes_per_lane = bytes;
  facts.shape = shape_of(global);
  facts.cost = sector_cost(global);
  return plain(coalescing_sentence(facts));
}

TEST(CoalescingSentence, Contiguous) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4096 + 4 * l; }),
      "Line 15 loads 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, ContiguousVectors) {
  EXPECT_EQ(
      coalescing([](auto l) { return 16 * l; }, 16),
      "Line 15 loads 32 float4s that lie side by side. 16 sectors move 512 B, all of them wanted.");
}
TEST(CoalescingSentence, Offset) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4 + 4 * l; }),
      "Line 15 loads 32 floats that lie side by side. The first starts 4 B past a sector's edge. "
      "5 sectors instead of 4.");
}
TEST(CoalescingSentence, FarStride) {
  EXPECT_EQ(
      coalescing([](auto l) { return 32768 * l; }, 4, kAll, AccessKind::kStore),
      "Line 15 stores 32 floats that lie 32,768 B apart. Each lane needs a sector of its own: "
      "32 sectors move 1,024 B for 128 B wanted.");
}
TEST(CoalescingSentence, NearStride) {
  EXPECT_EQ(coalescing([](auto l) { return 8 * l; }),
            "Line 15 loads 32 floats that lie 8 B apart. 8 sectors move 256 B for 128 B wanted: 4 "
            "would do.");
}
TEST(CoalescingSentence, DownwardsIsSideBySideToo) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4096 - 4 * (l + 1); }),
      "Line 15 loads 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, Broadcast) {
  EXPECT_EQ(coalescing([](auto) { return 64; }),
            "Line 15 loads one float for all 32 lanes. 1 sector serves them all; 4 of its 32 B are "
            "wanted.");
}
TEST(CoalescingSentence, BroadcastToSomeLanes) {
  EXPECT_EQ(coalescing([](auto) { return 64; }, 1, 0xff),
            "Line 15 loads one value of 1 B for 8 lanes at once. 1 sector serves them all; 1 of "
            "its 32 B is "
            "wanted.");
}
TEST(CoalescingSentence, SharedNeighbours) {
  EXPECT_EQ(coalescing([](auto l) { return l / 4 * 4; }),
            "Line 15 loads 8 floats side by side for 32 lanes: some lanes want the same. "
            "1 sector moves 32 B, all of them wanted.");
}
TEST(CoalescingSentence, RunsOfARowEach) {
  EXPECT_EQ(
      coalescing([](auto l) { return l / 8 * 4096 + l % 8 * 4; }),
      "Line 15 loads 4 runs of 8 floats, 4,096 B apart. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, Scattered) {
  EXPECT_EQ(
      coalescing([](auto l) { return (l * l * 37 % 101) * 64; }),
      "Line 15 loads 32 floats at scattered addresses. 32 sectors move 1,024 B for 128 B wanted: 4 "
      "would do.");
}
TEST(CoalescingSentence, SomeLanesOff) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0x000fffff),
            "Line 15 loads 20 floats that lie side by side. 12 of the warp's 32 lanes are off. "
            "3 sectors move 96 B for 80 B wanted: no fewer would hold them.");
}
TEST(CoalescingSentence, OneLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 1, AccessKind::kAtomic),
            "Line 15 updates one float for one lane; the other 31 are off. "
            "1 sector moves 32 B for 4 B wanted: no fewer would hold them.");
}
TEST(CoalescingSentence, NoLane) {
  EXPECT_EQ(coalescing([](auto l) { return 4 * l; }, 4, 0),
            "Line 15 loads nothing: every lane of this warp is off here.");
}
TEST(CoalescingSentence, AsynchronousCopy) {
  EXPECT_EQ(
      coalescing([](auto l) { return 4 * l; }, 4, kAll, AccessKind::kAsyncCopy),
      "Line 15 copies 32 floats that lie side by side. 4 sectors move 128 B, all of them wanted.");
}
TEST(CoalescingSentence, WithoutASourceLine) {
  CoalescingFacts facts;
  facts.shape = shape_of(access(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  facts.cost = sector_cost(access(MemorySpace::kGlobal, 4, [](auto l) { return 4 * l; }));
  EXPECT_EQ(plain(coalescing_sentence(facts)).substr(0, 28), "This instruction loads 32 fl");
}

struct Array {
  std::string name = "tile";
  int pitch_words = 0;
  bool column = false;
};
std::string banks(const Address& address, int bytes = 4, const Array& array = {},
                  AccessKind kind = AccessKind::kLoad, std::uint32_t active = kAll) {
  const WarpAccess shared = access(MemorySpace::kShared, bytes, address, active);
  BankFacts facts;
  facts.line = 26;
  facts.kind = kind;
  facts.bytes_per_lane = bytes;
  facts.shape = shape_of(shared);
  facts.cost = wavefront_cost(shared);
  facts.array = array.name;
  facts.pitch_words = array.pitch_words;
  facts.walks_column = array.column;
  std::array<int, kBankCount> words{};
  for (const Wavefront& wavefront : wavefronts_of(shared)) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) words[bank] += wavefront.lanes[bank] != 0;
  }
  for (std::size_t bank = 0; bank < kBankCount; ++bank) {
    facts.banks_used += words[bank] > 0;
    if (words[bank] > facts.busiest_lanes) {
      facts.busiest_lanes = words[bank];
      facts.busiest_bank = static_cast<int>(bank);
    }
  }
  return plain(banks_sentence(facts));
}

TEST(BanksSentence, ConflictFreeRow) {
  EXPECT_EQ(
      banks([](auto l) { return 4 * l; }),
      "Line 26 reads 32 words side by side of tile. No two lanes meet in a bank: one wavefront.");
}
TEST(BanksSentence, ColumnInOneBank) {
  EXPECT_EQ(banks([](auto l) { return 128 * l; }, 4, {"tile", 32, true}),
            "Line 26 reads a column of tile. Its rows are 32 words apart, so all 32 lanes meet in "
            "bank 0: "
            "32 wavefronts instead of 1.");
}
TEST(BanksSentence, PaddedColumn) {
  EXPECT_EQ(banks([](auto l) { return 132 * l; }, 4, {"tile", 33, true}),
            "Line 26 reads a column of tile. Rows 33 words apart put each lane into another bank: "
            "one wavefront.");
}
TEST(BanksSentence, ColumnInSomeBanks) {
  EXPECT_EQ(banks([](auto l) { return 144 * l; }, 4, {"tile", 36, true}),
            "Line 26 reads a column of tile. Its rows are 36 words apart, so the lanes share 8 of "
            "32 banks: "
            "4 wavefronts instead of 1.");
}
TEST(BanksSentence, StrideOfTwoWords) {
  EXPECT_EQ(banks([](auto l) { return 8 * l; }),
            "Line 26 reads 32 words that lie 2 words apart of tile. 2 lanes want bank 0, and 16 of "
            "32 banks "
            "take part: 2 wavefronts instead of 1.");
}
TEST(BanksSentence, Broadcast) {
  EXPECT_EQ(
      banks([](auto) { return 16; }),
      "Line 26 reads one word of tile for 32 lanes. A broadcast: 1 wavefront serves them all.");
}
TEST(BanksSentence, SharedWords) {
  EXPECT_EQ(
      banks([](auto l) { return l / 8 * 4; }),
      "Line 26 reads 4 words of tile for 32 lanes. Lanes that want the same word share it: one "
      "wavefront.");
}
TEST(BanksSentence, VectorsInPasses) {
  EXPECT_EQ(
      banks([](auto l) { return 16 * l; }, 16),
      "Line 26 reads 32 × 16 B side by side of tile. At 16 B a lane the warp goes in 4 passes. "
      "No two lanes meet in a bank: 4 wavefronts, the least.");
}
TEST(BanksSentence, PairsHalveThePasses) {
  EXPECT_EQ(banks([](auto l) { return l / 2 * 16; }, 16),
            "Line 26 reads 16 × 16 B of tile for 32 lanes. Neighbouring lanes share their "
            "addresses, so 2 "
            "passes do for 16 B a lane. Lanes that want the same word share it: 2 wavefronts, the "
            "least.");
}
TEST(BanksSentence, ConflictedVectors) {
  const std::string words = banks([](auto l) { return 32 * l; }, 16);
  EXPECT_NE(words.find("At 16 B a lane the warp goes in 4 passes."), std::string::npos) << words;
  EXPECT_NE(words.find("8 wavefronts instead of 4."), std::string::npos) << words;
}
TEST(BanksSentence, AllInOneBankWithoutAKnownArray) {
  EXPECT_EQ(
      banks([](auto l) { return 128 * l; }, 4, {"", 0, false}, AccessKind::kStore),
      "Line 26 writes 32 words that lie 32 words apart. All 32 lanes meet in bank 0: 32 wavefronts "
      "instead of 1.");
}
TEST(BanksSentence, OneLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 1),
            "Line 26 reads 1 word for one lane. 1 wavefront, as for a whole warp.");
}
TEST(BanksSentence, NoLane) {
  EXPECT_EQ(banks([](auto l) { return 4 * l; }, 4, {}, AccessKind::kLoad, 0),
            "Line 26 reads nothing: every lane of this warp is off here.");
}

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

PipelineFacts pipeline_facts(std::uint32_t buffers, Stall stall, double share) {
  PipelineFacts facts;
  facts.buffers = buffers;
  facts.tiles = 64;
  facts.multiplies = true;
  facts.in_flight = 1.96;
  facts.copy_cycles = 1502;
  facts.use_cycles = 690;
  facts.stalled[static_cast<std::size_t>(stall)] = share;
  facts.bound = Resource::kFma;
  facts.bound_busy = 0.61;
  return facts;
}

TEST(PipelineSentence, RingThatHidesItsCopies) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.01);
  facts.is_async = true;
  facts.bound_busy = 0.94;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 products beside "
            "it take 1,380 cycles and hide it. The FMA pipe is busy 94 % of the time and sets the "
            "pace.");
}
TEST(PipelineSentence, RingThatIsTooShort) {
  PipelineFacts facts = pipeline_facts(3, Stall::kLongScoreboard, 0.22);
  facts.is_async = true;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "3 stages keep 2.0 copies in flight. A copy takes 1,502 cycles; the 2 products beside "
            "it take 1,380 cycles and cannot hide it. The warps wait for global memory 22 % of "
            "their time (long scoreboard); the FMA pipe is busy 61 %.");
}
TEST(PipelineSentence, TwoBuffers) {
  PipelineFacts facts = pipeline_facts(2, Stall::kBarrier, 0.3);
  facts.in_flight = 1;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "2 buffers keep one copy in flight. A copy takes 1,502 cycles; the products beside it "
            "take 690 cycles and hide it. The warps wait for each other 30 % of their time "
            "(barrier); the FMA pipe is busy 61 %.");
}
TEST(PipelineSentence, OneBuffer) {
  EXPECT_EQ(plain(pipeline_sentence(pipeline_facts(1, Stall::kShortScoreboard, 0.25))),
            "One buffer of shared memory: tile after tile, 1,502 cycles to bring it, then 690 "
            "cycles to multiply it. The warps wait for shared memory 25 % of their time (short "
            "scoreboard); the FMA pipe is busy 61 %.");
}
TEST(PipelineSentence, OneTile) {
  PipelineFacts facts = pipeline_facts(1, Stall::kLongScoreboard, 0.4);
  facts.tiles = 1;
  facts.multiplies = false;
  facts.bound = Resource::kDram;
  facts.bound_busy = 0.92;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "One tile passes through shared memory: 1,502 cycles to bring it, 690 cycles to use "
            "it. The DRAM traffic is busy 92 % of the time and sets the pace.");
}
TEST(PipelineSentence, NoTile) {
  PipelineFacts facts = pipeline_facts(0, Stall::kLgThrottle, 0.7);
  facts.tiles = 0;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "No tile is kept in shared memory: each warp waits for the values that it loaded "
            "itself. The warps find the queue to global memory full 70 % of their time (LG "
            "throttle); the FMA pipe is busy 61 %.");
}
TEST(PipelineSentence, EachStallHasItsWords) {
  const auto said = [](Stall stall) {
    const std::string text = plain(pipeline_sentence(pipeline_facts(1, stall, 0.5)));
    return text.substr(text.find("The warps"));
  };
  EXPECT_EQ(said(Stall::kMioThrottle),
            "The warps find the queue to shared memory full 50 % of their time (MIO throttle); the "
            "FMA pipe is busy 61 %.");
  EXPECT_EQ(said(Stall::kMathPipeThrottle),
            "The warps find their arithmetic unit taken 50 % of their time (math pipe throttle); "
            "the FMA pipe is busy 61 %.");
  EXPECT_EQ(said(Stall::kBranchResolving),
            "The warps wait for branches 50 % of their time (branch resolving); the FMA pipe is "
            "busy 61 %.");
  EXPECT_EQ(said(Stall::kWait),
            "The warps wait for results of their own arithmetic 50 % of their time (wait); the "
            "FMA pipe is busy 61 %.");
}
TEST(PipelineSentence, HardlyAnyWaiting) {
  PipelineFacts facts = pipeline_facts(1, Stall::kWait, 0.02);
  facts.bound = Resource::kIssue;
  EXPECT_EQ(plain(pipeline_sentence(facts)),
            "One buffer of shared memory: tile after tile, 1,502 cycles to bring it, then 690 "
            "cycles to multiply it. Hardly anything waits; the issue slots are busy 61 % of the "
            "time.");
}

DeviceModel device_named(const std::string& part) {
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  for (const DeviceModel& device : *table) {
    if (device.name.find(part) != std::string::npos) return device;
  }
  return {};
}

std::string occupancy_of(const std::string& device, const OccupancyRequest& request,
                         const std::string& registers_of = "", std::uint64_t grid_blocks = 0) {
  OccupancyFacts facts;
  facts.grid_blocks = grid_blocks;
  facts.device = device_named(device);
  facts.device_name = device;
  facts.registers_of = registers_of;
  facts.request = request;
  if (auto fitting = occupancy(facts.device, request)) facts.occupancy = *fitting;
  return plain(occupancy_sentence(facts));
}

TEST(OccupancySentence, EveryWarpSlotIsTaken) {
  EXPECT_EQ(
      occupancy_of("H200", {256, 16, 0, 0}),
      "An SM of the H200 holds 8 blocks of 256 threads, 64 of its 64 warps. All 64 warp slots "
      "are taken.");
}
TEST(OccupancySentence, WarpSlotsAreLeft) {
  EXPECT_EQ(occupancy_of("GTX 480", {1024, 7, 4096, 0}),
            "An SM of the GTX 480 holds 1 block of 1,024 threads, 32 of its 48 warps. Warp slots "
            "are the limit: another block needs 32, and 16 are left.");
}
TEST(OccupancySentence, RegistersAreGone) {
  EXPECT_EQ(occupancy_of("H200", {256, 128, 0, 0}),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Registers are "
            "the limit: another block needs 32,768, and none is left.");
}
TEST(OccupancySentence, RegistersAreTooFew) {
  EXPECT_EQ(occupancy_of("H200", {256, 96, 0, 0}),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Registers are "
            "the limit: another block needs 24,576, and 16,384 are left.");
}
TEST(OccupancySentence, RegistersLieApart) {
  EXPECT_EQ(occupancy_of("H200", {32, 168, 0, 0}),
            "An SM of the H200 holds 12 blocks of 32 threads, 12 of its 64 warps. Registers are "
            "the limit: another block needs 5,376, and 1,024 are left.");
  EXPECT_EQ(occupancy_of("H200", {32, 216, 0, 0}),
            "An SM of the H200 holds 8 blocks of 32 threads, 8 of its 64 warps. Registers are the "
            "limit: 10,240 are left, but no part of the SM has enough of them for another warp of "
            "each block.");
}
TEST(OccupancySentence, SharedMemoryIsTooSmall) {
  EXPECT_EQ(occupancy_of("H200", {128, 32, 0, 100 * 1024}),
            "An SM of the H200 holds 2 blocks of 128 threads, 8 of its 64 warps. Shared memory is "
            "the limit: another block needs 101 KiB, and 26.0 KiB is left.");
}
TEST(OccupancySentence, SharedMemoryIsGone) {
  EXPECT_EQ(
      occupancy_of("GTX 480", {64, 7, 16'384, 0}),
      "An SM of the GTX 480 holds 3 blocks of 64 threads, 6 of its 48 warps. Shared memory is "
      "the limit: another block needs 16.0 KiB, and none is left.");
}
TEST(OccupancySentence, BlockSlotsAreGone) {
  EXPECT_EQ(occupancy_of("H200", {32, 16, 0, 0}),
            "An SM of the H200 holds 32 blocks of 32 threads, 32 of its 64 warps. All 32 block "
            "slots are taken by blocks of 1 warp: 32 warp slots stay empty.");
}
TEST(OccupancySentence, OnAnotherArchitectureTheRegistersAreSaid) {
  EXPECT_EQ(
      occupancy_of("T4", {256, 128, 0, 0}, "sm_90"),
      "With the registers of sm_90, an SM of the T4 would hold 2 blocks of 256 threads, 16 of "
      "its 32 warps. Registers are the limit: another block needs 32,768, and none is left.");
}
TEST(OccupancySentence, ASmallGridIsSaid) {
  EXPECT_EQ(occupancy_of("H200", {256, 128, 0, 0}, "", 256),
            "An SM of the H200 holds 2 blocks of 256 threads, 16 of its 64 warps. Registers are "
            "the limit: another block needs 32,768, and none is left. The grid has 256 blocks, "
            "fewer than the 264 that all 132 SMs would hold.");
  EXPECT_EQ(occupancy_of("H200", {1, 30, 0, 0}, "", 1),
            "An SM of the H200 holds 32 blocks of 1 thread, 32 of its 64 warps. All 32 block slots "
            "are taken by blocks of 1 warp: 32 warp slots stay empty. The grid has 1 block, fewer "
            "than the 4,224 that all 132 SMs would hold.");
}
TEST(OccupancySentence, TooManyThreads) {
  EXPECT_EQ(occupancy_of("GTX 280", {1024, 10, 0, 0}),
            "A block of 1,024 threads cannot run on the GTX 280: its blocks have at most 512.");
}
TEST(OccupancySentence, TooManyRegistersAThread) {
  EXPECT_EQ(occupancy_of("GTX 480", {256, 64, 0, 0}),
            "A thread of 64 registers cannot run on the GTX 480: it has at most 63, the compiler "
            "would spill the rest.");
}
TEST(OccupancySentence, TooManyRegistersABlock) {
  EXPECT_EQ(occupancy_of("H200", {1024, 80, 0, 0}),
            "A block of 1,024 threads with 80 registers each cannot run on the H200: it takes "
            "81,920 registers, and 65,536 is the most of a block.");
}
TEST(OccupancySentence, TooMuchSharedMemory) {
  EXPECT_EQ(occupancy_of("GTX 1080 Ti", {128, 32, 0, 60 * 1024}),
            "A block with 60.0 KiB of shared memory cannot run on the GTX 1080 Ti: 48.0 KiB is the "
            "most of a block.");
}
TEST(OccupancySentence, WithoutRegistersItWaits) {
  EXPECT_EQ(plain(occupancy_unknown_sentence()),
            "How many blocks an SM holds follows from the registers of the compiled kernel, which "
            "is being compiled.");
}

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
            "Warp 3 executes 4,482 instructions, each with all 32 lanes. No lane slot is lost.");
}
TEST(DivergenceSentence, OnlyOtherWarpsPart) {
  DivergenceFacts facts = divergence(4482, 32 * 4482);
  facts.diverging = 2;
  facts.block_lost = 0.125;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "The lanes of warp 3 stay together in all its 4,482 instructions. 2 of the block's 8 "
            "warps part: 12.5 % of the block's lane slots are lost.");
}
TEST(DivergenceSentence, ASwitch) {
  EXPECT_EQ(plain(divergence_sentence(parted(1, 8, 8))),
            std::string("At line 45 the lanes of warp 3 go 8 ways, one after the other. ") + kBill);
}
TEST(DivergenceSentence, ASwitchInALoop) {
  EXPECT_EQ(plain(divergence_sentence(parted(64, 2, 2))),
            std::string("At line 45 the lanes of warp 3 go 2 ways, one after the other, 64 times "
                        "over. ") +
                kBill);
}
TEST(DivergenceSentence, AnIfWithoutElse) {
  EXPECT_EQ(plain(divergence_sentence(parted(1, 2, 1))),
            std::string("At line 45 some lanes of warp 3 go a way of their own while the others "
                        "wait. ") +
                kBill);
}
TEST(DivergenceSentence, ABranchWithoutALine) {
  DivergenceFacts facts = parted(1, 2, 2);
  facts.line = 0;
  EXPECT_EQ(
      plain(divergence_sentence(facts)),
      std::string("At a branch the lanes of warp 3 go 2 ways, one after the other. ") + kBill);
}
TEST(DivergenceSentence, ALoopOfDifferentLengths) {
  DivergenceFacts facts = parted(1, 32, 1);
  facts.worst.is_loop = true;
  facts.worst.fewest_turns = 4;
  facts.worst.most_turns = 1280;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("The loop at line 45 turns 4 to 1,280 times in the lanes of warp 3, and "
                        "the warp goes on until the last lane is done. ") +
                kBill);
}
TEST(DivergenceSentence, ALoopWhoseTurnsAreNotKnown) {
  DivergenceFacts facts = parted(16, 32, 1);
  facts.worst.is_loop = true;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("The lanes of warp 3 leave the loop at line 45 one after the other, 16 "
                        "times over, and the warp goes on until the last is done. ") +
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
TEST(DivergenceSentence, LanesPastTheEdge) {
  DivergenceFacts facts = divergence(100, 1600);
  facts.slots.waiting = 0;
  facts.slots.done = 1600;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "Lanes of warp 3 have nothing to do but return while the others go on. 100 warp "
            "instructions do the work of 50: 50.0 % of the lane slots are lost.");
}
TEST(DivergenceSentence, PredicatesOnly) {
  DivergenceFacts facts = divergence(100, 3199);
  facts.slots.waiting = 0;
  facts.slots.predicated = 1;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            "No branch parts the lanes of warp 3, but predicates switch some off. < 0.1 % of its "
            "lane slots are lost.");
}
TEST(DivergenceSentence, PartingMattersLessThanAnEdge) {
  DivergenceFacts facts = parted(1, 2, 2);
  facts.slots.done = facts.slots.waiting - 32;
  facts.slots.waiting = 32;
  EXPECT_EQ(plain(divergence_sentence(facts)),
            std::string("Lanes of warp 3 have nothing to do but return while the others go on. ") +
                kBill);
}
TEST(DivergenceSentence, NothingTraced) {
  EXPECT_EQ(plain(divergence_sentence(divergence(0, 0))),
            "The trace holds no instruction of warp 3.");
}

}  // namespace
}  // namespace tilescope
