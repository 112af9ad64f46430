#include "session/view_queries.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernel/catalogue/parameter_values.h"
#include "kernel/test_catalogue.h"

namespace tilescope {
namespace {

// Jobs that run when the test says so.
struct Jobs {
  std::vector<JobPool::Work> waiting;
  [[nodiscard]] RunJob run() {
    return [this](const std::string&, JobPool::Work work) { waiting.push_back(std::move(work)); };
  }
  void run_all() {
    for (JobPool::Work& work : std::exchange(waiting, {})) work({});
  }
};

class ViewQueriesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tiled_ = viewed("transpose/tiled", {});
    if (tiled_.study == nullptr) GTEST_SKIP() << tiled_.missing;
    auto recorded = RecordedLibrary::load_shipped(testing::catalogue());
    ASSERT_TRUE(recorded.ok());
    recorded_ = *std::move(recorded);
  }
  [[nodiscard]] ViewedVariant viewed(const std::string& id, const ParameterSet& changes) const {
    const CatalogueEntry& entry = testing::entry(id);
    ParameterSet parameters = default_parameters(entry);
    for (const auto& [name, value] : changes) parameters[name] = value;
    StudyRequest request;
    request.instance = *instantiate(entry, parameters, {{"ROWS", 128}, {"COLS", 128}}, {}, device_);
    auto study = study_block(request, {});
    if (study) study = with_resources(*study, device_, {});
    if (!study) return {.missing = to_string(study.error())};
    return {.name = id, .entry = &entry, .study = *study};
  }
  Status ask(ViewQueries& queries, const std::vector<ViewedVariant>& variants,
             std::size_t active = 0) {
    return queries.ask(needs_, variants, active, device_, {.recorded = recorded_});
  }

  DeviceModel device_ = testing::device(90);
  RecordedLibrary recorded_;
  ViewedVariant tiled_;
  ViewNeeds needs_{.times = true, .layouts = true, .variants = true};
};

TEST_F(ViewQueriesTest, WhereJobsRunAtOnceAllIsKnownAtOnce) {
  OtherLaunches launches(testing::catalogue(), run_now, 1);
  ViewQueries queries(launches, run_now);
  ASSERT_TRUE(ask(queries, {tiled_, viewed("transpose/naive", {})}).ok());
  const ViewFacts& known = queries.known();
  ASSERT_NE(known.layouts, nullptr);
  EXPECT_TRUE(known.layouts->belong_to(*tiled_.study));
  ASSERT_NE(known.roofline, nullptr);
  ASSERT_NE(known.compared, nullptr);
  EXPECT_EQ(known.compared->variants[1].study->instance.id, "transpose/naive");
  ViewContext context;
  queries.fill(tiled_, &context);
  EXPECT_EQ(context.study, tiled_.study.get());
  EXPECT_EQ(context.layouts, known.layouts);
  EXPECT_EQ(known.hardware, nullptr) << "nobody needs it";
}

TEST_F(ViewQueriesTest, UntilAJobIsDoneTheLastOfTheKernelIsKnown) {
  Jobs jobs;
  OtherLaunches launches(testing::catalogue(), jobs.run(), 1);
  ViewQueries queries(launches, run_now);
  ASSERT_TRUE(ask(queries, {tiled_}).ok());
  EXPECT_EQ(queries.known().layouts, nullptr);
  ASSERT_TRUE(ask(queries, {tiled_}).ok());
  EXPECT_EQ(jobs.waiting.size(), 1U) << "asked once";
  jobs.run_all();
  ASSERT_TRUE(ask(queries, {tiled_}).ok());
  const auto first = queries.known().layouts;
  ASSERT_NE(first, nullptr);
  ASSERT_TRUE(ask(queries, {viewed("transpose/tiled", {{"PAD", 1}})}).ok());
  EXPECT_TRUE(jobs.waiting.empty()) << "one of the layouts that are known";
  const ViewedVariant other = viewed("transpose/tiled", {{"TILE", 16}});
  ASSERT_NE(other.study, nullptr) << other.missing;
  ASSERT_TRUE(ask(queries, {other}).ok());
  EXPECT_EQ(queries.known().layouts, first);
  jobs.run_all();
  ASSERT_TRUE(ask(queries, {other}).ok());
  EXPECT_TRUE(queries.known().layouts->belong_to(*other.study));
}

TEST_F(ViewQueriesTest, NothingOfAnotherKernelIsKnown) {
  OtherLaunches launches(testing::catalogue(), run_now, 1);
  ViewQueries queries(launches, run_now);
  ASSERT_TRUE(ask(queries, {tiled_}).ok());
  ASSERT_NE(queries.known().layouts, nullptr);
  needs_.layouts = false;
  ASSERT_TRUE(ask(queries, {viewed("transpose/naive", {})}).ok());
  EXPECT_EQ(queries.known().layouts, nullptr);
  ASSERT_TRUE(ask(queries, {{.name = "none", .missing = "no kernel is chosen"}}).ok());
  EXPECT_EQ(queries.known().roofline, nullptr);
}

TEST_F(ViewQueriesTest, NamesStandInForAComparisonThatIsMade) {
  Jobs jobs;
  OtherLaunches launches(testing::catalogue(), run_now, 1);
  ViewQueries queries(launches, jobs.run());
  needs_.layouts = false;
  const std::vector<ViewedVariant> two{tiled_, {.name = "mine.cu", .missing = "compiling"}};
  ASSERT_TRUE(ask(queries, two).ok());
  EXPECT_TRUE(queries.pending());
  ASSERT_NE(queries.known().compared, nullptr);
  EXPECT_EQ(queries.known().compared->variants[0].study, nullptr);
  EXPECT_EQ(queries.known().compared->variants[1].missing, "compiling");
  jobs.run_all();
  ASSERT_TRUE(ask(queries, two, 1).ok());
  EXPECT_FALSE(queries.pending()) << "which one is in front changes no comparison";
  EXPECT_EQ(queries.known().compared->variants[0].study, tiled_.study);
  EXPECT_EQ(queries.known().compared->variants[1].study, nullptr);
  EXPECT_EQ(queries.known().compared->active, 1U);
  ASSERT_TRUE(ask(queries, {tiled_}).ok());
  EXPECT_EQ(queries.known().compared, nullptr) << "one alone";
}

}  // namespace
}  // namespace tilescope
