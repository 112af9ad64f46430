// PTX that is opened, as nvcc -ptx writes it: its machine code is what the GPU runs, and its
// emulated counters are the hardware's.
#include <algorithm>

#include "analysis/memory/counters.h"
#include "analysis/study/counter_check.h"
#include "analysis/study/kernel_study.h"
#include "core/paths.h"
#include "device_fixture.h"

namespace tilescope {
namespace {

class OpenedPtxOnDevice : public OnDevice, public testing::WithParamInterface<const char*> {};

TEST_P(OpenedPtxOnDevice, CountsWhatTheHardwareCounts) {
  const RunRequest made = catalogue_request(GetParam(), {}, "256");
  StudyRequest request;
  request.instance = made.instance;
  request.instance.file_name = "opened.ptx";
  request.instance.source = made.compiled->ptx;
  request.instance.kernel = made.compiled->kernel;
  request.compute_capability = device().compute_capability;
  request.workers = 4;
  const auto prepared = prepare_study(request, {});
  ASSERT_TRUE(prepared.ok()) << to_string(prepared.error());
  const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  ASSERT_TRUE(table.ok());
  const auto assembled =
      with_resources(*prepared, *find_device(*table, request.compute_capability), {});
  ASSERT_TRUE(assembled.ok()) << to_string(assembled.error());
  ASSERT_FALSE((*assembled)->compiled->cubin.empty()) << (*assembled)->compiled->why_no_cubin;

  RunRequest counted = made;
  counted.instance = request.instance;
  counted.compiled = (*assembled)->compiled;
  counted.counters = metric_names();
  counted.timing.verify = false;
  std::vector<CounterValues> readings;
  for (int reading = 0; reading < 3; ++reading) {
    const auto result = run(counted);
    ASSERT_TRUE(result.ok()) << to_string(result.error());
    readings.push_back(result->counters);
  }
  const auto study =
      with_issued_counts(*assembled, Counted::kGrid, request.workers, std::stop_token());
  ASSERT_TRUE(study.ok()) << to_string(study.error());
  ASSERT_NE((*study)->issued_counters, nullptr) << (*study)->why_not_issued;
  const std::vector<CheckedCounter> checked = check_counters(**study, readings);
  EXPECT_GT(checked.size(), 10U);
  for (const CheckedCounter& counter : checked) {
    EXPECT_NE(counter.verdict(), CheckedCounter::Verdict::kDifferent)
        << counter.name << ": " << counter.emulated << ", " << counter.least << " to "
        << counter.most;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OpenedPtxOnDevice,
                         testing::Values("gemm/naive", "gemm/shared_tile", "transpose/tiled",
                                         "divergence/switch"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace tilescope
