#include <algorithm>

#include "gpu_device/device_fixture.h"
#include "kernel/random_instances.h"

namespace tilescope {
namespace {

class CatalogueOnDevice : public OnDevice, public ::testing::WithParamInterface<std::string> {};

// Against cuBLAS, what the host makes of the input, or the problem's reference kernel.
TEST_P(CatalogueOnDevice, IsRightAtAnyLegalParametersAndSize) {
  const CatalogueEntry& entry = testing::entry(GetParam());
  const DeviceModel model = testing::device(90);
  const bool serial = entry.id == "transpose/serial";
  for (const testing::RandomLaunch& launch :
       testing::random_launches(entry, 8, serial ? 100 : 600, model)) {
    SCOPED_TRACE(testing::to_text(launch));
    const std::string size = size_text(entry.problem, launch.extents);
    RunRequest request = catalogue_request(entry.id, launch.parameters, size);
    ASSERT_TRUE(set_factors(launch.factors, &request.instance).ok());
    const Result<RunResult> result = run(request);
    ASSERT_TRUE(result.ok()) << to_string(result.error());
    ASSERT_TRUE(result->max_error.has_value());  // it was compared
    EXPECT_TRUE(result->correct) << *result->max_error;
    // Beside what is no product a device copy of half the bytes, where an input has so many.
    double largest_input = 0;
    for (const Argument& argument : request.instance.arguments) {
      if (!argument.is_pointer || argument.written) continue;
      largest_input = std::max(largest_input, static_cast<double>(argument.buffer.count) *
                                                  static_cast<double>(size_of(argument.type)));
    }
    const bool too_small = !entry.problem->multiplies() &&
                           largest_input < 0.99 * problem_cost(request.instance).bytes / 2;
    EXPECT_TRUE(too_small || !result->reference_name.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CatalogueOnDevice, ::testing::ValuesIn(testing::catalogue_ids()),
                         testing::name_of_id);

}  // namespace
}  // namespace tilescope
