#include "kernel/rule_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/quantity.h"
#include "kernel/catalogue_entry.h"

namespace tilescope {
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

  // Extents of grids and of blocks are the same on every device (CUDA C++ Programming Guide,
  // Technical Specifications per Compute Capability).
  const LimitSpec specs[] = {
      {threads, shown, 1, device_->max_threads_per_block, "a block would have {} threads"},
      {block[2], block[2], 1, 64, "a block would be {} threads deep"},
      {shared, shared, 0, device_->shared_bytes_per_block_optin,
       "a block would need {} bytes of shared memory"},
      {grid[0], grid[0], 1, 2147483647, "the grid would be {} blocks wide"},
      {grid[1], grid[1], 1, 65535, "the grid would be {} blocks high"},
      {grid[2], grid[2], 1, 65535, "the grid would be {} blocks deep"},
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

}  // namespace tilescope
