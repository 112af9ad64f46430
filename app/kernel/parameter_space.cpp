#include "kernel/parameter_space.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "kernel/rule_book.h"

namespace tilescope {
namespace {

constexpr std::uint64_t kAskedBetweenStops = 1024;

}  // namespace

Result<ParameterSpace> parameter_space(const CatalogueEntry& entry, const ParameterSet& from,
                                       const std::set<std::string>& explored,
                                       const ParameterSet& extents, const DeviceModel& device,
                                       std::size_t most, const std::stop_token& stop) {
  auto rules = RuleBook::make(entry, extents, device);
  if (!rules) return rules.error();
  const std::vector<std::int64_t> start = values_of(entry, from);
  std::vector<std::vector<std::int64_t>> offered;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const ParameterSpec& spec = entry.parameters[i];
    const bool moves = explored.contains(spec.name);
    offered.push_back(moves ? spec.values : std::vector{start[i]});
  }
  ParameterSpace space;
  space.combinations = 1;
  for (const auto& values : offered) space.combinations *= values.size();
  // Counts as an odometer does, the last parameter fastest.
  std::vector<std::size_t> place(offered.size(), 0);
  std::vector<std::int64_t> values = start;
  for (std::uint64_t asked = 0; asked < space.combinations; ++asked) {
    if (asked % kAskedBetweenStops == 0 && stop.stop_requested()) {
      return Error{ErrorCode::kCancelled, "counting was cancelled", "", {}};
    }
    for (std::size_t i = 0; i < place.size(); ++i) values[i] = offered[i][place[i]];
    if (rules->legal(values)) {
      if (space.sets.size() == most) {
        space.complete = false;
        break;
      }
      space.sets.push_back(values);
    }
    for (std::size_t i = place.size(); i-- > 0;) {
      if (++place[i] < offered[i].size()) break;
      place[i] = 0;
    }
  }
  return space;
}

TuningOrder::TuningOrder(const CatalogueEntry& entry, ParameterSpace space,
                         std::vector<std::int64_t> start)
    : entry_(&entry), space_(std::move(space)), tried_(space_.sets.size(), false) {
  steps_.reserve(space_.sets.size());
  for (const auto& values : space_.sets) steps_.push_back(steps_of(values));
  centre_ = steps_of(start);
}

std::vector<std::int32_t> TuningOrder::steps_of(const std::vector<std::int64_t>& values) const {
  std::vector<std::int32_t> steps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& offered = entry_->parameters[i].values;
    const auto at = std::ranges::lower_bound(offered, values[i]);
    steps.push_back(static_cast<std::int32_t>(at - offered.begin()));
  }
  return steps;
}

std::optional<std::size_t> TuningOrder::next() {
  std::optional<std::size_t> nearest;
  std::tuple<std::int32_t, std::int32_t> least{};  // steps, then sliders that move
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (tried_[i]) continue;
    std::int32_t far = 0;
    std::int32_t moved = 0;
    for (std::size_t p = 0; p < centre_.size(); ++p) {
      const std::int32_t away = std::abs(steps_[i][p] - centre_[p]);
      far += away;
      moved += away > 0 ? 1 : 0;
    }
    if (nearest && std::tuple(far, moved) >= least) continue;
    nearest = i;
    least = {far, moved};
  }
  if (nearest) tried_[*nearest] = true;
  return nearest;
}

void TuningOrder::found(std::size_t index, double seconds) {
  if (seconds <= 0 || (best_seconds_ > 0 && seconds >= best_seconds_)) return;
  best_seconds_ = seconds;
  centre_ = steps_[index];
}

}  // namespace tilescope
