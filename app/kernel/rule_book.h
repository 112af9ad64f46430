#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "kernel/expression.h"
#include "kernel/instance.h"

namespace tilescope {

// The device's limits under the names that rules use (kernel/catalogue_entry.h).
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

}  // namespace tilescope
