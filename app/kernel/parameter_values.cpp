#include "kernel/parameter_values.h"

#include <cstddef>

namespace tilescope {

ParameterSet default_parameters(const CatalogueEntry& entry) {
  ParameterSet parameters;
  for (const ParameterSpec& spec : entry.parameters) parameters[spec.name] = spec.default_value;
  return parameters;
}

std::vector<std::int64_t> values_of(const CatalogueEntry& entry, const ParameterSet& parameters) {
  std::vector<std::int64_t> values;
  for (const ParameterSpec& spec : entry.parameters) {
    const auto found = parameters.find(spec.name);
    values.push_back(found != parameters.end() ? found->second : spec.default_value);
  }
  return values;
}

ParameterSet parameters_of(const CatalogueEntry& entry, const std::vector<std::int64_t>& values) {
  ParameterSet parameters;
  for (std::size_t i = 0; i < values.size(); ++i) parameters[entry.parameters[i].name] = values[i];
  return parameters;
}

}  // namespace tilescope
