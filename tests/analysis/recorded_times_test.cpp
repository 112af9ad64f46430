// Every kernel at its defaults against what was recorded on an H200: by what bounds it, and by the
// pipeline of its warps. Both read one study of each kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analysis/studied.h"
#include "analysis/study/kernel_study.h"
#include "analysis/time/pipeline.h"
#include "analysis/time/verdicts.h"
#include "build_config.h"

namespace tilescope {
namespace {

// The median of the recorded cold runs at these parameters and the default size, in seconds.
std::optional<double> recorded_seconds(const nlohmann::json& runs, const CatalogueEntry& kernel,
                                       const ParameterSet& parameters) {
  for (const nlohmann::json& run : runs) {
    if (run.at("kernel") == kernel.id && run.at("cold") &&
        run.at("extents").get<ParameterSet>() == kernel.default_extents &&
        run.at("parameters").get<ParameterSet>() == parameters) {
      return run.at("seconds").at("median").get<double>();
    }
  }
  return std::nullopt;
}

// How far modelled times are from recorded ones, as factors.
class Errors {
 public:
  void add(const std::string& kernel, double modelled, double recorded, double most) {
    const double error = std::log(modelled / recorded);
    EXPECT_LT(std::abs(error), std::log(most)) << kernel << ": " << std::exp(error);
    errors_.push_back(std::abs(error));
  }
  void expect_at_most(double median, double eighth_decile) {
    ASSERT_GT(errors_.size(), 20u);
    std::ranges::sort(errors_);
    EXPECT_LT(std::exp(errors_[errors_.size() / 2]), median);
    EXPECT_LT(std::exp(errors_[errors_.size() * 8 / 10]), eighth_decile);
  }

 private:
  std::vector<double> errors_;
};

TEST(RecordedTimes, AreWithinTheErrorsOfBothModels) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/assets/recorded/h200.json");
  const nlohmann::json runs = nlohmann::json::parse(file).at("runs");
  Errors bounds;
  Errors pipeline;
  bool has_machine_code = true;
  for (const CatalogueEntry& kernel : testing::catalogue().entries) {
    if (kernel.family == "histogram") continue;  // contended atomics have no cost in the models
    const auto recorded = recorded_seconds(runs, kernel, *complete_parameters(kernel, {}));
    if (!recorded) continue;
    const auto issued = with_issued_counts(testing::studied(kernel.id, {}, kernel.default_extents),
                                           Counted::kSample, 2, {});
    ASSERT_TRUE(issued.ok()) << kernel.id;
    const auto diagnosis = diagnose(**issued);
    ASSERT_TRUE(diagnosis.has_value()) << kernel.id;
    bounds.add(kernel.id, diagnosis->bounds.total(), *recorded, 2.5);

    if (kernel.id == "transpose/serial") continue;  // one thread: its trace does not hold the end
    const auto timed = with_pipeline(*issued, std::nullopt, {});
    ASSERT_TRUE(timed.ok()) << kernel.id;
    has_machine_code = has_machine_code && (*timed)->issued;
    pipeline.add(kernel.id, (*timed)->pipeline->kernel_seconds, *recorded,
                 has_machine_code ? 2.4 : 1e9);
  }
  bounds.expect_at_most(1.12, 1.4);
  if (!has_machine_code) GTEST_SKIP() << "no disassembler: PTX is in another order";
  pipeline.expect_at_most(1.25, 1.45);
}

}  // namespace
}  // namespace tilescope
