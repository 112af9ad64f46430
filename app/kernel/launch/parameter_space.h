#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/expression.h"
#include "core/result.h"
#include "kernel/catalogue/parameter_values.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// Every legal combination of some of an entry's parameters, the others as they are. Values are in
// the order of CatalogueEntry::parameters.
struct ParameterSpace {
  std::vector<std::vector<std::int64_t>> sets;  // ascending, each once
  std::uint64_t combinations = 0;               // that the sliders offer, legal or not
  bool complete = true;                         // false: there are more than `most` legal ones
};

// `explored` names parameters; unknown names are left out. At most `most` sets are kept. A few
// microseconds a combination. Fails where the entry's rules cannot be understood, and kCancelled.
[[nodiscard]] Result<ParameterSpace> parameter_space(const CatalogueEntry& entry,
                                                     const ParameterSet& from,
                                                     const std::set<std::string>& explored,
                                                     const ParameterSet& extents,
                                                     const DeviceModel& device, std::size_t most,
                                                     const std::stop_token& stop);

// In which order a tuner tries them: the start first, then always the nearest to the best found so
// far that was not tried, in steps of the sliders. So the best one's neighbours come first, and in
// the end every set came once.
class TuningOrder {
 public:
  // `start` need not be one of the sets.
  TuningOrder(const CatalogueEntry& entry, ParameterSpace space, std::vector<std::int64_t> start);

  [[nodiscard]] std::size_t size() const { return space_.sets.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& set(std::size_t index) const {
    return space_.sets[index];
  }
  // The next one to try; nullopt: all were handed out.
  [[nodiscard]] std::optional<std::size_t> next();
  // What came of it; less is better. What failed is not told.
  void found(std::size_t index, double seconds);

 private:
  [[nodiscard]] std::vector<std::int32_t> steps_of(const std::vector<std::int64_t>& values) const;

  void put_in_order();

  const CatalogueEntry* entry_;
  ParameterSpace space_;
  std::vector<std::int32_t> steps_;  // places on the sliders, set after set
  std::vector<bool> tried_;
  std::vector<std::size_t> queue_;  // those that were not tried, nearest first, if is_in_order_
  std::size_t next_in_queue_ = 0;
  bool is_in_order_ = false;
  std::vector<std::int32_t> centre_;  // of the best one, first of the start
  double best_seconds_ = 0;           // 0: none yet
};

// The device's limits under the names that rules use (kernel/catalogue/catalogue.h).
[[nodiscard]] ParameterSet device_limits(const DeviceModel& device);

// An entry's rules and the device's, compiled, to be asked about many sets of parameters.
// Parameters are given by value, in the order of CatalogueEntry::parameters. The entry must outlive
// it.
class RuleBook {
 public:
  // Fails where an expression cannot be understood or names what does not exist.
  [[nodiscard]] static Result<RuleBook> make(const CatalogueEntry& entry,
                                             const ParameterSet& extents,
                                             const DeviceModel& device);

  [[nodiscard]] bool legal(std::span<const std::int64_t> parameters);

  // The broken rules, as messages with the present values. The device's limits are looked at only
  // where the entry's own rules hold: before that the launch means nothing.
  struct Broken {
    std::string message;
    std::vector<std::size_t> parameters;  // indices of those that the rule names
  };
  [[nodiscard]] std::vector<Broken> broken(std::span<const std::int64_t> parameters);

 private:
  // An expression whose variables are places in slots_.
  struct Bound {
    Expression expression;
    std::vector<std::size_t> slots;
  };
  struct Rule {
    Bound condition;
    std::string message;
  };
  struct Limit {  // of the device, on something that the launch asks for
    Bound quantity;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::string formula;  // of the quantity, as shown
    std::string message;  // "a block would have {} threads"
  };
  struct LimitSpec;

  RuleBook(const CatalogueEntry& entry, const ParameterSet& extents, const DeviceModel& device);
  [[nodiscard]] Status add_rules();
  [[nodiscard]] Status add_limits();
  [[nodiscard]] Status add_limit(const LimitSpec& spec);
  [[nodiscard]] Result<Bound> bind(const std::string& expression) const;
  void set(std::span<const std::int64_t> parameters);
  [[nodiscard]] std::optional<std::int64_t> value(const Bound& bound) const;
  [[nodiscard]] bool holds(const Rule& rule) const;
  [[nodiscard]] bool holds(const Limit& limit) const;
  [[nodiscard]] Broken describe(const Rule& rule) const;
  [[nodiscard]] Broken describe(const Limit& limit) const;
  [[nodiscard]] std::vector<std::size_t> parameters_of(const Bound& bound) const;
  [[nodiscard]] std::string with_values(std::string_view text) const;

  const CatalogueEntry* entry_;
  const DeviceModel* device_;
  std::vector<std::string> names_;   // parameters, extents, device limits
  std::vector<std::int64_t> slots_;  // their values
  std::vector<Rule> rules_;
  std::vector<Limit> limits_;
};

// The legal values of one parameter, the others as they are.
[[nodiscard]] std::vector<std::int64_t> legal_values(const CatalogueEntry& entry, RuleBook& rules,
                                                     std::span<const std::int64_t> parameters,
                                                     std::size_t which);

// The legal set the fewest slider steps away from `parameters`; of several, the one that moves the
// fewest sliders, then one that moves later sliders rather than earlier ones. Values that no slider
// offers count from the nearest offered one. The search ends after about 10 ms (60,000 sets); the
// entry's defaults stand in then, where they are legal.
[[nodiscard]] std::optional<std::vector<std::int64_t>> nearest_legal(
    const CatalogueEntry& entry, RuleBook& rules, std::span<const std::int64_t> parameters);

}  // namespace tilescope
