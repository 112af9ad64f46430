#include "kernel/legal_search.h"

#include <algorithm>
#include <cstdlib>

namespace tilescope {
namespace {

constexpr int kMostTried = 60'000;

// Visits the sets at a given number of steps, shell by shell.
class NearestSearch {
 public:
  NearestSearch(const CatalogueEntry& entry, RuleBook& rules,
                std::span<const std::int64_t> parameters)
      : entry_(entry), rules_(rules), values_(parameters.begin(), parameters.end()) {
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
      start_.push_back(nearest_step(entry.parameters[i].values, values_[i]));
      farthest_ += static_cast<std::int64_t>(entry.parameters[i].values.size());
    }
    // What the parameters from i on can make at most, to leave out shells that cannot be filled.
    reach_.resize(start_.size() + 1, 0);
    for (std::size_t i = start_.size(); i-- > 0;) {
      const auto last = static_cast<std::int64_t>(entry.parameters[i].values.size()) - 1;
      reach_[i] = reach_[i + 1] + std::max(start_[i], last - start_[i]);
    }
  }

  std::optional<std::vector<std::int64_t>> run() {
    for (std::int64_t steps = 0; steps <= farthest_ && tried_ < kMostTried; ++steps) {
      visit(0, steps, 0);
      if (!best_.empty()) return best_;
    }
    return std::nullopt;
  }

 private:
  static std::int64_t nearest_step(const std::vector<std::int64_t>& values, std::int64_t value) {
    const auto above = std::ranges::lower_bound(values, value);
    if (above == values.end()) return static_cast<std::int64_t>(values.size()) - 1;
    const std::int64_t index = above - values.begin();
    const bool below_is_nearer = index > 0 && value - *(above - 1) < *above - value;
    return below_is_nearer ? index - 1 : index;
  }

  // Gives parameter `which` and those after it all placings that use up `steps`.
  void visit(std::size_t which, std::int64_t steps, int moved) {
    if (steps > reach_[which] || tried_ >= kMostTried) return;
    if (!best_.empty() && moved >= fewest_moved_) return;
    if (which == start_.size()) {
      ++tried_;
      if (rules_.legal(values_)) {
        best_ = values_;
        fewest_moved_ = moved;
      }
      return;
    }
    const std::vector<std::int64_t>& offered = entry_.parameters[which].values;
    const auto place = [&](std::int64_t step) {
      if (step < 0 || step >= static_cast<std::int64_t>(offered.size())) return;
      const std::int64_t distance = std::abs(step - start_[which]);
      values_[which] = offered[static_cast<std::size_t>(step)];
      visit(which + 1, steps - distance, moved + (distance == 0 ? 0 : 1));
    };
    place(start_[which]);
    for (std::int64_t distance = 1; distance <= steps; ++distance) {
      place(start_[which] - distance);
      place(start_[which] + distance);
    }
  }

  const CatalogueEntry& entry_;
  RuleBook& rules_;
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> start_;  // index into each parameter's values
  std::vector<std::int64_t> reach_;
  std::int64_t farthest_ = 0;
  int tried_ = 0;
  int fewest_moved_ = 0;
  std::vector<std::int64_t> best_;
};

}  // namespace

std::vector<std::int64_t> legal_values(const CatalogueEntry& entry, RuleBook& rules,
                                       std::span<const std::int64_t> parameters,
                                       std::size_t which) {
  std::vector<std::int64_t> changed(parameters.begin(), parameters.end());
  std::vector<std::int64_t> legal;
  for (std::int64_t value : entry.parameters[which].values) {
    changed[which] = value;
    if (rules.legal(changed)) legal.push_back(value);
  }
  return legal;
}

std::optional<std::vector<std::int64_t>> nearest_legal(const CatalogueEntry& entry, RuleBook& rules,
                                                       std::span<const std::int64_t> parameters) {
  if (auto found = NearestSearch(entry, rules, parameters).run()) return found;
  std::vector<std::int64_t> defaults;
  for (const ParameterSpec& parameter : entry.parameters) {
    defaults.push_back(parameter.default_value);
  }
  if (!rules.legal(defaults)) return std::nullopt;
  return defaults;
}

}  // namespace tilescope
