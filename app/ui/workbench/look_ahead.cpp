#include "ui/workbench/look_ahead.h"

#include <algorithm>
#include <utility>

#include "kernel/legal_search.h"
#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"
#include "session/variant_instance.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

LookAhead::LookAhead(const Catalogue& catalogue, unsigned ahead_threads, unsigned around_threads)
    : catalogue_(catalogue),
      around_threads_(around_threads),
      ahead_(ahead_threads),
      around_(around_threads) {}

LookAhead::Of LookAhead::of(const Variant& variant, const DeviceModel& device,
                            const std::string& parameter) {
  return {variant.entry, variant.edited, variant.parameters, variant.extents, parameter, &device};
}

// The variant at each legal value of one of its entry's parameters, by value.
std::vector<CompileAhead::Variant> LookAhead::alternatives(const Variant& variant,
                                                           const DeviceModel& device,
                                                           const ParameterSpec& spec) const {
  const CatalogueEntry& entry = *variant.entry;
  auto rules = RuleBook::make(entry, variant.extents, device);
  if (!rules || !variant.parameters.contains(spec.name)) return {};
  const auto which = static_cast<std::size_t>(&spec - entry.parameters.data());
  std::vector<CompileAhead::Variant> found;
  VariantDocument other = Workbench::document_of(variant);
  for (const std::int64_t value :
       legal_values(entry, *rules, values_of(entry, variant.parameters), which)) {
    other.parameters[spec.name] = value;
    auto instance = instance_of(other, catalogue_, device);
    if (instance) found.push_back({value, *std::move(instance)});
  }
  return found;
}

void LookAhead::look_ahead(const Variant& variant, const DeviceModel& device,
                           const std::string& parameter) {
  if (variant.entry == nullptr) return;
  Of now = of(variant, device, parameter);
  if (now == ahead_of_) return;
  ahead_of_ = std::move(now);
  stop_looking_around();
  const auto spec = std::ranges::find(variant.entry->parameters, parameter, &ParameterSpec::name);
  if (spec == variant.entry->parameters.end()) return;
  ahead_.follow({.parameter = parameter,
                 .variants = alternatives(variant, device, *spec),
                 .present = variant.value_of(*spec),
                 .compute_capability = device.compute_capability});
}

void LookAhead::look_around(const Variant& variant, const DeviceModel& device) {
  Of now = of(variant, device, "");
  if (now == around_of_) return;
  around_of_ = std::move(now);
  CompileAhead::Plan plan;
  plan.compute_capability = device.compute_capability;
  for (const ParameterSpec& spec : variant.entry->parameters) {
    std::vector<CompileAhead::Variant> others = alternatives(variant, device, spec);
    const std::int64_t present = variant.value_of(spec);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool below = i + 1 < others.size() && others[i + 1].value == present;
      const bool above = i > 0 && others[i - 1].value == present;
      if (!below && !above) continue;
      plan.variants.push_back(
          {static_cast<std::int64_t>(plan.variants.size()), others[i].instance});
    }
  }
  around_.follow(std::move(plan));
}

void LookAhead::stop_looking_around() {
  around_.drop();
  around_of_ = {};
}

void LookAhead::drop() {
  ahead_.drop();
  ahead_of_ = {};
}

bool LookAhead::compiled(const Variant& variant, const std::string& parameter,
                         std::int64_t value) const {
  if (ahead_of_.parameter != parameter || ahead_of_.entry != variant.entry ||
      ahead_of_.edited != variant.edited)
    return false;
  ParameterSet others = variant.parameters;
  const auto planned = ahead_of_.parameters.find(parameter);
  if (planned == ahead_of_.parameters.end()) return false;
  others[parameter] = planned->second;
  return others == ahead_of_.parameters && ahead_.ready(parameter, value);
}

}  // namespace tilescope
