#include "kernel/parameter_space.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
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
  for (const auto& values : space_.sets) {
    const std::vector<std::int32_t> steps = steps_of(values);
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }
  centre_ = steps_of(start);
}

// All that were not tried, by how far they are from the centre: steps, then sliders that move; the
// first of equals first. In time linear in how many there are.
void TuningOrder::put_in_order() {
  const std::size_t axes = centre_.size();
  std::vector<std::size_t> keys(tried_.size());
  std::size_t most = 0;
  for (std::size_t i = 0; i < tried_.size(); ++i) {
    std::size_t far = 0;
    std::size_t moved = 0;
    for (std::size_t p = 0; p < axes; ++p) {
      const auto away = static_cast<std::size_t>(std::abs(steps_[i * axes + p] - centre_[p]));
      far += away;
      moved += away > 0 ? 1 : 0;
    }
    keys[i] = far * (axes + 1) + moved;
    most = std::max(most, keys[i]);
  }
  std::vector<std::size_t> ends(most + 2);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!tried_[i]) ++ends[keys[i] + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  queue_.resize(ends.back());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!tried_[i]) queue_[ends[keys[i]]++] = i;
  }
  next_in_queue_ = 0;
  is_in_order_ = true;
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
  if (!is_in_order_) put_in_order();
  if (next_in_queue_ == queue_.size()) return std::nullopt;
  const std::size_t nearest = queue_[next_in_queue_++];
  tried_[nearest] = true;
  return nearest;
}

void TuningOrder::found(std::size_t index, double seconds) {
  if (seconds <= 0 || (best_seconds_ > 0 && seconds >= best_seconds_)) return;
  best_seconds_ = seconds;
  const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(index * centre_.size());
  centre_.assign(first, first + static_cast<std::ptrdiff_t>(centre_.size()));
  is_in_order_ = false;
}

}  // namespace tilescope
