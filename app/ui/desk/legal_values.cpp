#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"
#include "ui/desk/desk.h"

namespace tilescope {

void LegalValues::update(const CatalogueEntry* new_entry, const ParameterSet& new_parameters,
                         const ParameterSet& new_extents, const DeviceModel& device) {
  if (entry == new_entry && parameters == new_parameters && extents == new_extents) return;
  entry = new_entry;
  parameters = new_parameters;
  extents = new_extents;
  legal.clear();
  names.clear();
  if (entry == nullptr) return;
  for (const ParameterSpec& spec : entry->parameters) names.push_back(spec.name);
  Result<RuleBook> rules = RuleBook::make(*entry, extents, device);
  if (!rules.ok()) return;  // the study names what is wrong; no tick is marked meanwhile
  std::vector<std::int64_t> values = values_of(*entry, parameters);
  for (std::size_t i = 0; i < entry->parameters.size(); ++i) {
    const ParameterSpec& spec = entry->parameters[i];
    std::vector<bool>& row = legal[spec.name];
    const std::int64_t present = values[i];
    for (const std::int64_t value : spec.values) {
      values[i] = value;
      row.push_back(rules->legal(values));
    }
    values[i] = present;
  }
}

}  // namespace tilescope
