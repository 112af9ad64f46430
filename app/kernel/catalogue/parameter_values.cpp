#include "kernel/catalogue/parameter_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/number_text.h"
#include "core/text.h"

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

std::optional<ParameterSet> parse_values(std::string_view text) {
  ParameterSet values;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view digits = trimmed(one.substr(equals + 1));
    const auto value = parse_number<std::int64_t>(digits);
    if (name.empty() || !value || !values.emplace(name, *value).second) return std::nullopt;
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::pair<std::string, std::int64_t>> in_declared_order(const CatalogueEntry* entry,
                                                                    const ParameterSet& values) {
  std::vector<std::string> order;
  if (entry != nullptr) {
    for (const ParameterSpec& spec : entry->parameters) order.push_back(spec.name);
    for (const ExtentSpec& extent : entry->problem->extents) order.push_back(extent.name);
  }
  order.insert(order.end(), {"M", "N", "K", "ROWS", "COLS"});
  std::vector<std::pair<std::string, std::int64_t>> ordered(values.begin(), values.end());
  std::ranges::stable_sort(ordered, {}, [&order](const auto& value) {
    return std::ranges::find(order, value.first) - order.begin();
  });
  return ordered;
}

std::string values_words(const CatalogueEntry* entry, const ParameterSet& values) {
  std::string words;
  for (const auto& [name, value] : in_declared_order(entry, values)) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, value);
  }
  return words;
}

}  // namespace tilescope
