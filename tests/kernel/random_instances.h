#pragma once
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "kernel/launch/gemm_factors.h"
#include "kernel/test_catalogue.h"

namespace tilescope::testing {

// A catalogue kernel at a few parameters.
struct RandomLaunch {
  ParameterSet parameters;
  ParameterSet extents;
  GemmFactors factors;  // of a GEMM: every other one has some
};

inline std::string to_text(const RandomLaunch& launch) {
  std::string text;
  for (const auto& [name, value] : launch.parameters) {
    text.append(name).append("=").append(std::to_string(value)).append(" ");
  }
  for (const auto& [name, value] : launch.extents) {
    text.append(name).append("=").append(std::to_string(value)).append(" ");
  }
  return text + factors_text(launch.factors);
}

// `count` legal settings of the entry's sliders at sizes from 1 to `largest`, mostly ragged; the
// same for the same arguments.
inline std::vector<RandomLaunch> random_launches(const CatalogueEntry& entry, std::size_t count,
                                                 std::int64_t largest, const DeviceModel& device) {
  std::seed_seq seed(entry.id.begin(), entry.id.end());
  std::mt19937 random(seed);
  const auto below = [&](std::size_t end) { return random() % end; };
  std::vector<RandomLaunch> launches;
  while (launches.size() < count) {
    RandomLaunch launch;
    for (const ParameterSpec& parameter : entry.parameters) {
      launch.parameters[parameter.name] = parameter.values[below(parameter.values.size())];
    }
    // As many elements in one row as else in many.
    const bool is_row = entry.default_extents.size() == 1;
    for (const auto& [name, value] : entry.default_extents) {
      const std::int64_t most = is_row ? largest * largest : largest;
      launch.extents[name] = 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(most)));
      if (below(3) == 0)
        launch.extents[name] = std::max<std::int64_t>(launch.extents[name] / 32, 1) * 32;
    }
    if (entry.problem->multiplies() && launches.size() % 2 == 1) {
      const std::array<double, 4> some = {-0.5, 0.25, 1, 3};
      launch.factors = {{"alpha", some[below(some.size())]}, {"beta", some[below(some.size())]}};
    }
    const auto violations = check_rules(entry, launch.parameters, launch.extents, device);
    if (!violations.empty()) launch.parameters = violations.front().nearest_legal;
    if (!launch.parameters.empty() || entry.parameters.empty()) launches.push_back(launch);
  }
  return launches;
}

inline std::vector<std::string> catalogue_ids() {
  std::vector<std::string> ids;
  for (const CatalogueEntry& entry : catalogue().entries) ids.push_back(entry.id);
  return ids;
}

// As a test's name.
inline std::string name_of_id(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '/', '_');
  return name;
}

}  // namespace tilescope::testing
