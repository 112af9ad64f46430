#include "kernel/launch/parameter_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/launch_limits.h"
#include "core/quantity.h"
#include "kernel/catalogue/catalogue.h"

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

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What a device says of the limit that a rule of an entry asks for.
std::string limit_in_words(const std::string& name, const DeviceModel& device) {
  if (name == "compute_capability") return fmt::format("is sm_{}", device.compute_capability);
  const ParameterSet limits = device_limits(device);
  const std::string value = format_count(static_cast<std::uint64_t>(limits.at(name)));
  if (name == "max_threads_per_block") return fmt::format("allows {} threads per block", value);
  if (name == "registers_per_block") return fmt::format("has {} registers for a block", value);
  if (name == "multiprocessors") return fmt::format("has {} multiprocessors", value);
  return fmt::format("allows {} bytes of shared memory per block", value);
}

}  // namespace

ParameterSet device_limits(const DeviceModel& device) {
  return {{"compute_capability", device.compute_capability},
          {"max_threads_per_block", device.max_threads_per_block},
          {"shared_bytes_per_block", device.shared_bytes_per_block},
          {"shared_bytes_per_block_optin", device.shared_bytes_per_block_optin},
          {"registers_per_block", device.registers_per_block},
          {"multiprocessors", device.multiprocessors}};
}

RuleBook::RuleBook(const CatalogueEntry& entry, const ParameterSet& extents,
                   const DeviceModel& device)
    : entry_(&entry), device_(&device) {
  for (const ParameterSpec& parameter : entry.parameters) names_.push_back(parameter.name);
  slots_.resize(names_.size());
  const auto add = [&](const ParameterSet& values) {
    for (const auto& [name, value] : values) {
      names_.push_back(name);
      slots_.push_back(value);
    }
  };
  add(extents);
  add(device_limits(device));
}

Result<RuleBook> RuleBook::make(const CatalogueEntry& entry, const ParameterSet& extents,
                                const DeviceModel& device) {
  RuleBook book(entry, extents, device);
  if (Status added = book.add_rules(); !added) return std::move(added).error();
  if (Status added = book.add_limits(); !added) return std::move(added).error();
  return book;
}

Status RuleBook::add_rules() {
  for (const RuleSpec& spec : entry_->rules) {
    Result<Bound> condition = bind(spec.condition);
    if (!condition) return std::move(condition).error();
    rules_.push_back({std::move(condition).value(), spec.message});
  }
  return ok_status();
}

struct RuleBook::LimitSpec {
  std::string quantity;
  std::string formula;
  std::int64_t least;
  std::int64_t most;
  std::string message;
};

Status RuleBook::add_limits() {
  const auto& block = entry_->block;
  const auto& grid = entry_->grid;
  const std::string threads = fmt::format("({}) * ({}) * ({})", block[0], block[1], block[2]);
  std::string shown = block[0];  // without the factors of 1
  if (block[1] != "1") shown += " * " + block[1];
  if (block[2] != "1") shown += " * " + block[2];
  const std::string& shared = entry_->dynamic_shared_bytes;

  const LimitSpec specs[] = {
      {threads, shown, 1, device_->max_threads_per_block, "a block would have {} threads"},
      {block[2], block[2], 1, kLargestBlock.z, "a block would be {} threads deep"},
      {shared, shared, 0, device_->shared_bytes_per_block_optin,
       "a block would need {} bytes of shared memory"},
      {grid[0], grid[0], 1, kLargestGrid.x, "the grid would be {} blocks wide"},
      {grid[1], grid[1], 1, kLargestGrid.y, "the grid would be {} blocks high"},
      {grid[2], grid[2], 1, kLargestGrid.z, "the grid would be {} blocks deep"},
  };
  for (const LimitSpec& spec : specs) {
    if (Status added = add_limit(spec); !added) return added;
  }
  return ok_status();
}

Status RuleBook::add_limit(const LimitSpec& spec) {
  Result<Bound> quantity = bind(spec.quantity);
  if (!quantity) return std::move(quantity).error();
  limits_.push_back({.quantity = std::move(quantity).value(),
                     .least = spec.least,
                     .most = spec.most,
                     .formula = spec.formula,
                     .message = spec.message});
  return ok_status();
}

