// What is known of a launch, on which GPU, and what is set against what.
#include <gtest/gtest.h>

#include "kernel/catalogue/parameter_values.h"
#include "kernel/test_catalogue.h"
#include "session/known_measurements.h"
#include "session/readings.h"

namespace tilescope {
namespace {

const Conditions kH100{"NVIDIA H100 80GB HBM3", "580.159.04"};

class KnownTimesTest : public ::testing::Test {
 protected:
  KnownTimesTest() {
    device_.name = kH100.gpu;
    auto loaded = RecordedLibrary::load_shipped(testing::catalogue());
    EXPECT_TRUE(loaded.ok());
    if (loaded) recorded_ = *std::move(loaded);
    instance_ = *instantiate(entry_, default_parameters(entry_), extents_, {}, device_);
  }
  [[nodiscard]] Measurement measured(const std::string& id, double seconds,
                                     const Conditions& under) const {
    const CatalogueEntry& of = testing::entry(id);
    const ChartVariant at{0, &of, default_parameters(of), extents_};
    Measurement point;
    point.of = session_key(at, true);
    point.result.kernel.median_seconds = seconds;
    point.result.bytes = 8.0 * 4096 * 4096;
    point.machine.gpu = under.gpu;
    point.machine.driver = under.driver;
    return point;
  }
  [[nodiscard]] RooflineData data(const std::vector<Measurement>& points) const {
    Measurements opened;
    opened.points = points;
    const KnownMeasurements known{.recorded = recorded_, .opened = &opened};
    return roofline_data({testing::catalogue(), &entry_, instance_, device_},
                         times_of(known.of(instance_, &entry_, true)),
                         {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                            return times_of(known.of({0, &step, parameters, extents_}, true));
                          },
                          [](const CatalogueEntry&, const ParameterSet&) { return 0.0; }});
  }

  DeviceModel device_ = testing::device(90);
  const CatalogueEntry& entry_ = testing::entry("transpose/tiled");
  const ParameterSet extents_{{"ROWS", 4096}, {"COLS", 4096}};
  RecordedLibrary recorded_;
  KernelInstance instance_;
};

TEST_F(KnownTimesTest, AreOneForEachGpuAndDriverTheNewestFirst) {
  Conditions older = kH100;
  older.driver = "550.54";
  const std::vector points{measured("transpose/tiled", 1, older),
                           measured("transpose/tiled", 2, kH100),
                           measured("transpose/tiled", 3, kH100)};
  MeasuredPoints here;
  for (const Measurement& point : points) here.add(point);
  const KnownMeasurements all{.recorded = recorded_, .measured = &here};
  const auto known = times_of(all.of(instance_, &entry_, true));
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known[0].seconds, 3);
  EXPECT_EQ(known[0].under, kH100);
  EXPECT_EQ(known[1].under, older);
  EXPECT_EQ(known[2].under.gpu, "NVIDIA H200");
  EXPECT_EQ(known[2].source, Source::kRecorded);
}

TEST_F(KnownTimesTest, OfAnotherGpuStandUnderNoRoofOfThisOne) {
  const RooflineData none = data({});
  EXPECT_FALSE(none.known);
  EXPECT_TRUE(none.steps.empty());
  EXPECT_EQ(none.elsewhere.size(), 1U);
  EXPECT_FALSE(none.steps_elsewhere.empty());
  EXPECT_TRUE(elsewhere_words(none).starts_with("recorded on the H200: ")) << elsewhere_words(none);
  const RooflineData one = data({measured("transpose/tiled", 60e-6, kH100)});
  ASSERT_TRUE(one.known);
  EXPECT_EQ(one.known->under, kH100);
  EXPECT_EQ(one.gpu, kH100.gpu);
  ASSERT_EQ(one.steps.size(), 1U) << "the one that was measured here";
  EXPECT_EQ(one.steps[0].time.under, kH100);
  EXPECT_EQ(one.steps_elsewhere.size() + 1, none.steps_elsewhere.size());
}

TEST_F(KnownTimesTest, WithAnotherDriverStandApart) {
  Conditions older = kH100;
  older.driver = "550.54";
  const RooflineData both =
      data({measured("transpose/tiled", 60e-6, kH100), measured("transpose/naive", 90e-6, older)});
  EXPECT_EQ(both.steps.size(), 1U);
  EXPECT_TRUE(std::ranges::any_of(
      both.steps_elsewhere, [&](const LadderStep& step) { return step.time.under == older; }));
}

TEST_F(KnownTimesTest, OnTheGpuThatIsRecordedAllStandTogether) {
  device_ = testing::device(90);
  const RooflineData all = data({});
  EXPECT_TRUE(all.known);
  EXPECT_GT(all.steps.size(), 3U);
  EXPECT_TRUE(all.elsewhere.empty());
  EXPECT_TRUE(all.steps_elsewhere.empty());
}

KnownTime known(double seconds, const Conditions& under) {
  return {seconds, Source::kMeasured, 0, {}, {}, under};
}

TEST(TimesToCompare, AreOfOneGpuAndDriverWhereAllHaveOne) {
  const Conditions h200{"NVIDIA H200", "580.159.04"};
  Conditions newer = kH100;
  newer.driver = "590.1";
  const std::vector<std::vector<KnownTime>> all{{known(1, newer), known(2, kH100), known(3, h200)},
                                                {known(4, h200), known(5, kH100)}};
  const auto chosen = times_to_compare(all, kH100.gpu);
  ASSERT_TRUE(chosen[0].known && chosen[1].known);
  EXPECT_EQ(chosen[0].known->seconds, 2);
  EXPECT_EQ(chosen[1].known->seconds, 5);
  ASSERT_EQ(chosen[0].elsewhere.size(), 2U);
  EXPECT_EQ(chosen[0].elsewhere[1].under, h200);
  const auto none = times_to_compare(std::vector{all[0], {known(4, h200)}}, kH100.gpu);
  EXPECT_EQ(none[0].known->seconds, 1);
  EXPECT_FALSE(none[1].known) << "another GPU's is no answer";
  EXPECT_EQ(none[1].elsewhere.size(), 1U);
}

}  // namespace
}  // namespace tilescope
