#include "analysis/study/kernel_study.h"
#include "analysis/study/study_counts.h"
#include "kernel/random_instances.h"

namespace tilescope {
namespace {

class CatalogueAtRandom : public ::testing::TestWithParam<std::string> {};

// Emulated from PTX with every check on: right, complete and without a finding.
TEST_P(CatalogueAtRandom, IsRightAtAnyLegalParametersAndSize) {
  const CatalogueEntry& entry = testing::entry(GetParam());
  const DeviceModel device = testing::device(90);
  for (const testing::RandomLaunch& launch : testing::random_launches(entry, 4, 150, device)) {
    SCOPED_TRACE(testing::to_text(launch));
    auto instance = instantiate(entry, launch.parameters, launch.extents, device);
    ASSERT_TRUE(instance.ok()) << to_string(instance.error());
    ASSERT_TRUE(set_factors(launch.factors, &*instance).ok());
    StudyRequest request;
    request.instance = *instance;
    const auto study = prepare_study(request, {});
    ASSERT_TRUE(study.ok()) << to_string(study.error());
    const auto run = run_grid(**study, 1, {}, Checks::kOn);
    ASSERT_TRUE(run.ok()) << to_string(run.error());
    EXPECT_TRUE(run->emulation.complete);
    for (const Finding& finding : run->emulation.findings) ADD_FAILURE() << finding.message;
    ASSERT_TRUE(run->verification.has_value());
    EXPECT_TRUE(run->verification->ok()) << run->verification->max_error;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CatalogueAtRandom, ::testing::ValuesIn(testing::catalogue_ids()),
                         testing::name_of_id);

}  // namespace
}  // namespace tilescope
