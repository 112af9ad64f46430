// What a person chooses of the active variant: kernel, parameters, size and block. Each choice asks
// for a study.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/parameter_values.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

const CatalogueEntry* Workbench::usual_kernel() const {
  const CatalogueEntry* usual = catalogue_.find("gemm/register_tile");
  if (usual != nullptr || catalogue_.entries.empty()) return usual;
  return &catalogue_.entries.front();
}

void Workbench::choose_kernel(const CatalogueEntry& entry) {
  Variant& variant = active();
  const bool same_problem = variant.entry != nullptr && variant.entry->problem == entry.problem;
  ParameterSet extents = same_problem ? variant.extents : entry.default_extents;
  GemmFactors factors = same_problem ? variant.factors : GemmFactors{};
  variant = Variant{};
  variant.entry = &entry;
  variant.factors = std::move(factors);
  variant.extents = std::move(extents);
  if (const auto edit = edits_.find(entry.id); edit != edits_.end()) variant.edited = edit->second;
  variant.parameters = default_parameters(entry);
  look_ahead_.drop();
  if (!same_problem) {  // GB/s and FLOP/s share no axis
    live_.clear();
    changes_.clear();
  }
  changes_.push_back({now_seconds(), entry.title});
  request_study(active_);
}

void Workbench::apply(const ParameterSet& parameters) {
  Variant& variant = active();
  if (variant.entry == nullptr || parameters == variant.parameters) return;
  std::string label;
  for (const auto& [name, value] : parameters) {
    const auto old = variant.parameters.find(name);
    if (old != variant.parameters.end() && old->second == value) continue;
    label += fmt::format("{}{} {}", label.empty() ? "" : ", ", name, value);
  }
  variant.parameters = parameters;
  changes_.push_back({now_seconds(), std::move(label)});
  request_study(active_);
}

void Workbench::set_parameter(const std::string& name, std::int64_t value) {
  if (active().own) {
    const OwnKernel& own = *active().own;
    const auto spec = std::ranges::find(own.parameters, name, &ParameterSpec::name);
    if (spec == own.parameters.end() || active().value_of(*spec) == value) return;
    changes_.push_back({now_seconds(), fmt::format("{} {}", name, value)});
    set_launch(with_parameter(own.launch, {own.file.path, active().source()}, *spec, value));
    return;
  }
  ParameterSet parameters = active().parameters;
  parameters[name] = value;
  apply(parameters);
  look_ahead(name);
}

void Workbench::set_extent(const std::string& name, std::int64_t value) {
  Variant& variant = active();
  if (variant.entry == nullptr || value < 1 || variant.extents[name] == value) return;
  variant.extents[name] = value;
  changes_.push_back({now_seconds(), fmt::format("{} {}", name, value)});
  request_study(active_);
}

void Workbench::set_factor(const std::string& name, double value) {
  Variant& variant = active();
  if (variant.entry == nullptr || !std::isfinite(static_cast<float>(value))) return;
  const std::vector<std::string> known = factor_names(*variant.entry);
  if (std::ranges::find(known, name) == known.end()) return;
  GemmFactors factors = with_factor(variant.factors, name, value);
  if (factors == variant.factors) return;
  variant.factors = std::move(factors);
  changes_.push_back({now_seconds(), fmt::format("{} {}", name, factor_of(variant.factors, name))});
  request_study(active_);
}

void Workbench::reset_parameters() {
  if (active().entry == nullptr) return;
  apply(default_parameters(*active().entry));
}

void Workbench::select_block(std::uint64_t linear_block) {
  if (active().selection.block == linear_block) return;
  active().selection.block = linear_block;
  active().selection.warp = 0;
  request_study(active_);
}

}  // namespace tilescope