Result<RuleBook::Bound> RuleBook::bind(const std::string& expression) const {
  Result<Expression> parsed = Expression::parse(expression);
  if (!parsed) return std::move(parsed).error();
  Bound bound{std::move(parsed).value(), {}};
  for (const std::string& name : bound.expression.variables()) {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      return Error{
          ErrorCode::kUsage, fmt::format("{} has no value in \"{}\"", name, expression), "", {}};
    }
    bound.slots.push_back(static_cast<std::size_t>(found - names_.begin()));
  }
  return bound;
}

bool RuleBook::legal(std::span<const std::int64_t> parameters) {
  set(parameters);
  return std::ranges::all_of(rules_, [&](const Rule& rule) { return holds(rule); }) &&
         std::ranges::all_of(limits_, [&](const Limit& limit) { return holds(limit); });
}

std::vector<RuleBook::Broken> RuleBook::broken(std::span<const std::int64_t> parameters) {
  set(parameters);
  std::vector<Broken> found;
  for (const Rule& rule : rules_) {
    if (!holds(rule)) found.push_back(describe(rule));
  }
  if (!found.empty()) return found;  // the launch means nothing
  for (const Limit& limit : limits_) {
    if (!holds(limit)) found.push_back(describe(limit));
  }
  return found;
}

void RuleBook::set(std::span<const std::int64_t> parameters) {
  std::ranges::copy(parameters, slots_.begin());
}

std::optional<std::int64_t> RuleBook::value(const Bound& bound) const {
  std::array<std::int64_t, 64> values;
  if (bound.slots.size() > values.size()) return std::nullopt;
  for (std::size_t i = 0; i < bound.slots.size(); ++i) values[i] = slots_[bound.slots[i]];
  return bound.expression.value({values.data(), bound.slots.size()});
}

bool RuleBook::holds(const Rule& rule) const { return value(rule.condition).value_or(0) != 0; }

bool RuleBook::holds(const Limit& limit) const {
  const std::optional<std::int64_t> quantity = value(limit.quantity);
  return quantity && *quantity >= limit.least && *quantity <= limit.most;
}

RuleBook::Broken RuleBook::describe(const Rule& rule) const {
  std::string message = with_values(rule.message);
  const auto& limits = device_limit_names();
  for (const std::string& name : rule.condition.expression.variables()) {
    if (std::ranges::find(limits, name) == limits.end()) continue;
    message += fmt::format("; the device {}", limit_in_words(name, *device_));
  }
  return {std::move(message), parameters_of(rule.condition)};
}

RuleBook::Broken RuleBook::describe(const Limit& limit) const {
  const std::optional<std::int64_t> quantity = value(limit.quantity);
  const std::string number = !quantity       ? "an impossible number of"
                             : *quantity < 0 ? std::to_string(*quantity)
                                             : format_count(static_cast<std::uint64_t>(*quantity));
  return {
      fmt::format("{}, {}; the device allows {}", fmt::format(fmt::runtime(limit.message), number),
                  with_values(limit.formula), format_count(static_cast<std::uint64_t>(limit.most))),
      parameters_of(limit.quantity)};
}

std::vector<std::size_t> RuleBook::parameters_of(const Bound& bound) const {
  std::vector<std::size_t> found;
  for (std::size_t slot : bound.slots) {
    if (slot < entry_->parameters.size()) found.push_back(slot);
  }
  std::ranges::sort(found);
  return found;
}

// "TILE_M must be ..." -> "TILE_M 96 must be ...": each name's first occurrence gets its value.
std::string RuleBook::with_values(std::string_view text) const {
  std::vector<bool> shown(names_.size());
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    result += end == at ? text.substr(at, 1) : word;
    at = end == at ? at + 1 : end;
    const auto found = std::ranges::find(names_, word);
    if (word.empty() || found == names_.end()) continue;
    const auto index = static_cast<std::size_t>(found - names_.begin());
    if (!shown[index]) result += fmt::format(" {}", slots_[index]);
    shown[index] = true;
  }
  return result;
}

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
