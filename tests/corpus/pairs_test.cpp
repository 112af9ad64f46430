#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "build_config.h"
#include "counter_comparison.h"
#include "kernel/compile/assemble.h"

// Kernels whose like is often written wrong (copies, clusters, products of warp groups, lanes,
// barriers), here as they should be, and reads of constant and local memory: emulated as the
// machine executes them, against what an H100 counted (h100_pairs.json, by read_counters.py).
namespace tilescope {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "tests/corpus";

// How often a thread asks for a lock, and whether warps meet at a bank, is a matter of time.
bool depends_on_time(std::string_view launch, std::string_view metric) {
  constexpr std::array kContended{
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
  };
  if (launch == "p_spin_lock") return true;
  return launch == "p_named_count" && std::ranges::count(kContended, metric) == 1;
}

TEST(Pairs, CountWhatAnH100Counts) {
  if (const auto tool = disassembler(); !tool) GTEST_SKIP() << to_string(tool.error());
  const auto launches = read_corpus(kFolder / "pairs.json");
  const auto recorded = read_recorded_counters(kFolder / "h100_pairs.json");
  ASSERT_TRUE(launches.ok()) << to_string(launches.error());
  ASSERT_TRUE(recorded.ok()) << to_string(recorded.error());
  ASSERT_EQ(recorded->launches.size(), launches->size());
  std::size_t same_code = 0;
  for (const CorpusLaunch& launch : *launches) {
    const auto found = compare_counters(launch, recorded->launches.at(launch.name));
    ASSERT_TRUE(found.ok()) << launch.name << ": " << to_string(found.error());
    EXPECT_EQ(found->finding, "") << launch.name;
    if (!found->same_code) continue;
    ++same_code;
    for (const CounterDifference& difference : found->differences) {
      if (depends_on_time(launch.name, difference.metric)) continue;
      ADD_FAILURE() << fmt::format("{}: {}: measured {}, emulated {}", launch.name,
                                   difference.metric, difference.measured, difference.emulated);
    }
  }
  if (same_code == 0) GTEST_SKIP() << "this compiler makes other code";
}

}  // namespace
}  // namespace tilescope
