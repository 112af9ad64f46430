#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/memory/counters.h"
#include "analysis/memory/launch_memory.h"
#include "analysis/studied.h"

namespace tilescope {
namespace {

using testing::studied;

// Sees every access where it happens.
class Collector final : public TraceSink {
 public:
  void on_access(const WarpPoint& where, const WarpAccess& access) override {
    seen.emplace_back(where, access);
  }
  std::vector<std::pair<WarpPoint, WarpAccess>> seen;
};

void trace_into(TraceSink& sink, const KernelStudy& study) {
  DeviceMemory memory = writable_copy(study.instance, *study.memory);
  const auto trace =
      trace_block(*study.program, study.launch, memory,
                  flatten(study.trace->block, study.launch.grid), 1U << 22U, {}, &sink);
  ASSERT_TRUE(trace.ok()) << to_string(trace.error());
}

struct Counted {
  std::string id;
  ParameterSet extents;
};

class CountedTrace : public ::testing::TestWithParam<Counted> {};

// What repeats is counted by where it begins alone, a cp.async by where its read and its write do.
TEST_P(CountedTrace, CountsWhatASinkSeesThatIsToldEverything) {
  const auto study = studied(GetParam().id, {}, GetParam().extents);
  ASSERT_NE(study, nullptr);
  Collector collector;
  CountingSink quick(*study->program);
  trace_into(collector, *study);
  trace_into(quick, *study);
  CountingSink each(*study->program);
  for (const auto& [where, access] : collector.seen) each.on_access(where, access);
  const std::vector<AccessCounters> counted = quick.counters();
  const std::vector<AccessCounters> expected = each.counters();
  ASSERT_GT(collector.seen.size(), 0U);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    SCOPED_TRACE(study->program->instructions()[i].text);
    EXPECT_EQ(counted[i].requests, expected[i].requests);
    EXPECT_EQ(counted[i].lanes, expected[i].lanes);
    EXPECT_EQ(counted[i].distinct_bytes, expected[i].distinct_bytes);
    EXPECT_EQ(counted[i].sectors, expected[i].sectors);
    EXPECT_EQ(counted[i].sectors_ideal, expected[i].sectors_ideal);
    EXPECT_EQ(counted[i].wavefronts, expected[i].wavefronts);
    EXPECT_EQ(counted[i].wavefronts_ideal, expected[i].wavefronts_ideal);
  }
}

const ParameterSet kProduct = {{"M", 130}, {"N", 256}, {"K", 80}};

INSTANTIATE_TEST_SUITE_P(
    Kernels, CountedTrace,
    ::testing::Values(Counted{"gemm/naive", kProduct}, Counted{"gemm/register_tile", kProduct},
                      Counted{"gemm/prefetch", kProduct}, Counted{"gemm/tensor_core", kProduct},
                      Counted{"gemm/warpgroup", kProduct},
                      Counted{"transpose/tiled", {{"ROWS", 77}, {"COLS", 45}}}),
    [](const auto& tested) {
      std::string name = tested.param.id;
      std::ranges::replace(name, '/', '_');
      return name;
    });

}  // namespace
}  // namespace tilescope
