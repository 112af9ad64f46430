#include <gtest/gtest.h>

#include <numeric>

#include "analysis/diagnosed.h"
#include "analysis/time/instruction_cost.h"

namespace tilescope {
namespace {

double sum_of(const std::map<std::uint32_t, double>& waits) {
  return std::accumulate(waits.begin(), waits.end(), 0.0,
                         [](double sum, const auto& each) { return sum + each.second; });
}

// The clocks of a warp are those in which it works and those in which it waits.
TEST(IssuedPath, AddsUp) {
  for (const char* kernel : {"copy/plain", "gemm/shared_tile", "transpose/tiled"}) {
    const WarpPath path = testing::diagnosed(kernel).work.path;
    const double waits = sum_of(path.global_waits) + sum_of(path.shared_waits) + path.barrier_waits;
    EXPECT_NEAR(path.clocks, path.busy + waits, 1) << kernel;
    EXPECT_GT(path.busy, 0) << kernel;
    EXPECT_LE(path.far_waits, sum_of(path.global_waits) + 1e-6) << kernel;
  }
}

TEST(IssuedPath, OfACopyWaitsOnceForTheMemory) {
  const LaunchWork work = testing::diagnosed("copy/plain").work;
  ASSERT_EQ(work.path.global_waits.size(), 1U);
  EXPECT_GT(work.path.far_waits, 0.85 * work.path.clocks);
  EXPECT_EQ(work.path.barriers, 0);
  EXPECT_EQ(work.path.reloads, 1);
}

// What is copied beside the arithmetic is there when it is waited for.
TEST(IssuedPath, HidesWhatCopiesBringAhead) {
  const WarpPath ahead = testing::diagnosed("gemm/register_tile", {{"STAGES", 3}}).work.path;
  EXPECT_LT(ahead.far_waits, 0.05 * ahead.clocks);
  const WarpPath single = testing::diagnosed("gemm/register_tile", {{"STAGES", 1}}).work.path;
  EXPECT_GT(single.far_waits, 0.15 * single.clocks);
}

// 64 warps walk along rows of their own: the lines of their loads and stores need twice the L1, so
// that each load of a sector after the first finds it gone.
TEST(IssuedPath, LoadsAgainWhatTheL1HasNoRoomFor) {
  const WarpPath path = testing::diagnosed("scan/one_thread", {{"SEGMENT", 64}}).work.path;
  EXPECT_GT(path.reloads, 4);
  EXPECT_EQ(testing::diagnosed("scan/one_thread", {{"SEGMENT", 256}}).work.path.reloads, 1);
}

// The same products from loops of 64 KB of code, which the first cache has no room for.
TEST(IssuedPath, WaitsForTheCodeOfLongLoops) {
  const ParameterSet tile = {{"THREAD_M", 8}, {"THREAD_N", 16}, {"TILE_M", 128}, {"TILE_N", 64}};
  ParameterSet shorter = tile;
  shorter["TILE_K"] = 8;
  ParameterSet longer = tile;
  longer["TILE_K"] = 32;
  const WarpPath fits = testing::diagnosed("gemm/prefetch", shorter).work.path;
  const WarpPath fetched = testing::diagnosed("gemm/prefetch", longer).work.path;
  EXPECT_GT(fetched.busy, 1.3 * fits.busy);
}

LaunchWork work_at(const std::string& id, std::int64_t size) {
  const auto study = testing::studied(id, {}, {{"ROWS", size}, {"COLS", size}});
  const auto issued = with_issued_counts(study, Counted::kSample, 2, {});
  const auto diagnosis = issued ? diagnose(**issued) : std::nullopt;
  EXPECT_TRUE(diagnosis.has_value()) << id;
  return diagnosis.value_or(Diagnosis{}).work;
}

// Rows of the output begin amid a sector there, so that two blocks write it.
TEST(LaunchWork, SectorsOfTwoBlocksKeepTheDramBusy) {
  EXPECT_EQ(work_at("transpose/tiled", 1024).dram_other_bytes, 0);
  EXPECT_GT(work_at("transpose/tiled", 1031).dram_other_bytes, 1e5);
}

TEST(LaunchWork, ReadsPutOutWhatWasWrittenBefore) {
  const LaunchWork reads = testing::diagnosed("reduction/grid_stride").work;
  EXPECT_GT(reads.dram_other_bytes, 0.1 * std::min(reads.dram_read_bytes, 70e6));
  EXPECT_LE(reads.dram_other_bytes, 28e6);
  EXPECT_EQ(testing::diagnosed("copy/plain").work.dram_other_bytes, 0);
}

// Of an executed FFMA of the machine code.
double mean_port_clocks(const std::string& id) {
  const auto study = testing::studied(id, {}, {{"M", 256}, {"N", 256}, {"K", 64}});
  const auto issued = with_issued_counts(study, Counted::kSample, 2, {});
  if (!issued || (*issued)->issued_counters == nullptr) return -1;
  const Program& program = *(*issued)->issued;
  const DeviceModel& device = *(*issued)->device;
  const std::vector<InstructionCost> costs =
      instruction_costs(program, device, usual_latencies(device));
  double clocks = 0;
  double instructions = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!program.instructions()[i].opcode.starts_with("FFMA")) continue;
    const auto executed = static_cast<double>((*issued)->issued_counters->executed.warps[i]);
    clocks += executed * double{costs[i].ports};
    instructions += executed;
  }
  return clocks / instructions;
}

// The sums are in the bank of the register file that B's columns are not in.
TEST(RegisterPorts, AreLessBusyWhereOperandsAreInBothBanks) {
  const double in_both = mean_port_clocks("gemm/feeder_warps");
  EXPECT_GE(in_both, 0);
  EXPECT_LT(in_both, 0.7 * mean_port_clocks("gemm/tensor_fed"));
}

}  // namespace
}  // namespace tilescope
