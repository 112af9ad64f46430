#include <array>

#include "analysis/study/kernel_study.h"
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

// A reference kernel finds one element too few, and one part in ten thousand.
TEST(ReferenceKernel, ShowsThatAResultIsWrong) {
  const std::vector<std::array<std::string, 4>> kCases{
      {"reduction/grid_stride", "int own = 0;", "int own = first == 7;", "100003"},
      {"histogram/shared_atomics", "i < n", "i + 1 < n", "5001"},
      {"scan/brent_kung", "part[place(e)];", "part[place(e)] * 1.0001f;", "5001"},
      {"convolution/tiled", "sum += filter", "sum += 1.0001f * filter", "33x65"},
      {"softmax/online", "/ sum", "/ (sum * 1.0001f)", "33x65"}};
  for (const auto& [id, right, wrong, size] : kCases) {
    const CatalogueEntry& entry = testing::entry(id);
    auto instance = instantiate(entry, {}, *parse_size(entry.problem, size), testing::device(90));
    ASSERT_TRUE(instance.ok()) << to_string(instance.error());
    const std::size_t at = instance->source.find(right);
    ASSERT_NE(at, std::string::npos) << id;
    instance->source.replace(at, right.size(), wrong);
    StudyRequest request;
    request.instance = *instance;
    const auto study = prepare_study(request, {});
    ASSERT_TRUE(study.ok()) << to_string(study.error());
    const auto run = run_grid(**study, 1, {});
    ASSERT_TRUE(run.ok()) << to_string(run.error());
    ASSERT_TRUE(run->verification.has_value());
    EXPECT_FALSE(run->verification->ok()) << id << " " << run->verification->max_error;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CatalogueAtRandom, ::testing::ValuesIn(testing::catalogue_ids()),
                         testing::name_of_id);

}  // namespace
}  // namespace tilescope
