// What makes a changed parameter's first point come soon: the part of the workbench that compiles
// for the GPU beside the study, and ahead of the person.
#include <algorithm>
#include <utility>

#include "core/inbox.h"
#include "kernel/legal_search.h"
#include "kernel/parameter_values.h"
#include "kernel/rule_book.h"
#include "session/variant_instance.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

struct Workbench::Cubins {
  struct Cubin {
    int variant = 0;
    std::uint64_t request = 0;
    std::shared_ptr<const KernelInstance> instance;
    std::shared_ptr<const CompiledKernel> compiled;
  };
  Inbox<Cubin> arrived;
};

std::shared_ptr<Workbench::Cubins> Workbench::make_cubins() { return std::make_shared<Cubins>(); }

// The study traces first and compiles for the GPU after; a measurement does not wait for that.
void Workbench::request_cubin(int index, const KernelInstance& instance) {
  const std::string tag = "cubin " + std::to_string(index);
  pool_.cancel(tag);
  const auto device = gpu_->device();
  const Variant& variant = variants_[static_cast<std::size_t>(index)];
  if (!settings_.measure || !device || !device->ok() || !variant.not_here.empty()) return;
  const std::uint64_t request = variant.request;
  pool_.submit(tag, [index, request, cubins = cubins_,
                     instance = std::make_shared<const KernelInstance>(instance),
                     capability = device_model_->compute_capability](const std::stop_token& stop) {
    auto compiled = compile({*instance, capability, true}, stop);
    if (!compiled || !compiled->can_be_loaded()) return;  // the study says what is wrong
    cubins->arrived.put(
        {index, request, instance, std::make_shared<const CompiledKernel>(*std::move(compiled))});
  });
}

void Workbench::take_cubins() {
  for (Cubins::Cubin& cubin : cubins_->arrived.take()) {
    const Variant* variant = waiting_for(cubin.variant, cubin.request);
    if (variant == nullptr || variant->measure_request == cubin.request) continue;
    if (!may_run(*cubin.instance, *cubin.compiled)) continue;
    measure(cubin.variant, std::move(cubin.instance), std::move(cubin.compiled));
  }
}

Workbench::AheadOf Workbench::ahead_of(const std::string& parameter) const {
  const Variant& variant = active();
  return {variant.entry,   variant.edited, variant.parameters,
          variant.extents, parameter,      &device_model(variant)};
}

// The active variant at each legal value of one of its entry's parameters, by value.
std::vector<CompileAhead::Variant> Workbench::alternatives(const ParameterSpec& spec) const {
  const Variant& variant = active();
  const CatalogueEntry& entry = *variant.entry;
  const DeviceModel& device = device_model(variant);
  auto rules = RuleBook::make(entry, variant.extents, device);
  if (!rules || !variant.parameters.contains(spec.name)) return {};
  const auto which = static_cast<std::size_t>(&spec - entry.parameters.data());
  std::vector<CompileAhead::Variant> found;
  VariantDocument other = document_of(variant);
  for (const std::int64_t value :
       legal_values(entry, *rules, values_of(entry, variant.parameters), which)) {
    other.parameters[spec.name] = value;
    auto instance = instance_of(other, catalogue_, device);
    if (instance) found.push_back({value, *std::move(instance)});
  }
  return found;
}

void Workbench::look_ahead(const std::string& parameter) {
  const Variant& variant = active();
  if (variant.entry == nullptr) return;
  AheadOf of = ahead_of(parameter);
  if (of == ahead_of_) return;
  ahead_of_ = std::move(of);
  stop_looking_around();
  const auto spec = std::ranges::find(variant.entry->parameters, parameter, &ParameterSpec::name);
  if (spec == variant.entry->parameters.end()) return;
  ahead_.follow({.parameter = parameter,
                 .variants = alternatives(*spec),
                 .present = variant.value_of(*spec),
                 .compute_capability = ahead_of_.device->compute_capability});
}

void Workbench::look_around() {
  constexpr double kPause = 1;  // seconds; a person who changes one thing may change the next
  const Variant& variant = active();
  if (settings_.around_threads == 0 || variant.entry == nullptr || busy() || ahead_.working())
    return;
  if (!changes_.empty() && now_seconds() - changes_.back().time_seconds < kPause) return;
  AheadOf of = ahead_of("");
  if (of == around_of_) return;
  around_of_ = std::move(of);
  CompileAhead::Plan plan;
  plan.compute_capability = around_of_.device->compute_capability;
  for (const ParameterSpec& spec : variant.entry->parameters) {
    std::vector<CompileAhead::Variant> others = alternatives(spec);
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

void Workbench::stop_looking_around() {
  around_.drop();
  around_of_ = {};
}

bool Workbench::compiled_ahead(const std::string& parameter, std::int64_t value) const {
  const Variant& variant = active();
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
