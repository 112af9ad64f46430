#include "kernel/launch/parameter_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/paths.h"

namespace tilescope {
namespace {

class Space : public ::testing::Test {
 protected:
  void SetUp() override {
    auto catalogue = load_catalogue({resource_directory() / "kernels"});
    ASSERT_TRUE(catalogue.ok());
    catalogue_ = *std::move(catalogue);
    auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
    ASSERT_TRUE(devices.ok());
    devices_ = *std::move(devices);
    device_ = find_device(devices_, 90);
    entry_ = catalogue_.find("gemm/register_tile");
    for (const ParameterSpec& spec : entry_->parameters) {
      start_[spec.name] = spec.default_value;
      names_.insert(spec.name);
    }
  }
  [[nodiscard]] ParameterSpace space(const std::set<std::string>& explored,
                                     std::size_t most = 1'000'000) const {
    auto made = parameter_space(*entry_, start_, explored, entry_->default_extents, *device_, most,
                                std::stop_token());
    EXPECT_TRUE(made.ok());
    return made.ok() ? *made : ParameterSpace{};
  }

  Catalogue catalogue_;
  std::vector<DeviceModel> devices_;
  const DeviceModel* device_ = nullptr;
  const CatalogueEntry* entry_ = nullptr;
  ParameterSet start_;
  std::set<std::string> names_;
};

TEST_F(Space, HoldsEveryLegalCombinationOnceAndNoneThatIsNot) {
  const std::set<std::string> explored{"TILE_M", "TILE_K", "THREAD_M", "STAGES"};
  const ParameterSpace found = space(explored);
  std::set<std::vector<std::int64_t>> expected;
  ParameterSet parameters = start_;
  const auto values = [&](const char* name) -> const std::vector<std::int64_t>& {
    return std::ranges::find(entry_->parameters, name, &ParameterSpec::name)->values;
  };
  std::uint64_t asked = 0;
  for (const auto m : values("TILE_M")) {
    for (const auto k : values("TILE_K")) {
      for (const auto thread : values("THREAD_M")) {
        for (const auto stages : values("STAGES")) {
          parameters["TILE_M"] = m;
          parameters["TILE_K"] = k;
          parameters["THREAD_M"] = thread;
          parameters["STAGES"] = stages;
          ++asked;
          if (check_rules(*entry_, parameters, entry_->default_extents, *device_).empty()) {
            expected.insert(values_of(*entry_, parameters));
          }
        }
      }
    }
  }
  EXPECT_EQ(found.combinations, asked);
  EXPECT_EQ(found.sets.size(), expected.size());
  EXPECT_EQ(std::set(found.sets.begin(), found.sets.end()), expected);
  EXPECT_LT(expected.size(), asked);
  EXPECT_TRUE(found.complete);
}

TEST_F(Space, SaysWhenThereAreMoreThanItKeeps) {
  const ParameterSpace found = space({"STAGES", "TILE_K"}, 3);
  EXPECT_EQ(found.sets.size(), 3U);
  EXPECT_FALSE(found.complete);
}

TEST_F(Space, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(parameter_space(*entry_, start_, names_, entry_->default_extents, *device_, 1000,
                               stop.get_token())
                   .ok());
}

TEST_F(Space, ATunerTriesEachSetOnceAndTheStartFirst) {
  const ParameterSpace found = space({"TILE_M", "TILE_K", "STAGES"});
  TuningOrder order(*entry_, found, values_of(*entry_, start_));
  std::set<std::size_t> tried;
  while (const auto next = order.next()) {
    if (tried.empty()) {
      EXPECT_EQ(order.set(*next), values_of(*entry_, start_));
    }
    EXPECT_TRUE(tried.insert(*next).second);
    order.found(*next, 1.0 + static_cast<double>(*next % 7));
  }
  EXPECT_EQ(tried.size(), found.sets.size());
}

// Time falls with STAGES: the tuner walks along it, each time from the best one's neighbours.
TEST_F(Space, ATunerFollowsTheBest) {
  start_["STAGES"] = 1;
  const ParameterSpace found = space({"STAGES", "TILE_K"});
  TuningOrder order(*entry_, found, values_of(*entry_, start_));
  const auto place_of = [&](const char* name) {
    return static_cast<std::size_t>(
        std::ranges::find(entry_->parameters, name, &ParameterSpec::name) -
        entry_->parameters.begin());
  };
  const std::size_t stages = place_of("STAGES");
  const std::size_t tile_k = place_of("TILE_K");
  std::vector<std::int64_t> best = values_of(*entry_, start_);
  double best_seconds = 1e9;
  for (std::size_t i = 0; i < found.sets.size(); ++i) {
    const auto next = order.next();
    ASSERT_TRUE(next);
    const auto& set = order.set(*next);
    if (i > 0 && i < 4) {  // one step away from the best so far
      EXPECT_LE(std::abs(set[stages] - best[stages]), 1) << i;
      EXPECT_TRUE(set[stages] == best[stages] || set[tile_k] == best[tile_k]) << i;
    }
    const double seconds =
        10.0 - static_cast<double>(set[stages]) + std::abs(static_cast<double>(set[tile_k]) - 16);
    order.found(*next, seconds);
    if (seconds < best_seconds) {
      best_seconds = seconds;
      best = set;
    }
  }
  EXPECT_EQ(best[tile_k], 16);
  EXPECT_FALSE(order.next());
}

}  // namespace
}  // namespace tilescope
